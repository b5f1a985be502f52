// SPDX-License-Identifier: MIT
/// \file  bench/labs/questions/coalescing.cpp
/// \brief L06: what a warp asks of memory, by stride, offset, width and structure; and, on a GPU,
///        what that costs where the data lies in L1, in L2 or in DRAM.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>

#include "bench/labs/analysis/relation.hpp"
#include "bench/labs/analysis/warp_requests.hpp"
#include "bench/labs/instruments/kernel_instruments.hpp"
#include "bench/labs/questions/counted.hpp"
#include "bench/labs/questions/curves.hpp"
#include "bench/labs/questions/labs.hpp"
#include "common/machine.hpp"
#include "ladder/program/rung_trace.hpp"

namespace ladder::labs {
namespace {

constexpr unsigned kFloat = 4;
constexpr unsigned kSector = 32;
constexpr std::array<unsigned, 3> kWidths = {4, 8, 16};
constexpr std::array<Home, 3> kHomes = {Home::l1, Home::l2, Home::dram};

/// A row of the lab's table.
struct Case {
  AccessPattern pattern;
  CountedReads counted;
  std::map<Home, std::vector<double>> ns = {};  ///< for 32 places; empty without a GPU
};

AccessPattern strided(unsigned bytes, unsigned elements) {
  return {.bytes = bytes, .stride_bytes = bytes * elements};
}

/// A record of five numbers: of 20 bytes, or filled up to 32 and read as two vectors.
AccessPattern records(unsigned bytes, bool random) {
  if (bytes == 20) return {.bytes = kFloat, .loads = 5, .stride_bytes = bytes, .random = random};
  return {.bytes = 16, .loads = 2, .stride_bytes = bytes, .random = random};
}

/// All patterns, counted; with a GPU also timed.
struct Cases {
  std::map<unsigned, std::map<unsigned, Case>> by_width;  ///< by bytes, then by stride in elements
  std::map<unsigned, Case> by_offset;                     ///< of floats in a row, in floats
  Case record_20, record_32, random_20, random_32, gather;

