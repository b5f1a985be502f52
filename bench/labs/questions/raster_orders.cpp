// SPDX-License-Identifier: MIT
/// \file  bench/labs/questions/raster_orders.cpp
/// \brief L16: what a matrix product reads from DRAM, by the order of its blocks.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "bench/labs/analysis/relation.hpp"
#include "bench/labs/analysis/tile_order.hpp"
#include "bench/labs/instruments/kernel_instruments.hpp"
#include "bench/labs/questions/counted_heads.hpp"
#include "bench/labs/questions/counted_product.hpp"
#include "bench/labs/questions/curves.hpp"
#include "bench/labs/questions/labs.hpp"
#include "bench/labs/report_text.hpp"
#include "bench/labs/simulator/lockstep.hpp"

namespace ladder::labs {
namespace {

constexpr double kFloat = 4.0;
constexpr TileShape kTile = {kProductTile, kProductTile, kProductTile};

/// One order of the blocks, and what it costs.
struct Row {
  std::string key;
  std::string name;
  int group = 0;  ///< columns of a group; 0: no such order
  ProductPlan plan;
  double predicted_bytes = 0.0;  ///< by the formula of waves, with C
  double predicted_hits = 0.0;
  ProductTraffic counted = {};
};

double bytes_of_c(const ProductPlan& plan) {
  return kFloat * plan.M * plan.N;
}

void predict(Row& row, int in_flight) {
  const WaveReads reads =
      wave_reads(row.plan.order, grid_of(row.plan), kTile, row.plan.K, in_flight);
  row.predicted_hits = reads.hit_rate();
  row.predicted_bytes = reads.unique_bytes + bytes_of_c(row.plan);
}

/// \param  size  of the product without an order
std::vector<Row> raster_rows(const ProductPlan& size, int in_flight, bool quick) {
  const TileGrid grid = grid_of(size);
  std::vector<Row> rows;
  const auto add = [&](const std::string& key, const std::string& name, int group,
                       const TileOrder& order) {
    Row row = {.key = key, .name = name, .group = group, .plan = size};
    row.plan.order = order;
    predict(row, in_flight);
    rows.push_back(row);
  };
  for (int group = 1; group <= 32 && group < grid.columns; group += quick ? group : 1) {
    const std::string name = group == 1 ? "column by column" : fmt::format("groups of {}", group);
    add(group == 1 ? "column_major" : fmt::format("group_{}", group), name, group,
        grouped_order(grid, group));
  }
  add("row_major", "row by row", grid.columns, row_major_order(grid));
  add("hilbert", "along Hilbert's curve", 0, hilbert_order(grid));
  return rows;
}

/// Rows of K that leave half of L2 to A's chunk of columns and half to B's, as the plan has it.
int chunk_of_k(const ProductPlan& size, double l2_bytes) {
  const auto k = static_cast<int>(l2_bytes / (2 * kFloat * size.N));
  return std::max(k / kProductTile * kProductTile, kProductTile);
}

const Row& row_with(const std::vector<Row>& rows, const char* key) {
  return *std::ranges::find(rows, key, &Row::key);
}

const Row& best_group(const std::vector<Row>& rows, double (*bytes)(const Row&)) {
  return *std::ranges::min_element(rows, {}, bytes);
}

Series over_groups(const std::vector<Row>& rows, const std::string& name, const std::string& y_name,
                   const std::string& y_unit, double (*value)(const Row&)) {
  Series series = {.name = name,
                   .x_name = "columns of tiles in a group",
                   .x_unit = "",
                   .y_name = y_name,
                   .y_unit = y_unit,
                   .points = {}};
  for (const Row& row : rows)
    if (row.group > 0)
      series.points.push_back({.x = static_cast<double>(row.group), .samples = {value(row)}});
  return series;
}

std::string traffic_text(const Row& row) {
  return fmt::format("The formula says {}, with {:.1f} % hits; the count is {:.1f} %",
                     with_unit(row.predicted_bytes, "bytes"), 100 * row.predicted_hits,
                     100 * row.counted.l2_hit_rate);
}

void add_counted(LabReport& report, const std::vector<Row>& rows, const DeviceCard& card,
                 int in_flight) {
  const auto counted = [](const Row& row) { return row.counted.bytes(); };
  const auto predicted = [](const Row& row) { return row.predicted_bytes; };
  report.series.push_back(over_groups(rows, "counted", "traffic of DRAM", "bytes", counted));
  report.series.push_back(over_groups(rows, "formula", "traffic of DRAM", "bytes", predicted));
  report.series.push_back(over_groups(rows, "counted", "L2 hit rate", "",
                                      [](const Row& row) { return row.counted.l2_hit_rate; }));
  for (const char* const key : {"row_major", "column_major", "hilbert"}) {
    const Row& row = row_with(rows, key);
    report.findings.push_back(found(row.key + "_bytes", fmt::format("Tiles {}", row.name),
                                    row.counted.bytes(), "bytes", traffic_text(row)));
  }
  const Row& best = best_group(rows, counted);
  const Row& expected = best_group(rows, predicted);
  report.findings.push_back(found("best_bytes", fmt::format("The best order, {}", best.name),
                                  best.counted.bytes(), "bytes", traffic_text(best)));
  report.findings.push_back(found(
      "best_group", "Columns of the best group", best.group, "",
      fmt::format("The formula expects {}; the square root of the {} blocks in flight is {:.3g}",
                  expected.group == 0 ? expected.name : fmt::format("{}", expected.group),
                  in_flight, std::sqrt(in_flight))));
  std::vector<double> x;
  std::vector<double> y;
  for (const Row& row : rows) {
    x.push_back(row.predicted_bytes);
    y.push_back(row.counted.bytes());
  }
  report.findings.push_back(
      found("rank_correlation", "Rank correlation of formula and count", rank_correlation(x, y), "",
            fmt::format("Spearman's, over {} orders on the {} card", x.size(), card.id)));
}

// What was counted with the caches of an invented card is no verdict; formulas and what was asked
// for need no caches.

/// The host loop over parts of K, beside the orders.
void add_chunks(LabReport& report, const std::vector<Row>& rows, const DeviceCard& card) {
  const Row& row_major = row_with(rows, "row_major");
  const Row& best = best_group(rows, [](const Row& row) { return row.counted.bytes(); });
  ProductPlan plan = row_major.plan;
  plan.k_chunk = chunk_of_k(plan, static_cast<double>(card.l2_bytes));
  const int chunks = (plan.K + plan.k_chunk - 1) / plan.k_chunk;
  const ProductTraffic counted = count_product(plan, card);
  const double promised =
      kFloat * (static_cast<double>(plan.M) * plan.K + static_cast<double>(plan.K) * plan.N);
  report.findings.push_back(
      found("chunked_bytes", fmt::format("A host loop over {} parts of K", chunks), counted.bytes(),
            "bytes",
            fmt::format("{} of them are read and {} written; A and B once are {}",
                        with_unit(counted.read_bytes, "bytes"),
                        with_unit(counted.written_bytes, "bytes"), with_unit(promised, "bytes"))));
  report.claims.push_back(
      {.row = "R033",
       .claimed = "Cut K so that a chunk of A and B fits L2: TILE_K = L2 / (2 * N * 4 bytes)",
       .verdict = "simulated",
       .because = fmt::format(
           "Counted with the caches of the {} card, TILE_K = {} moves {}, and the best order of "
           "tiles {}. The plan forgets C, {}, which each further chunk reads and writes again",
           card.id, plan.k_chunk, with_unit(counted.bytes(), "bytes"),
           with_unit(best.counted.bytes(), "bytes"), with_unit(bytes_of_c(plan), "bytes"))});
  report.claims.push_back(
      {.row = "R034",
       .claimed = "A host loop over chunks of K multiplies the matrices",
       .verdict = "condition",
       .because = fmt::format(
           "The result is right if the first chunk overwrites C and the others add to it, and if "
           "A's rows keep their length. On the {} card it moves {} instead of {} row by row in one "
           "launch",
           card.id, with_unit(counted.bytes(), "bytes"),
           with_unit(row_major.counted.bytes(), "bytes"))});
}

/// What does not depend on a card: the formula, its misprint, and waves in step.
void add_formula_claims(LabReport& report) {
  constexpr TileShape kBlock = {128, 128, 8};
  const double right = rectangle_hit_rate(11 * 128, 12 * 128, kBlock);
  const double printed = printed_hit_rate(11 * 128, 12 * 128, kBlock);
  report.claims.push_back(
      {.row = "R230",
       .claimed = "h = 1 - (Mw + Nw) / (Mw Nw (Mb + Nb)), the last line of a derivation",
       .verdict = "wrong",
       .because =
           fmt::format("For 11 x 12 blocks of 128 x 128 it says {:.4f} %, because it takes "
                       "elements for blocks. 1 - (1/Mw + 1/Nw) / (1/Mb + 1/Nb) says {:.1f} %",
                       100 * printed, 100 * right)});
  std::string falling;
  bool holds = true;
  double last = 1.0;
  for (const auto& [rows, columns] : {std::pair(11, 12), {6, 22}, {3, 44}, {2, 66}, {1, 132}}) {
    const double hits = rectangle_hit_rate(rows * 128.0, columns * 128.0, kBlock);
    holds = holds && hits < last;
    last = hits;
    falling +=
        fmt::format("{}{} x {}: {:.1f} %", falling.empty() ? "" : ", ", rows, columns, 100 * hits);
  }
  report.claims.push_back({.row = "R231",
                           .claimed = "The farther apart a wave's sides, the fewer hits",
                           .verdict = holds ? "holds" : "wrong",
                           .because = "At 132 blocks of 128 x 128 each: " + falling});
}

/// What follows from how many blocks run at once.
void add_wave_claims(LabReport& report) {
  constexpr int kSms = 132;
  const auto efficiency = [](int size, int rows, int columns) {
    return 100 * wave_efficiency(size / rows * (size / columns), kSms);
  };
  report.claims.push_back(
      {.row = "R218",
       .claimed = "A small C has fewer blocks than the GPU has SMs: take smaller tiles",
       .verdict = "condition",
       .because =
           fmt::format("At 1024, tiles of 128 x 128 use {:.0f} % of 132 SMs, and of 64 x 64 "
                       "{:.0f} %. But tiles of half the side read twice the bytes, and K can "
                       "be split instead",
                       efficiency(1024, 128, 128), efficiency(1024, 64, 64))});
  report.claims.push_back(
      {.row = "R228",
       .claimed = "Blocks run in waves, ordered along x, then y, then z",
       .verdict = "condition",
       .because = "CUDA promises no order. All results here assume this one and hold for the bytes "
                  "alone; the products are right in any"});
  constexpr TileGrid kGrid = {8, 8};
  constexpr TileShape kBlock = {128, 128, 8};
  const WaveReads reads = wave_reads(grouped_order(kGrid, 4), kGrid, kBlock, 1024, 16);
  report.claims.push_back(
      {.row = "R229",
       .claimed =
           "A wave asks for (Mb K + K Nb) of each block, and Mw K + K Nw of it are different",
       .verdict = reads.requested_bytes == 16.0 * 4 * kFloat * 256 * 1024 &&
                          reads.unique_bytes == 4.0 * kFloat * 1024 * 1024
                      ? "holds"
                      : "wrong",
       .because = fmt::format("Four waves of 4 x 4 blocks of 128 x 128 at K = 1024 ask for {} and "
                              "need {}",
                              with_unit(reads.requested_bytes, "bytes"),
                              with_unit(reads.unique_bytes, "bytes"))});
}

/// Blocks that stay and take one head after the other, where no two of them read the same.
void add_persistent_claim(LabReport& report, const DeviceCard& card) {
  constexpr int kQueries = 32;
  constexpr int kShared = 4;
  const AttentionHeads own = {.queries = kQueries, .vectors_per_head = 4096};
  AttentionHeads grouped = own;
  grouped.queries_per_head = kShared;
  const auto read = [&](const AttentionHeads& heads, int blocks) {
    return count_heads(heads, blocks, card).dram_bytes;
  };
  const double own_blocks = read(own, kQueries);
  const double own_staying = read(own, card.sms);
  const double grouped_blocks = read(grouped, kQueries);
  const double grouped_staying = read(grouped, card.sms);
  report.claims.push_back(
      {.row = "R035",
       .claimed = "A persistent kernel, one block per SM, keeps keys and values in L2",
       .verdict = "simulated",
       .because = fmt::format(
           "Counted with the caches of the {} card, {} heads with their own keys and values read "
           "{} from DRAM with a block for each, and {} with a block that stays on each SM. Where "
           "{} heads share them, both read less: {} and {}",
           card.id, kQueries, with_unit(own_blocks, "bytes"), with_unit(own_staying, "bytes"),
           kShared, with_unit(grouped_blocks, "bytes"), with_unit(grouped_staying, "bytes"))});
}

/// A wave of 4 x 4 tiles in step, in a cache much smaller than its panels.
void add_lockstep_claims(LabReport& report) {
  constexpr int kK = 512;
  constexpr int kInFlight = 16;
  constexpr TileShape kThin = {kProductTile, kProductTile, 8};
  constexpr TileGrid kGrid = {16, 16};
  constexpr double kPanel = kFloat * kK * kProductTile;
  const CacheShape small = {.bytes = std::uint64_t{64} * 1024};
  const TileOrder squares = grouped_order(kGrid, 4);
  const LockstepReads in_step = lockstep_reads(squares, kGrid, kThin, kK, kInFlight, small);
  const double formula = wave_reads(squares, kGrid, kThin, kK, kInFlight).hit_rate();
  report.claims.push_back(
      {.row = "R233",
       .claimed = "The formula needs all data of a wave in L2",
       .verdict = "simulated",
       .because = fmt::format("In step, 4 x 4 tiles hit {:.1f} % of the time in a simulated cache "
                              "of {}, where the formula says {:.1f} %, though their panels are {}. "
                              "Blocks that drift apart need more",
                              100 * in_step.hit_rate(),
                              with_unit(static_cast<double>(small.bytes), "bytes"), 100 * formula,
                              with_unit(8 * kPanel, "bytes"))});
  const CacheShape sectors = {.bytes = std::uint64_t{256} * 1024};
  CacheShape lines = sectors;
  lines.sector_bytes = lines.line_bytes;
  const TileOrder down = column_major_order(kGrid);
  const TileOrder along = row_major_order(kGrid);
  const auto run = [&](const TileOrder& order, const CacheShape& cache) {
    return lockstep_reads(order, kGrid, kThin, kK, kInFlight, cache);
  };
  const LockstepReads column = run(down, sectors);
  const LockstepReads row = run(along, sectors);
  const LockstepReads column_of_lines = run(down, lines);
  const LockstepReads row_of_lines = run(along, lines);
  constexpr TileShape kTall = {2 * kProductTile, kProductTile, 8};
  constexpr TileGrid kTallGrid = {8, 16};
  const double tall_down =
      wave_reads(column_major_order(kTallGrid), kTallGrid, kTall, kK, 8).unique_bytes;
  const double tall_along =
      wave_reads(row_major_order(kTallGrid), kTallGrid, kTall, kK, 8).unique_bytes;
  report.claims.push_back(
      {.row = "R234",
       .claimed = "A wave along a column misses as often as one along a row, but in bursts",
       .verdict = "simulated",
       .because = fmt::format(
           "In a simulated cache both read {} with square tiles. Where a miss fetches 32 bytes, no "
           "step misses more "
           "than the mean (column {:.2f}x, row {:.2f}x). Where it fetches 128, the column's "
           "worst step misses {:.2f}x the mean, the row's {:.2f}x. Tiles of 64 x 32 read {:.2g}x "
           "as much along a column as along a row",
           with_unit(static_cast<double>(column.missed_bytes), "bytes"), column.burst(),
           row.burst(), column_of_lines.burst(), row_of_lines.burst(), tall_down / tall_along)});
}

/// Times of all orders at one size, beside the formula for that GPU.
void add_times(LabReport& report, ProductInstrument& timer, const MemoryFacts& facts,
               const LabOptions& options) {
  const int extent = options.quick ? 4096 : 8192;
  const ProductPlan size = {.M = extent, .N = extent, .K = extent, .order = {}};
  const int in_flight = timer.blocks_in_flight();
  const std::vector<Row> rows = raster_rows(size, in_flight, true);
  Series times = {.name = fmt::format("{} at {}", facts.name, extent),
                  .x_name = "columns of tiles in a group",
                  .x_unit = "",
                  .y_name = "time",
                  .y_unit = "ms",
                  .points = {}};
  std::vector<double> predicted;
  std::vector<double> measured;
  const auto time = [&](const ProductPlan& plan) { return timer.ms(plan, options.quick ? 3 : 7); };
  for (const Row& row : rows) {
    options.on_progress(0.5 + 0.5 * static_cast<double>(&row - rows.data()) /
                                  static_cast<double>(rows.size()));
    const std::vector<double> ms = time(row.plan);
    predicted.push_back(row.predicted_bytes);
    measured.push_back(median_of(ms));
    if (row.group > 0) times.points.push_back({.x = static_cast<double>(row.group), .samples = ms});
    if (row.key == "row_major" || row.key == "hilbert")
      report.findings.push_back(found(
          row.key + "_ms", fmt::format("Tiles {} at {}", row.name, extent), median_of(ms), "ms",
          fmt::format("The formula says {} for {} blocks in flight",
                      with_unit(row.predicted_bytes, "bytes"), in_flight)));
  }
  std::ranges::sort(times.points, {}, &Point::x);
  report.series.push_back(times);
  ProductPlan chunked = row_with(rows, "row_major").plan;
  chunked.k_chunk = chunk_of_k(chunked, static_cast<double>(facts.l2_bytes));
  const double chunked_ms = median_of(time(chunked));
  report.findings.push_back(found("chunked_ms",
                                  fmt::format("A host loop over parts of K at {}", extent),
                                  chunked_ms, "ms", fmt::format("TILE_K = {}", chunked.k_chunk)));
  const auto [best, worst] = std::ranges::minmax_element(measured);
  const double row_major_ms =
      measured[static_cast<std::size_t>(&row_with(rows, "row_major") - rows.data())];
  if (const auto cut = std::ranges::find(report.claims, "R033", &ClaimCheck::row);
      cut != report.claims.end()) {
    // The clock of a real GPU decides, with chunks for its own L2.
    cut->verdict = chunked_ms < row_major_ms ? "condition" : "wrong";
    cut->because += fmt::format(
        ". At {} on this GPU, TILE_K = {} takes {:.0f} ms, tiles row by row {:.0f}, and the best "
        "order {:.0f}",
        extent, chunked.k_chunk, chunked_ms, row_major_ms, *best);
  }
  const double most_gbps = *std::ranges::max_element(predicted) / (*worst * 1e6);
  report.findings.push_back(found("time_rank_correlation",
                                  "Rank correlation of the formula's bytes and the time",
                                  rank_correlation(predicted, measured), "",
                                  fmt::format("Spearman's, over {} orders", rows.size())));
  report.claims.push_back(
      {.row = "R232",
       .claimed = "L2 hits are not the main bottleneck of a GEMM",
       .verdict = *worst < 1.1 * *best ? "condition" : "wrong",
       .because =
           fmt::format("From the best to the worst order of this FP32 kernel the time grows "
                       "{:.2f}x, while the formula's bytes grow {:.2f}x, to {:.0f} GB/s of "
                       "{:.0f}. A kernel for tensor cores needs its bytes many times faster",
                       *worst / *best,
                       *std::ranges::max_element(predicted) / *std::ranges::min_element(predicted),
                       most_gbps, facts.dram_gbps)});
}

}  // namespace

LabReport raster_orders(Instruments* instruments, const LabOptions& options) {
  const DeviceCard card = load_card(options.card);
  // What counts is the card's caches, not the name of its file.
  const DeviceCard classroom = load_card("classroom");
  const bool large = card.l2_bytes > 4 * classroom.l2_bytes;
  const bool other_card = card.l2_bytes != classroom.l2_bytes ||
                          card.l2_ways != classroom.l2_ways || card.sms != classroom.sms;
  const int in_flight = blocks_in_flight(card);
  const int extent = large ? 4096 : options.quick ? 768 : 1024;
  const int K = large ? extent : extent / 2;
  const ProductPlan size = {.M = extent, .N = extent, .K = K, .order = {}};
  std::vector<Row> rows = raster_rows(size, in_flight, options.quick || large);
  for (Row& row : rows) {
    options.on_progress(0.5 * static_cast<double>(&row - rows.data()) /
                        static_cast<double>(rows.size()));
    row.counted = count_product(row.plan, card);
  }
  LabReport report;
  add_counted(report, rows, card, in_flight);
  add_chunks(report, rows, card);
  if (other_card) {  // the claims are about the classroom's
    report.claims.clear();
    return report;
  }
  add_formula_claims(report);
  add_wave_claims(report);
  add_persistent_claim(report, card);
  add_lockstep_claims(report);
  ProductInstrument* const timer = instruments == nullptr ? nullptr : instruments->products();
  if (timer != nullptr) {
    add_times(report, *timer, instruments->facts(), options);
  } else {
    report.claims.push_back({.row = "R232",
                             .claimed = "L2 hits are not the main bottleneck of a GEMM",
                             .verdict = "pending",
                             .because = "Only a GPU can tell what the bytes cost in time"});
  }
  report.notes.push_back(fmt::format(
      "Counted: {0} x {0} x {1} in tiles of {2} x {2}, {3} blocks in flight on the {4} card, whose "
      "L2 has {5}. {6}",
      extent, size.K, kProductTile, in_flight, card.id,
      with_unit(static_cast<double>(card.l2_bytes), "bytes"),
      timer == nullptr ? "No GPU took part, so time was not measured."
                       : "DRAM's bytes on the GPU were not counted: that needs a profiler."));
  return report;
}

}  // namespace ladder::labs
