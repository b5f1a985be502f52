// SPDX-License-Identifier: MIT
/// \file  bench/labs/questions/shared_memory.cpp
/// \brief L08: what an access to shared memory costs, by its bank conflicts; and, on a GPU, how
///        fast registers are, and what it costs when they run out.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>

#include "bench/labs/analysis/relation.hpp"
#include "bench/labs/analysis/warp_requests.hpp"
#include "bench/labs/instruments/kernel_instruments.hpp"
#include "bench/labs/questions/counted.hpp"
#include "bench/labs/questions/curves.hpp"
#include "bench/labs/questions/labs.hpp"
#include "bench/labs/questions/lane_layouts.hpp"
#include "common/device_card.hpp"

namespace ladder::labs {
namespace {

constexpr std::array<unsigned, 3> kWidths = {4, 8, 16};
constexpr double kWavefrontBytes = 128.0;
constexpr double kKiB = 1024.0;

/// An access, its passes, and on a GPU its cycles.
struct Row {
  SharedAccess access;
  double wavefronts = 0.0;
  double textbook = 0.0;
  std::vector<double> cycles = {};
};

Row counted_row(const SharedAccess& access, SmInstrument* sm, int repeats) {
  std::array<std::uint64_t, kWarpLanes> bytes{};
  std::ranges::copy(access.lane_byte, bytes.begin());
  Row row = {.access = access,
             .wavefronts = static_cast<double>(count_shared(access).wavefronts),
             .textbook = static_cast<double>(textbook_wavefronts(bytes, access.bytes))};
  if (sm != nullptr) row.cycles = sm->shared_cycles(access, repeats);
  return row;
}

/// "4 (textbook 8)"
std::string wavefronts_text(const Row& row) {
  if (row.textbook == row.wavefronts) return fmt::format("{:.0f}", row.wavefronts);
  return fmt::format("{:.0f} (textbook {:.0f})", row.wavefronts, row.textbook);
}

/// How a count stands to the rule, and on a GPU to the clock.
std::string comparison_text(const Row& row) {
  std::string text = row.textbook == row.wavefronts
                         ? std::string("As many as by the textbook's rule")
                         : fmt::format("The textbook's rule says {:.0f}", row.textbook);
  if (!row.cycles.empty()) text += fmt::format("; {:.3g} cycles", median_of(row.cycles));
  return text;
}

/// Everything that is counted.
struct Rows {
  std::map<unsigned, std::map<unsigned, Row>> loads;   ///< by bytes, then by degree
  std::map<unsigned, std::map<unsigned, Row>> stores;  ///< likewise
  std::map<std::pair<LaneOrder, Share>, std::pair<Row, Row>> fragments;  ///< of A and of B
  std::map<std::pair<unsigned, unsigned>, Row> transposed;  ///< by lanes per row and padding