  std::vector<Case*> all() {
    std::vector<Case*> all;
    for (auto& [bytes, strides] : by_width)
      for (auto& [stride, found] : strides)
        all.push_back(&found);
    for (auto& [offset, found] : by_offset)
      all.push_back(&found);
    for (Case* const found : {&record_20, &record_32, &random_20, &random_32, &gather})
      all.push_back(found);
    return all;
  }
};

Cases patterns(bool quick) {
  std::vector<unsigned> strides = {1, 2, 3, 4, 6, 8, 12, 16, 24, 31, 32, 48, 64};
  if (quick) strides = {1, 2, 4, 8, 16, 31, 32};
  Cases cases;
  for (const unsigned bytes : kWidths)
    for (const unsigned stride : strides)
      cases.by_width[bytes][stride].pattern = strided(bytes, stride);
  for (unsigned offset = 0; offset < 32; offset += quick ? 4 : 1)
    cases.by_offset[offset].pattern = {.first_byte = kFloat * offset};
  cases.by_offset[1].pattern = {.first_byte = kFloat};
  cases.record_20.pattern = records(20, false);
  cases.record_32.pattern = records(32, false);
  cases.random_20.pattern = records(20, true);
  cases.random_32.pattern = records(32, true);
  cases.gather.pattern = {.random = true};
  return cases;
}

/// Computing random places takes longer than reading them from L1.
bool can_be_timed(const AccessPattern& pattern, Home home) {
  return home != Home::l1 || !pattern.random;
}

void run_all(Cases& cases, ReadInstrument* timer, const LabOptions& options) {
  const std::vector<Case*> all = cases.all();
  for (std::size_t i = 0; i < all.size(); ++i) {
    options.on_progress(static_cast<double>(i) / static_cast<double>(all.size()));
    all[i]->counted = count_reads(all[i]->pattern);
    if (timer == nullptr) continue;
    for (const Home home : kHomes)
      if (can_be_timed(all[i]->pattern, home))
        all[i]->ns[home] = timer->ns(all[i]->pattern, home, options.quick ? 3 : 7);
  }
}

std::string name_of(Home home) {
  return home == Home::l1 ? "L1" : home == Home::l2 ? "L2" : "DRAM";
}

double per_request(const CountedReads& counted, std::uint64_t sum) {
  return static_cast<double>(sum) / static_cast<double>(counted.counts.requests);
}

template <class Value>
Series counted_series(const std::string& name, const std::string& x_name, const std::string& y_name,
                      const std::map<unsigned, Case>& cases, const Value& value) {
  Series series = {
      .name = name, .x_name = x_name, .x_unit = "", .y_name = y_name, .y_unit = "", .points = {}};
  for (const auto& [x, found] : cases)
    series.points.push_back({.x = static_cast<double>(x), .samples = {value(found.counted)}});
  return series;
}

void add_counted_series(LabReport& report, const Cases& cases) {
  const auto sectors = [](const CountedReads& c) { return per_request(c, c.counts.sectors); };
  const auto lines = [](const CountedReads& c) { return per_request(c, c.counts.lines); };
  const auto passes = [](const CountedReads& c) { return per_request(c, c.counts.wavefronts); };
  for (const unsigned bytes : kWidths)
    report.series.push_back(counted_series(fmt::format("{} bytes per lane", bytes),
                                           "stride in elements", "sectors per request",
                                           cases.by_width.at(bytes), sectors));
  const auto& floats = cases.by_width.at(kFloat);
  report.series.push_back(counted_series("lines of 4 bytes per lane", "stride in elements",
                                         "lines per request", floats, lines));
  report.series.push_back(counted_series("passes of 4 bytes per lane", "stride in elements",
                                         "wavefronts of L1 per request", floats, passes));
  report.series.push_back(counted_series("floats in a row", "offset in floats",
                                         "sectors per request", cases.by_offset, sectors));
}

/// GB/s of the bytes that a program wants.
double useful_gbps(const AccessPattern& pattern, double ns) {
  return kWarpLanes * pattern.place_bytes() / ns;
}

void add_timed_series(LabReport& report, const Cases& cases) {
  for (const Home home : kHomes) {
    for (const unsigned bytes : kWidths) {
      Series series = {.name = fmt::format("{}, {} bytes per lane", name_of(home), bytes),
                       .x_name = "stride in elements",
                       .x_unit = "",
                       .y_name = "useful bandwidth",
                       .y_unit = "GB/s",
                       .points = {}};
      for (const auto& [stride, found] : cases.by_width.at(bytes)) {
        std::vector<double> rates;
        for (const double ns : found.ns.at(home))
          rates.push_back(useful_gbps(found.pattern, ns));
        series.points.push_back({.x = static_cast<double>(stride), .samples = rates});
      }
      report.series.push_back(series);
    }
  }
}

/// A quantity that time may depend on.
struct Suspect {
  std::string key;
  std::string name;
  double (*value)(const CountedReads&);
};

// L1 looks up every request. Behind it a sector that two loads or two neighbouring warps share is
// fetched once, as long as it stays.
const std::array<Suspect, 6> kSuspects = {{
    {"requests", "requests", [](const CountedReads& c) { return c.per_warp(c.counts.requests); }},
    {"passes", "wavefronts of L1",
     [](const CountedReads& c) { return c.per_warp(c.counts.wavefronts); }},
    {"look_ups", "sectors looked up in L1",
     [](const CountedReads& c) { return c.per_warp(c.counts.sectors); }},
    {"own_sectors", "different sectors of a warp",
     [](const CountedReads& c) { return c.per_warp(c.distinct_sectors); }},
    {"sectors", "sectors that L1 fetches",
     [](const CountedReads& c) { return c.per_warp(c.l2_sectors); }},
    {"lines", "different lines of a warp",
     [](const CountedReads& c) { return c.per_warp(c.distinct_lines); }},
}};

/// A suspect, and how well a straight line over it explains the times.
struct Explanation {
  const Suspect* suspect;
  StraightLine line;
  std::size_t patterns;
};

/// The best explanation first.
std::vector<Explanation> explanations(Cases& cases, Home home) {
  std::vector<Explanation> explanations;
  for (const Suspect& suspect : kSuspects) {
    std::vector<double> x;
    std::vector<double> y;
    for (const Case* const found : cases.all()) {
      if (!found->ns.contains(home)) continue;
      x.push_back(suspect.value(found->counted));
      y.push_back(median_of(found->ns.at(home)));
    }
    explanations.push_back({&suspect, fit_line(x, y), x.size()});
  }
  std::ranges::stable_sort(explanations, std::greater(),
                           [](const Explanation& e) { return e.line.r_squared; });
  return explanations;
}

/// What takes the time, if one of the suspects explains it, and no other one nearly as well.
Finding best_explanation(Home home, const Explanation& best, const Explanation& second,
                         const std::string& others) {
  constexpr double kExplained = 0.9;
  const std::string key = fmt::format("{}_best_ns", name_of(home));
  const std::string fits = fmt::format("R² {:.4f}; the others: {}", best.line.r_squared, others);
  if (best.line.r_squared < kExplained)
    return not_found(key, fmt::format("Data in {}: what takes the time", name_of(home)), "ns",
                     fmt::format("Not even the {} explain it, {}", best.suspect->name, fits));
  if (!clearly_better(best.line, second.line, best.patterns))
    return not_found(key, fmt::format("Data in {}: what takes the time", name_of(home)), "ns",
                     fmt::format("The {} and the {} explain it about as well, {}",
                                 best.suspect->name, second.suspect->name, fits));
  return found(
      key, fmt::format("Data in {}: one more of the {} takes", name_of(home), best.suspect->name),
      best.line.slope, "ns", "Of the whole GPU. They explain the time best, " + fits);
}

void add_explanations(LabReport& report, Cases& cases) {
  for (const Home home : kHomes) {
    const std::vector<Explanation> found_for = explanations(cases, home);
    const Explanation& best = found_for.front();
    std::string others;
    for (const Explanation& other : found_for) {
      if (&other != &best)
        others += fmt::format("{}{} {:.3f}", others.empty() ? "" : ", ", other.suspect->name,
                              other.line.r_squared);
      if (other.suspect->key == "sectors" || other.suspect->key == "lines")
        report.findings.push_back(found(
            fmt::format("{}_{}_r2", name_of(home), other.suspect->key),
            fmt::format("R² of the time over {}, data in {}", other.suspect->name, name_of(home)),
            other.line.r_squared, "", "A straight line through all patterns"));
    }
    report.findings.push_back(best_explanation(home, best, found_for[1], others));
  }
}

double slow_down(const Case& slow, const Case& fast, Home home) {
  return median_of(slow.ns.at(home)) / median_of(fast.ns.at(home));
}

/// " On NVIDIA H200 it takes 8.1x the time in DRAM, ...", or nothing without a GPU.
std::string timed_text(const Case& slow, const Case& fast) {
  std::string text;
  for (const Home home : kHomes) {
    if (!slow.ns.contains(home)) continue;
    text += fmt::format("{} {:.3g}x in {}", text.empty() ? "; the time:" : ",",
                        slow_down(slow, fast, home), name_of(home));
  }
  return text;
}

/// The largest share by which the emulator's count and the sum done by hand differ.
void add_model_finding(LabReport& report, Cases& cases) {
  const std::vector<Case*> all = cases.all();
  const auto differing = std::ranges::count_if(all, [](const Case* found) {
    const CountedReads& counted = found->counted;
    return counted.counts.sectors != counted.model_sectors ||
           counted.counts.lines != counted.model_lines;
  });
  report.findings.push_back(
      found("patterns_that_differ", "Patterns where counter and formula differ",
            static_cast<double>(differing), "",
            fmt::format("Sectors and lines of {} patterns, counted by the emulator and computed "
                        "from the addresses",
                        all.size())));
}

void add_record_findings(LabReport& report, const Cases& cases) {
  const auto add = [&](const std::string& key, const std::string& name, const Case& row,
                       const std::string& how) {
    report.findings.push_back(
        found(key, name, row.counted.per_warp(row.counted.l2_sectors), "", how));
  };
  add("record_20_sectors", "32 records of 20 bytes in a row: sectors fetched", cases.record_20,
      "Five requests look up 100, and L1 has 80 of them");
  add("record_32_sectors", "32 records of 32 bytes in a row: sectors fetched", cases.record_32,
      "Two requests look up 64, and L1 has 32 of them");
  add("random_20_sectors", "32 random records of 20 bytes: sectors fetched", cases.random_20,
      fmt::format("The formula says {:.3g} for each record", sectors_of_a_record(20)));
  add("random_32_sectors", "32 random records of 32 bytes: sectors fetched", cases.random_32,
      fmt::format("The formula says {:.3g} for each record", sectors_of_a_record(32)));
  add("gather_sectors", "32 random floats: sectors fetched", cases.gather,
      "A whole sector for each float");
}

void add_stride_claims(LabReport& report, const Cases& cases) {
  const auto& floats = cases.by_width.at(kFloat);
  const Case& row = floats.at(1);
  const Case& column = floats.at(32);
  const auto sectors = [](const Case& c) {
    return per_request(c.counted, c.counted.counts.sectors);
  };
  const auto lines = [](const Case& c) { return per_request(c.counted, c.counted.counts.lines); };
  const auto passes = [](const Case& c) {
    return per_request(c.counted, c.counted.counts.wavefronts);
  };
  const double random_record = cases.random_32.counted.per_warp(cases.random_32.counted.l2_sectors);
  report.claims.push_back(
      {.row = "R010",
       .claimed = "A coalesced request of 128 bytes is 4 sectors, one of 32 bytes is 1",
       .verdict = sectors(row) == 4.0 && random_record <= kWarpLanes ? "holds" : "wrong",
       .because = fmt::format("{:.4g} sectors for 32 floats in a row; {:.4g} for 32 records of 32 "
                              "bytes at random places, never more than one each",
                              sectors(row), random_record)});
  report.claims.push_back(
      {.row = "R118",
       .claimed = "Memory always moves whole trays of 128 bytes",
       .verdict = sectors(column) == 4.0 * lines(column) ? "holds" : "wrong",
       .because = fmt::format("32 floats in {:.0f} lines take {:.0f} sectors of 32 bytes, {:.0f} "
                              "bytes, where whole lines would be {:.0f}",
                              lines(column), sectors(column), kSector * sectors(column),
                              128 * lines(column))});
  const Case& shifted = cases.by_offset.at(1);
  report.claims.push_back(
      {.row = "R119",
       .claimed = "32 floats in a row are one transaction",
       .verdict = lines(row) > 1.0       ? "wrong"
                  : lines(shifted) > 1.0 ? "condition"
                                         : "holds",
       .because =
           fmt::format("One request: {:.0f} line and {:.0f} sectors if the first float is at "
                       "a multiple of 128 bytes, {:.0f} lines and {:.0f} sectors if it is "
                       "one float later",
                       lines(row), sectors(row), lines(shifted), sectors(shifted))});
  report.claims.push_back(
      {.row = "R120",
       .claimed = "At a stride of 32 floats a request moves 4096 bytes, 32x as many",
       .verdict = sectors(column) == 32 * sectors(row) ? "holds" : "wrong",
       .because = fmt::format("It moves {:.0f} sectors, {:.0f} bytes: {:.3g}x. Lines, and passes "
                              "of L1, do grow {:.0f}x and {:.0f}x{}",
                              sectors(column), kSector * sectors(column),
                              sectors(column) / sectors(row), lines(column) / lines(row),
                              passes(column) / passes(row), timed_text(column, row))});
}

void add_width_claims(LabReport& report, const Cases& cases) {
  const auto& floats = cases.by_width.at(kFloat);
  const auto& vectors = cases.by_width.at(16);
  const CountedReads& narrow = floats.at(1).counted;
  const CountedReads& wide = vectors.at(1).counted;
  // Both read the same bytes.
  const double requests_of_same =
      4.0 * narrow.per_warp(narrow.counts.requests) / wide.per_warp(wide.counts.requests);
  const bool same_sectors =
      4 * per_request(narrow, narrow.counts.sectors) == per_request(wide, wide.counts.sectors);
  report.claims.push_back(
      {.row = "R122",
       .claimed = "float4 needs a quarter of the instructions",
       .verdict = requests_of_same == 4.0 && same_sectors ? "holds" : "wrong",
       .because = fmt::format("{:.0f} requests become 1, with the same {:.0f} sectors",
                              requests_of_same, per_request(wide, wide.counts.sectors))});
  report.claims.push_back(
      {.row = "R123",
       .claimed = "A warp that reads a float4 in each lane asks for 512 bytes, four lines",
       .verdict = per_request(wide, wide.counts.lines) == 4.0 ? "holds" : "wrong",
       .because =
           fmt::format("{:.0f} sectors in {:.0f} lines", per_request(wide, wide.counts.sectors),
                       per_request(wide, wide.counts.lines))});
  report.claims.push_back(
      {.row = "R123",
       .claimed = "A warp of float4 needs 32 load instructions instead of 128",
       .verdict = wide.per_warp(wide.counts.requests) == 32.0 ? "holds" : "wrong",
       .because = fmt::format("An instruction is issued once for a whole warp: {:.0f} instead of "
                              "{:.0f}",
                              wide.per_warp(wide.counts.requests), requests_of_same)});
  // Places 128 bytes apart, of one float and of four.
  const Case& far_float = floats.at(32);
  const Case& far_vector = vectors.at(8);
  const auto waste = [](const Case& c) {
    return per_request(c.counted, c.counted.counts.sectors) /
           per_request(c.counted, c.counted.counts.ideal_sectors);
  };
  report.claims.push_back(
      {.row = "R124",
       .claimed = "Coalescing and wide loads are two levers that stack, independent of each other",
       .verdict = waste(far_float) == waste(far_vector) ? "holds" : "condition",
       .because =
           fmt::format("In a row, width leaves the sectors alone. Places 128 bytes apart "
                       "take {:.3g}x the ideal sectors as floats and {:.3g}x as float4: "
                       "there width uses more of each sector, too{}",
                       waste(far_float), waste(far_vector), timed_text(far_vector, far_float))});
}

void add_record_claim(LabReport& report, const Cases& cases) {
  const auto fetched = [](const Case& c) { return c.counted.per_warp(c.counted.l2_sectors); };
  report.claims.push_back(
      {.row = "R036",
       .claimed = "Records of 20 bytes should be filled up to 32",
       .verdict = fetched(cases.random_32) < fetched(cases.random_20) &&
                          fetched(cases.record_20) < fetched(cases.record_32)
                      ? "condition"
                      : "wrong",
       .because =
           fmt::format("At random places yes: {:.3g} sectors instead of {:.3g} for 32 "
                       "records{}. In a row no: {:.3g} instead of {:.3g}{}",
                       fetched(cases.random_32), fetched(cases.random_20),
                       timed_text(cases.random_32, cases.random_20), fetched(cases.record_32),
                       fetched(cases.record_20), timed_text(cases.record_32, cases.record_20))});
}

/// Which matrix does a naive kernel walk through with a stride? The ladder's first rung knows.
void add_naive_claim(LabReport& report) {
  const auto machine = make_cpu_machine();
  const RungTrace trace = trace_rung(*machine, find_rung(traced_rungs(), "01"),
                                     Problem{.shape = {64, 64, 64}}, load_card("classroom"), {});
  std::map<std::string, double> sectors;
  for (const emulator::LineCounts& line : trace.kernel.lines) {
    if (line.operation == emulator::Operation::kGlobalLoad)
      sectors[line.array] =
          static_cast<double>(line.counts.sectors) / static_cast<double>(line.counts.requests);
  }
  report.claims.push_back(
      {.row = "R121",
       .claimed = "The naive kernel walks down a column of B with a stride",
       .verdict = sectors["B"] > sectors["A"] ? "holds" : "wrong",
       .because = fmt::format("The kernel whose neighbouring threads share a column reads A with a "
                              "stride: {:.0f} sectors for each load of A and {:.0f} of B, in rung "
                              "01 at 64",
                              sectors["A"], sectors["B"])});
}

}  // namespace

LabReport coalescing(Instruments* instruments, const LabOptions& options) {
  ReadInstrument* const timer = instruments == nullptr ? nullptr : instruments->reads();
  Cases cases = patterns(options.quick);
  run_all(cases, timer, options);
  LabReport report;
  add_counted_series(report, cases);
  add_model_finding(report, cases);
  add_record_findings(report, cases);
  if (timer != nullptr) {
    add_timed_series(report, cases);
    add_explanations(report, cases);
  }
  add_stride_claims(report, cases);
  add_width_claims(report, cases);
  add_record_claim(report, cases);
  add_naive_claim(report);
  report.notes.push_back(
      timer != nullptr
          ? "Counters are the emulator's, times the GPU's. Each place is read once in a pass: what "
            "a request leaves over of its sectors, nobody uses."
          : "Counted on the emulator. No GPU took part, so time was not measured.");
  return report;
}

}  // namespace ladder::labs
