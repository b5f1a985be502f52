// SPDX-License-Identifier: MIT
/// \file  bench/labs/questions/cache_operators.cpp
/// \brief L05: what the operators of loads do, in L1 and in L2: a truth table.
#include <fmt/format.h>

#include <map>

#include "bench/labs/questions/curves.hpp"
#include "bench/labs/questions/labs.hpp"

namespace ladder::labs {
namespace {

/// Between a hit in L1 and one in L2, in cycles.
constexpr double kBetweenL1AndL2 = 120.0;

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
  Survival base = {.hot_bytes = facts.l2_bytes / 4,
                   .stream_bytes = 2 * facts.l2_bytes,
                   .sampled_lines = options.quick ? 1024 : 4096,
                   .seed = options.seed};
  std::map<Hint, double> again;  // cycles of a second load
  std::map<Hint, double> stays;  // % of the hot lines that survive a stream of it
  for (std::size_t i = 0; i < hints.size(); ++i) {
    options.on_progress(static_cast<double>(i) / static_cast<double>(hints.size()));
    const std::string key = fmt::format("operator_{}", i);
    const double second = survival->second_lap_cycles(hints[i]);
    again[hints[i]] = second;
    report.findings.push_back(
        found(key + "_second_cycles", name_of(hints[i]) + ", read again", second, "cycles",
              second < kBetweenL1AndL2 ? "L1 kept the line" : "L1 did not keep the line"));
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
  constexpr double kMost = 90.0;
  report.claims.push_back(check_claim(
      "R037", "A stream by ld.cg does not pollute L2", stays[Hint::cg] >= kMost,
      fmt::format("{:.0f} % of the hot lines survive it; ld.cg is about L1", stays[Hint::cg])));
  report.claims.push_back(check_claim(
      "R038", "ld.cs does not use L1",
      again[Hint::cs] > kBetweenL1AndL2 && again[Hint::ca] < kBetweenL1AndL2,
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
      "bandwidth.");
  return report;
}

}  // namespace ladder::labs