  std::vector<const Row*> all() const {
    std::vector<const Row*> all;
    for (const auto* const kind : {&loads, &stores})
      for (const auto& [bytes, degrees] : *kind)
        for (const auto& [degree, row] : degrees)
          all.push_back(&row);
    for (const auto& [layout, pair] : fragments) {
      all.push_back(&pair.first);
      all.push_back(&pair.second);
    }
    for (const auto& [tile, row] : transposed)
      all.push_back(&row);
    return all;
  }
};

constexpr std::array<LaneOrder, 2> kOrders = {LaneOrder::row_major, LaneOrder::zigzag};
constexpr std::array<Share, 2> kShares = {Share::contiguous, Share::split};

Rows counted_rows(SmInstrument* sm, const LabOptions& options) {
  const int repeats = options.quick ? 3 : 9;
  Rows rows;
  for (const unsigned bytes : kWidths) {
    for (unsigned degree = 1; degree <= lanes_in_part(bytes); ++degree) {
      rows.loads[bytes][degree] = counted_row(conflicting(bytes, degree, false), sm, repeats);
      rows.stores[bytes][degree] = counted_row(conflicting(bytes, degree, true), sm, repeats);
      options.on_progress(0.5 * degree / lanes_in_part(bytes));
    }
  }
  for (const LaneOrder order : kOrders) {
    for (const Share share : kShares) {
      rows.fragments[{order, share}] = {counted_row(fragment_of_a(order, share), sm, repeats),
                                        counted_row(fragment_of_b(order, share), sm, repeats)};
    }
  }
  for (const unsigned lanes_per_row : {2u, 8u})
    for (const unsigned pad : {0u, 1u, 4u})
      rows.transposed[{lanes_per_row, pad}] =
          counted_row(transposed_store(lanes_per_row, pad), sm, repeats);
  return rows;
}

void add_degree_series(LabReport& report, const Rows& rows, bool timed) {
  for (const unsigned bytes : kWidths) {
    Series counted = {.name = fmt::format("loads of {} bytes", bytes),
                      .x_name = "lanes that want one bank",
                      .x_unit = "",
                      .y_name = "wavefronts",
                      .y_unit = "",
                      .points = {}};
    Series cycles = counted;
    cycles.y_name = "time of a request";
    cycles.y_unit = "cycles";
    for (const auto& [degree, row] : rows.loads.at(bytes)) {
      counted.points.push_back({.x = static_cast<double>(degree), .samples = {row.wavefronts}});
      cycles.points.push_back({.x = static_cast<double>(degree), .samples = row.cycles});
    }
    report.series.push_back(counted);
    if (timed) report.series.push_back(cycles);
  }
}

std::string name_of(LaneOrder order, Share share) {
  return fmt::format("lanes {}, {}", order == LaneOrder::row_major ? "row by row" : "in a zigzag",
                     share == Share::contiguous ? "8 columns in a row" : "4 + 4 columns");
}

void add_layout_findings(LabReport& report, const Rows& rows) {
  for (const auto& [layout, pair] : rows.fragments) {
    const auto& [order, share] = layout;
    const std::string key = fmt::format("{}_{}", order == LaneOrder::row_major ? "rows" : "zigzag",
                                        share == Share::contiguous ? "contiguous" : "split");
    for (const auto& [matrix, row] : {std::pair("A", &pair.first), std::pair("B", &pair.second)}) {
      report.findings.push_back(
          found(fmt::format("fragment_{}_{}", matrix, key),
                fmt::format("Wavefronts of a float4 of {}, {}", matrix, name_of(order, share)),
                row->wavefronts, "", comparison_text(*row)));
    }
  }
  for (const auto& [tile, row] : rows.transposed) {
    const auto& [lanes_per_row, pad] = tile;
    report.findings.push_back(
        found(fmt::format("transposed_{}_pad_{}", lanes_per_row, pad),
              fmt::format("Wavefronts of a transposed store, {} lanes to a row of A, padding {}",
                          lanes_per_row, pad),
              row.wavefronts, "", comparison_text(row)));
  }
}

void add_bank_findings(LabReport& report, const Rows& rows, bool timed) {
  const std::vector<const Row*> all = rows.all();
  const auto differing =
      std::ranges::count_if(all, [](const Row* row) { return row->wavefronts != row->textbook; });
  report.findings.push_back(
      found("accesses_beside_the_rule", "Accesses where the textbook's rule is wrong",
            static_cast<double>(differing), "",
            fmt::format("Of {}: different words of a bank, in parts of 128 bytes", all.size())));
  if (!timed) return;
  std::vector<double> wavefronts;
  std::vector<double> cycles;
  for (const Row* const row : all) {
    wavefronts.push_back(row->wavefronts);
    cycles.push_back(median_of(row->cycles));
  }
  const StraightLine line = fit_line(wavefronts, cycles);
  report.findings.push_back(found(
      "cycles_per_wavefront", "One more wavefront takes", line.slope, "cycles",
      fmt::format("Straight line through {} accesses, R² {:.4f}", all.size(), line.r_squared)));
}

/// What the registers of one SM deliver.
struct RegisterRates {
  double latency_cycles = 0.0;           ///< of a multiply-add
  double multiply_adds_per_cycle = 0.0;  ///< of threads, in one SM, at best
};

RegisterRates measure_registers(LabReport& report, SmInstrument& sm, const LabOptions& options) {
  const int repeats = options.quick ? 3 : 9;
  RegisterRates rates;
  for (const int chains : {1, 2, 4, 8}) {
    Series series = {.name = fmt::format("{} sums per thread", chains),
                     .x_name = "warps on an SM",
                     .x_unit = "",
                     .y_name = "multiply-adds per cycle and SM",
                     .y_unit = "",
                     .points = {}};
    for (const int warps : {1, 2, 4, 8, 16, 32}) {
      std::vector<double> rate;
      for (const double cycles : sm.multiply_add_cycles(chains, warps, repeats))
        rate.push_back(kWarpLanes * warps / cycles);
      series.points.push_back({.x = static_cast<double>(warps), .samples = rate});
      rates.multiply_adds_per_cycle = std::max(rates.multiply_adds_per_cycle, median_of(rate));
    }
    report.series.push_back(series);
  }
  rates.latency_cycles = median_of(sm.multiply_add_cycles(1, 1, repeats));
  report.findings.push_back(found("ffma_latency_cycles", "Latency of a multiply-add",
                                  rates.latency_cycles, "cycles",
                                  "One warp, one sum: each waits for the one before it"));
  report.findings.push_back(found("ffma_per_cycle", "Multiply-adds of an SM in a cycle",
                                  rates.multiply_adds_per_cycle, "",
                                  "The best of 1 to 8 sums and 1 to 32 warps"));
  return rates;
}

/// Cycles per load from an array in local memory.
struct LocalTimes {
  double one_warp = 0.0;
  double one_block = 0.0;
  double full_gpu = 0.0;
};

LocalTimes measure_local(LabReport& report, SmInstrument& sm, const LabOptions& options) {
  const int repeats = options.quick ? 3 : 9;
  constexpr int kOneBlock = 32;
  constexpr int kFull = 64;
  const LocalTimes times = {median_of(sm.local_array_cycles(1, false, repeats)),
                            median_of(sm.local_array_cycles(kOneBlock, false, repeats)),
                            median_of(sm.local_array_cycles(kFull, true, repeats))};
  const int bytes = sm.local_array_bytes();
  report.findings.push_back(found("local_bytes",
                                  "Local memory of a thread with an array of 64 words", bytes,
                                  "bytes", "As CUDA says of the compiled kernel"));
  report.findings.push_back(found("local_cycles", "A load from it, one warp alone", times.one_warp,
                                  "cycles", fmt::format("{} bytes for each thread fit L1", bytes)));
  report.findings.push_back(found(
      "local_full_cycles", "A load from it, 2048 threads on each SM", times.full_gpu, "cycles",
      fmt::format("{} KiB for each SM; 1024 threads on one SM alone: {:.0f} cycles", 2 * bytes,
                  times.one_block)));
  const SumsResult roomy = sm.many_sums(false);
  const SumsResult squeezed = sm.many_sums(true);
  report.findings.push_back(found(
      "sums_cycles", "A multiply-add, 48 sums in registers", roomy.cycles, "cycles",
      fmt::format("{} registers, {} bytes of local memory", roomy.registers, roomy.local_bytes)));
  report.findings.push_back(
      found("spilled_sums_cycles", "The same, limited to 32 registers", squeezed.cycles, "cycles",
            fmt::format("{} registers, {} bytes of local memory: {:.3g}x", squeezed.registers,
                        squeezed.local_bytes, squeezed.cycles / roomy.cycles)));
  return times;
}

/// \return cycles of a load that waits for the one before it
double measure_shared_latency(LabReport& report, SmInstrument& sm, const LabOptions& options) {
  const double cycles = median_of(sm.shared_chain_cycles(options.quick ? 3 : 9));
  report.findings.push_back(found("shared_latency_cycles", "A load from shared memory, one warp",
                                  cycles, "cycles",
                                  "Each load reads where the next one reads; no bank conflicts"));
  return cycles;
}

/// \param  cycles  of a load; nothing without a GPU
void add_latency_claim(LabReport& report, const std::optional<double>& cycles) {
  const bool as_claimed = cycles && *cycles >= 19.5 && *cycles < 30.5;  // as a text rounds
  report.claims.push_back(
      {.row = "R107",
       .claimed = "A load from shared memory takes 20 to 30 cycles",
       .verdict = !cycles      ? "pending"
                  : as_claimed ? "holds"
                               : "wrong",
       .because = cycles ? fmt::format("{:.3g} cycles, one load after the other", *cycles)
                         : std::string("Only a GPU can tell")});
}

void add_bank_claims(LabReport& report, const Rows& rows) {
  const auto& two = rows.transposed;
  report.claims.push_back(
      {.row = "R225",
       .claimed = "A transposed store has conflicts of 2, and none with 4 floats of padding",
       .verdict =
           two.at({2, 0}).wavefronts == 2 && two.at({2, 4}).wavefronts == 1 ? "condition" : "wrong",
       .because = fmt::format(
           "Wavefronts with paddings of 0, 1 and 4, two lanes to a row of A: {}, {} and {}; eight "
           "lanes: {}, {} and {}. The padding has to fit how the lanes lie",
           wavefronts_text(two.at({2, 0})), wavefronts_text(two.at({2, 1})),
           wavefronts_text(two.at({2, 4})), wavefronts_text(two.at({8, 0})),
           wavefronts_text(two.at({8, 1})), wavefronts_text(two.at({8, 4})))});
  std::string layouts;
  for (const auto& [layout, pair] : rows.fragments) {
    layouts += fmt::format("{}{}: A {}, B {}", layouts.empty() ? "" : "; ",
                           name_of(layout.first, layout.second), wavefronts_text(pair.first),
                           wavefronts_text(pair.second));
  }
  const auto wavefronts_of_b = [&](LaneOrder order, Share share) {
    return rows.fragments.at({order, share}).second.wavefronts;
  };
  const bool depends = wavefronts_of_b(LaneOrder::row_major, Share::contiguous) >
                       wavefronts_of_b(LaneOrder::row_major, Share::split);
  report.claims.push_back({.row = "R227",
                           .claimed = "A warp of 4 x 8 threads reads A and B without conflicts",
                           .verdict = depends ? "condition" : "holds",
                           .because = "Wavefronts of a float4 with " + layouts});
}

/// What the claims about one SM are checked with: the GPU, or the card of the H200.
SmFacts facts_of_card() {
  const DeviceCard card = load_card("h200");
  return {.sms = card.sms,
          .clock_mhz = static_cast<double>(card.sm_clock_mhz),
          .registers = card.registers_per_sm,
          .registers_per_thread = 255,
          .shared_bytes = card.shared_bytes_per_sm,
          .shared_bytes_per_block = card.max_shared_bytes_per_block,
          .reserved_shared_bytes_per_block = card.shared_bytes_reserved_per_block};
}

void add_size_claims(LabReport& report, const SmFacts& facts, const std::string& source) {
  const bool hopper = facts.sms == 132 && facts.registers == 65536;
  report.claims.push_back(
      {.row = "R111",
       .claimed = "132 SMs, each with 65,536 registers (256 KiB), at most 255 for a thread",
       .verdict = hopper ? "holds" : "condition",
       .because = fmt::format("{}: {} SMs with {} registers, {:.0f} KiB", source, facts.sms,
                              facts.registers, 4.0 * facts.registers / kKiB)});
  const bool shared =
      facts.shared_bytes == 228 * 1024 && facts.reserved_shared_bytes_per_block == 1024;
  report.claims.push_back(
      {.row = "R134",
       .claimed = "Up to 228 KiB of shared memory in an SM, 1 KiB of it reserved for each block",
       .verdict = shared ? "holds" : "condition",
       .because =
           fmt::format("{}: {:.0f} KiB in an SM, {:.0f} KiB for one block, {:.0f} KiB "
                       "reserved",
                       source, facts.shared_bytes / kKiB, facts.shared_bytes_per_block / kKiB,
                       facts.reserved_shared_bytes_per_block / kKiB)});
}

/// TB/s of all SMs that move so many bytes in a cycle.
double tb_per_second(const SmFacts& facts, double bytes_per_cycle) {
  return facts.sms * bytes_per_cycle * facts.clock_mhz * 1e6 / 1e12;
}

void add_rate_claims(LabReport& report, const SmFacts& facts, const std::string& source,
                     double adds_per_cycle, double cycles_per_wavefront, double dram_gbps) {
  constexpr double kOperand = 4.0;
  const double one = tb_per_second(facts, adds_per_cycle * kOperand);
  report.claims.push_back(
      {.row = "R112",
       .claimed = "The registers deliver 124 TB/s",
       .verdict = "condition",
       .because =
           fmt::format("{}, at {:.0f} MHz: {:.0f} multiply-adds in a cycle and SM are {:.0f} "
                       "TB/s if each counts for one operand. A multiply-add reads three, {:.0f} "
                       "TB/s, and writes one, {:.0f}",
                       source, facts.clock_mhz, adds_per_cycle, one, 3 * one, one)});
  const double shared = tb_per_second(facts, kWavefrontBytes / cycles_per_wavefront);
  constexpr double kClose = 0.1;  // a tenth: the claim has one or two digits
  const double ratio = dram_gbps > 0 ? 1e3 * shared / dram_gbps : 0;
  const std::string beside =
      dram_gbps > 0 ? fmt::format("{:.2g}x the {:.3g} TB/s of its memory by clock and bus width",
                                  ratio, dram_gbps / 1e3)
                    : "and the driver does not tell what its memory gives";
  const bool as_claimed =
      std::abs(shared - 31) <= kClose * 31 && std::abs(ratio - 10) <= kClose * 10;
  report.claims.push_back(
      {.row = "R135",
       .claimed = "Shared memory delivers 31 TB/s, ten times as much as HBM",
       .verdict = as_claimed ? "holds" : "condition",
       .because = fmt::format("{}, at {:.0f} MHz: 128 bytes in {:.3g} cycles are {:.3g} TB/s, "
                              "{}; 31 is the figure of 132 SMs at 1830 MHz",
                              source, facts.clock_mhz, cycles_per_wavefront, shared, beside)});
}

void add_local_claims(LabReport& report, const std::optional<LocalTimes>& times, int local_bytes) {
  const std::string pending = "Only a GPU can tell";
  constexpr double kHundreds = 250.0;  // cycles: half of what is claimed
  report.claims.push_back(
      {.row = "R110",
       .claimed = "Local memory lies in DRAM",
       .verdict = times ? "condition" : "pending",
       .because = times ? fmt::format("Its addresses do; L1 and L2 cache them: a load takes {:.0f} "
                                      "cycles in one warp, {:.0f} where 2048 threads of each SM "
                                      "compete",
                                      times->one_warp, times->full_gpu)
                        : pending});
  report.claims.push_back(
      {.row = "R114",
       .claimed = "A spilled value costs about 500 cycles",
       .verdict = !times                        ? "pending"
                  : times->full_gpu < kHundreds ? "wrong"
                  : times->one_warp < kHundreds ? "condition"
                                                : "holds",
       .because = times ? fmt::format("{:.0f} cycles where it is in L1, {:.0f} with 1024 threads "
                                      "on one SM, {:.0f} on a full GPU",
                                      times->one_warp, times->one_block, times->full_gpu)
                        : pending});
  report.claims.push_back(
      {.row = "R115",
       .claimed = "An array of 64 floats that is indexed at run time lies in local memory",
       .verdict = !times               ? "pending"
                  : local_bytes >= 256 ? "holds"
                                       : "wrong",
       .because = times ? fmt::format("{} bytes of local memory for each thread", local_bytes)
                        : "The compiled kernel tells: on a GPU, or in lab L20"});
}

void add_shuffle_claim(LabReport& report) {
  const std::uint64_t requests = shared_requests_of_a_shuffle();
  report.claims.push_back(
      {.row = "R113",
       .claimed = "Shuffles exchange registers",
       .verdict = requests == 0 ? "holds" : "wrong",
       .because =
           fmt::format("A warp reversed its numbers with {} requests to shared memory. On an "
                       "H200 each shuffle is still a pass through the pipe of shared memory",
                       requests)});
}

}  // namespace

LabReport shared_memory(Instruments* instruments, const LabOptions& options) {
  SmInstrument* const sm = instruments == nullptr ? nullptr : instruments->sm();
  const Rows rows = counted_rows(sm, options);
  LabReport report;
  add_degree_series(report, rows, sm != nullptr);
  add_bank_findings(report, rows, sm != nullptr);
  add_layout_findings(report, rows);
  const SmFacts facts = sm == nullptr ? facts_of_card() : sm->facts();
  const std::string source = sm == nullptr ? "Card of the H200" : instruments->facts().name;
  RegisterRates rates = {.multiply_adds_per_cycle = 128.0};  // of all SMs since 6.1
  std::optional<LocalTimes> local;
  std::optional<double> shared_latency;
  double cycles_per_wavefront = 1.0;
  if (sm != nullptr) {
    rates = measure_registers(report, *sm, options);
    local = measure_local(report, *sm, options);
    shared_latency = measure_shared_latency(report, *sm, options);
    const Row& whole = rows.loads.at(16).at(1);
    cycles_per_wavefront = median_of(whole.cycles) / whole.wavefronts;
  }
  add_bank_claims(report, rows);
  add_size_claims(report, facts, source);
  add_rate_claims(report, facts, source, rates.multiply_adds_per_cycle, cycles_per_wavefront,
                  sm == nullptr ? load_card("h200").dram_bytes_per_second / 1e9
                                : instruments->facts().dram_gbps);
  add_local_claims(report, local, sm == nullptr ? 0 : sm->local_array_bytes());
  add_latency_claim(report, shared_latency);
  add_shuffle_claim(report);
  report.notes.push_back(
      sm != nullptr ? "Wavefronts are the emulator's, cycles the GPU's: eight warps of one block "
                      "repeat the same access."
                    : "Counted on the emulator. No GPU took part: cycles, registers and local "
                      "memory were not measured, and rates are those of a card.");
  return report;
}

}  // namespace ladder::labs
