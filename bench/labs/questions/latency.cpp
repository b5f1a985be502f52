// SPDX-License-Identifier: MIT
/// \file  bench/labs/questions/latency.cpp
/// \brief L01: the staircase of latencies that every rung climbs.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bench/labs/analysis/kept_level.hpp"
#include "bench/labs/questions/curves.hpp"
#include "bench/labs/questions/labs.hpp"

namespace ladder::labs {
namespace {

constexpr std::uint64_t kLine = 128;
constexpr std::uint64_t kSmallest = 1024;

Series staircase(Instruments& instruments, const LabOptions& options, Access access,
                 const std::string& name, double done_before) {
  const MemoryFacts& facts = instruments.facts();
  // L1 ends far below L2, and a lap through memory takes seconds.
  const std::uint64_t wanted = access == Access::cached ? facts.l2_bytes / 2 : 8 * facts.l2_bytes;
  const std::uint64_t most = std::min(wanted, facts.free_bytes / 2);
  const std::vector<std::uint64_t> sizes =
      geometric(kSmallest, most, options.quick ? 1.19 : 1.06, kLine);
  Series series = {.name = name,
                   .x_name = "footprint",
                   .x_unit = "bytes",
                   .y_name = "latency",
                   .y_unit = "cycles",
                   .points = {}};
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    options.on_progress(done_before + 0.5 * static_cast<double>(i) / sizes.size());
    const Walk walk = {
        .places = sizes[i] / kLine, .stride_bytes = kLine, .access = access, .seed = options.seed};
    series.points.push_back({.x = static_cast<double>(sizes[i]),
                             .samples = instruments.walks().cycles(walk, options.quick ? 3 : 7)});
  }
  return series;
}

/// \brief  The latency of a plateau.
/// \param  from, to  its footprints
Finding level(const std::string& key, const std::string& name, double cycles, const Series& series,
              double from, double to) {
  const std::vector<Estimate> medians = safe_medians(series.points);
  std::vector<double> low = {cycles};
  std::vector<double> high = {cycles};
  for (std::size_t i = 0; i < medians.size(); ++i) {
    if (series.points[i].x < from || series.points[i].x > to) continue;
    low.push_back(medians[i].low);
    high.push_back(medians[i].high);
  }
  return found(
      key, name,
      Estimate{cycles, std::min(cycles, median_of(low)), std::max(cycles, median_of(high))},
      "cycles", "Median of a plateau of " + series.name);
}

}  // namespace

LabReport latency(Instruments* instruments, const LabOptions& options) {
  LabReport report;
  report.series.push_back(staircase(*instruments, options, Access::cached, "ld.ca", 0.0));
  report.series.push_back(staircase(*instruments, options, Access::l2_only, "ld.cg", 0.5));
  const Series& cached = report.series[0];
  const Series& past_l1 = report.series[1];
  const MemoryFacts& facts = instruments->facts();

  const std::vector<Knee> l1 = find_knees(cached.points);
  if (!l1.empty() && l1.front().onset <= 2.0 * static_cast<double>(facts.l1_bytes)) {
    report.findings.push_back(
        level("l1_cycles", "L1 latency", l1.front().before, cached, 0, l1.front().least));
    report.findings.push_back(capacity("l1_bytes", "L1 capacity", l1.front(), "cycles"));
  } else {
    report.findings.push_back(
        not_found("l1_bytes", "L1 capacity", "bytes", "ld.ca does not rise where L1 could end"));
  }
  const std::vector<Knee> l2 = find_knees(past_l1.points);
  if (l2.empty()) {
    report.findings.push_back(
        not_found("l2_bytes", "L2 capacity", "bytes", "ld.cg has the same latency everywhere"));
    return report;
  }
  report.findings.push_back(
      level("l2_cycles", "L2 latency", l2.front().before, past_l1, 0, l2.front().least));
  report.findings.push_back(
      capacity("l2_first_bytes", "What one SM reaches at that latency", l2.front(), "cycles"));
  for (std::size_t i = 1; i < l2.size(); ++i) {
    report.findings.push_back(level(fmt::format("plateau_{}_cycles", i + 1),
                                    fmt::format("Latency of step {} of L2", i + 1), l2[i].before,
                                    past_l1, l2[i - 1].saturated, l2[i].least));
    report.findings.push_back(capacity(fmt::format("plateau_{}_bytes", i + 1),
                                       fmt::format("Where step {} ends", i + 1), l2[i], "cycles"));
  }
  report.findings.push_back(level("dram_cycles", "Latency of memory", l2.back().after, past_l1,
                                  l2.back().saturated, past_l1.points.back().x));
  const double near = l2.front().before;
  const double memory = l2.back().after;
  constexpr double kClose = 0.1;  // a tenth: the claims have one or two digits
  report.claims.push_back(check_claim(
      "R008", "L2 answers in about 200 cycles, on every generation",
      std::abs(near - 200.0) <= kClose * 200.0,
      fmt::format("{:.0f} cycles here, as long as one SM finds its data on its own side", near)));
  report.claims.push_back(check_claim("R106", "Global memory takes about 500 cycles",
                                      std::abs(memory - 500.0) <= kClose * 500.0,
                                      fmt::format("{:.0f} cycles here", memory)));
  report.notes.push_back(fmt::format(
      "One thread, one load at a time, one line of 128 bytes for each place, in random order. "
      "Cycles are those of the SM at up to {:.0f} MHz. Footprints beyond the reach of the first "
      "TLB (lab L11) include its misses.",
      facts.sm_clock_mhz));
  return report;
}

}  // namespace ladder::labs
