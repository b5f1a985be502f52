// SPDX-License-Identifier: MIT
/// \file  bench/labs/questions/cache_operators.cpp
/// \brief L05: what the operators of loads do, in L1 and in L2: a truth table.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "bench/labs/questions/curves.hpp"
#include "bench/labs/questions/labs.hpp"

namespace ladder::labs {
namespace {

/// Median of second laps: single ones may be disturbed.
double second_lap(SurvivalInstrument& survival, Hint hint) {
  constexpr int kLaps = 9;
  std::vector<double> cycles;
  cycles.reserve(kLaps);
  for (int lap = 0; lap < kLaps; ++lap)
    cycles.push_back(survival.second_lap_cycles(hint));
  return median_of(cycles);
}

/// \brief  Cycles between a hit in L1 and one in L2. ld.cg passes L1 by.
/// \return nothing where no second load is clearly shorter than that of ld.cg
std::optional<double> between_l1_and_l2(const std::map<Hint, double>& again) {
  constexpr double kClearly = 0.7;
  const double shortest =
      std::ranges::min_element(again, {}, [](const auto& entry) { return entry.second; })->second;
  const double past_l1 = again.at(Hint::cg);
  if (shortest > kClearly * past_l1) return {};
  return (shortest + past_l1) / 2;
}

/// Which operators let L1 keep a line.
void add_l1(LabReport& report, const std::vector<Hint>& hints,
            const std::map<Hint, double>& again) {
  const std::optional<double> between = between_l1_and_l2(again);
  for (std::size_t i = 0; i < hints.size(); ++i) {
    const std::string key = fmt::format("operator_{}_in_l1", i);
    const std::string name = fmt::format("L1 keeps what {} loads", name_of(hints[i]));
    const double cycles = again.at(hints[i]);
    report.findings.push_back(
        between ? found(key, name, cycles < *between ? 1.0 : 0.0, "",
                        fmt::format("{}: a second load takes {:.0f} cycles, and {:.0f} by ld.cg",
                                    cycles < *between ? "Yes" : "No", cycles, again.at(Hint::cg)))
                : not_found(key, name, "",
                            fmt::format("With no operator is a second load much shorter than "
                                        "with ld.cg, {:.0f} cycles",
                                        again.at(Hint::cg))));
  }
}

}  // namespace

LabReport cache_operators(Instruments* instruments, const LabOptions& options) {
  LabReport report;
  SurvivalInstrument* const survival = instruments->survival();
  if (survival == nullptr) {
    report.notes.push_back(
        "This memory system knows no operators of loads: this lab needs a GPU of compute "
        "capability 8.0 or newer.");
    return report;
  }
  const MemoryFacts& facts = instruments->facts();
  const std::vector<Hint> hints = all_hints();
  const int repeats = options.quick ? 3 : 9;
  Survival base = {.hot_bytes = whole_lines(facts.l2_bytes / 4),
                   .stream_bytes = whole_lines(2 * facts.l2_bytes),
                   .sampled_lines = options.quick ? 1024 : 4096,
                   .seed = options.seed};
  std::map<Hint, double> again;  // cycles of a second load
  std::map<Hint, double> stays;  // % of the hot lines that survive a stream of it
  for (std::size_t i = 0; i < hints.size(); ++i) {
    options.on_progress(static_cast<double>(i) / static_cast<double>(hints.size()));
    const std::string key = fmt::format("operator_{}", i);
    again[hints[i]] = second_lap(*survival, hints[i]);
    report.findings.push_back(found(key + "_second_cycles", name_of(hints[i]) + ", read again",
                                    again[hints[i]], "cycles",
                                    "A walk over some KiB, in its second lap"));
    Survival as_stream = base;
    as_stream.stream_hint = hints[i];
    stays[hints[i]] = 100.0 * median_of(survival->survivors(as_stream, repeats));
    report.findings.push_back(found(
        key + "_stream_survivors",
        fmt::format("Hot lines that survive a stream of {}", name_of(hints[i])), stays[hints[i]],
        "%", "A quarter of L2 is hot and was read by ld.ca; the stream is twice L2"));
    Survival as_hot = base;
    as_hot.hot_hint = hints[i];
    report.findings.push_back(
        found(key + "_hot_survivors",
              fmt::format("Lines read by {} that survive a stream of ld.ca", name_of(hints[i])),
              100.0 * median_of(survival->survivors(as_hot, repeats)), "%",
              "A quarter of L2 is hot; the stream is twice L2"));
  }
  add_l1(report, hints, again);
  const std::optional<double> between = between_l1_and_l2(again);
  constexpr double kMost = 90.0;
  report.claims.push_back(check_claim(
      "R037", "A stream by ld.cg does not pollute L2", stays[Hint::cg] >= kMost,
      fmt::format("{:.0f} % of the hot lines survive it; ld.cg is about L1", stays[Hint::cg])));
  report.claims.push_back(check_claim(
      "R038", "ld.cs does not use L1",
      between && again[Hint::cs] > *between && again[Hint::ca] < *between,
      fmt::format("A second load takes {:.0f} cycles, as with ld.ca ({:.0f}); in L2, {:.0f} % of "
                  "the hot lines survive a stream of it",
                  again[Hint::cs], again[Hint::ca], stays[Hint::cs])));
  report.claims.push_back(
      check_claim("R014", "L2 detects a sequential stream and does not let it push out hot lines",
                  stays[Hint::ca] >= kMost,
                  fmt::format("{:.0f} % of the hot lines survive a sequential stream of ld.ca",
                              stays[Hint::ca])));
  report.notes.push_back(
      "The clock tells hits from misses, line by line: no counters are needed, and no guess from "
      "bandwidth. Each load is timed alone, so its cycles include reading the clock: more than in "
      "lab L01.");
  return report;
}

}  // namespace ladder::labs
