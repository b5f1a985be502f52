// SPDX-License-Identifier: MIT
/// \file  bench/labs/questions/l2_bandwidth.cpp
/// \brief L03: how fast L2 is, where it ends, and how it replaces lines. It runs the probe that a
///        post prints, and beside it the one that measures what the post says.
#include <fmt/format.h>

#include <algorithm>

#include "bench/labs/analysis/replacement.hpp"
#include "bench/labs/questions/curves.hpp"
#include "bench/labs/questions/labs.hpp"
#include "bench/labs/report_text.hpp"

namespace ladder::labs {
namespace {

/// Working sets: from an eighth of a small L2, or 1 MiB, in steps of a quarter of that, and dense
/// around the L2 that the GPU reports.
std::vector<std::uint64_t> working_sets(const MemoryFacts& facts, bool quick) {
  constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;
  constexpr std::uint64_t kPage = 4096;
  const std::uint64_t least = std::min(kMiB, facts.l2_bytes / 8);
  const std::uint64_t unit = std::max(least / 4 / kPage * kPage, kPage);
  const std::uint64_t most = std::min(5 * facts.l2_bytes, facts.free_bytes / 2);
  std::vector<std::uint64_t> sizes = geometric(least, most, quick ? 1.5 : 1.25, unit);
  const std::uint64_t dense = std::max(facts.l2_bytes / (quick ? 16 : 48), unit);
  for (std::uint64_t bytes = facts.l2_bytes / 3; bytes < 2 * facts.l2_bytes; bytes += dense)
    sizes.push_back(bytes / unit * unit);
  std::ranges::sort(sizes);
  const auto [first, last] = std::ranges::unique(sizes);
  sizes.erase(first, last);
  return sizes;
}

struct Probe {
  std::string name;
  Sweep sweep;
};

Series measure(Instruments& instruments, const Probe& probe, const LabOptions& options, double done,
               double share) {
  const std::vector<std::uint64_t> sizes = working_sets(instruments.facts(), options.quick);
  Series series = {.name = probe.name,
                   .x_name = "working set",
                   .x_unit = "bytes",
                   .y_name = "bandwidth",
                   .y_unit = "GB/s",
                   .points = {}};
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    options.on_progress(done + share * static_cast<double>(i) / static_cast<double>(sizes.size()));
    Sweep sweep = probe.sweep;
    sweep.bytes = sizes[i];
    series.points.push_back({.x = static_cast<double>(sizes[i]),
                             .samples = instruments.sweeps().gbps(sweep, options.quick ? 3 : 7)});
  }
  return series;
}

/// \brief  What the bandwidth beyond L2 says of hits, if hits and misses overlap.
/// \return only points at which memory is the bottleneck: where L2 itself is, hits do not show
std::vector<Point> hit_rates(const Series& series, double cache, double memory) {
  constexpr double kBottleneck = 0.9;
  std::vector<Point> rates;
  for (const Point& point : series.points) {
    const double rate = median_of(point.samples);
    if (rate < kBottleneck * cache)
      rates.push_back({.x = point.x, .samples = {overlapped_hit_rate(rate, cache, memory)}});
  }
  return rates;
}

/// The largest working set that is read at this share of the way from memory's rate to that of L2.
std::optional<double> largest_at(const Series& series, double share, double cache, double memory) {
  std::optional<double> largest;
  for (const Point& point : series.points)
    if (median_of(point.samples) >= memory + share * (cache - memory)) largest = point.x;
  return largest;
}

double best_rate(const Series& series, double least_x, double most_x) {
  double best = 0.0;
  for (const Point& point : series.points)
    if (point.x >= least_x && point.x <= most_x) best = std::max(best, median_of(point.samples));
  return best;
}

}  // namespace

LabReport l2_bandwidth(Instruments* instruments, const LabOptions& options) {
  const MemoryFacts& facts = instruments->facts();
  const auto nominal = static_cast<double>(facts.l2_bytes);
  const std::vector<Probe> probes = {
      // 65,536 threads and default loads, as the post prints it: two blocks for three SMs would
      // be 200, so one block on each SM comes closest.
      {"as printed: ld.ca, every thread reads its own elements again",
       {.order = SweepOrder::same_threads, .access = Access::cached, .blocks_per_sm = 1}},
      {"ld.cg, blocks change places", {.order = SweepOrder::rotated_blocks}},
      {"ld.cg, random pieces of 512 bytes", {.order = SweepOrder::random_lines}},
  };
  LabReport report;
  for (std::size_t i = 0; i < probes.size(); ++i)
    report.series.push_back(measure(*instruments, probes[i], options,
                                    static_cast<double>(i) / probes.size(), 1.0 / probes.size()));
  const Series& printed = report.series[0];
  const Series& sweep = report.series[1];
  const Series& random = report.series[2];

  const double cache = best_rate(sweep, nominal / 8, nominal / 2);
  const double memory = median_of(sweep.points.back().samples);
  report.findings.push_back(found("l2_read_gbps", "L2, read by all SMs", cache, "GB/s",
                                  "Best working set between an eighth and a half of the L2 that "
                                  "the GPU reports"));
  report.findings.push_back(
      found("memory_gbps", "Memory, in the same loop", memory, "GB/s",
            fmt::format("Working set of {}", with_unit(sweep.points.back().x, "bytes"))));
  const double small = best_rate(printed, 0, nominal / 8);
  report.findings.push_back(
      found("printed_gbps", "What the printed probe calls L2", small, "GB/s",
            fmt::format("{:.1f}x of what L2 gives{}", small / cache,
                        small > 1.1 * cache ? ": its small working sets are read from L1" : "")));
  if (cache < 1.1 * memory) {
    report.findings.push_back(not_found("l2_knee_bytes", "Where bandwidth falls", "bytes",
                                        "All working sets are read at the rate of memory"));
    return report;
  }
  const std::optional<double> falls = largest_at(sweep, 0.9, cache, memory);
  const std::optional<double> half = largest_at(sweep, 0.5, cache, memory);
  report.findings.push_back(
      found("l2_knee_bytes", "Where bandwidth falls", Estimate{*falls, *falls, *half}, "bytes",
            fmt::format("Largest working set with 90 % of the way from memory's rate to that of L2 "
                        "({:.0f} % of the L2 that the GPU reports); the interval ends half way",
                        100.0 * *falls / nominal)));
  for (const Series* const series : {&sweep, &random}) {
    const std::vector<Point> rates =
        hit_rates(*series, best_rate(*series, nominal / 8, nominal / 2), memory);
    const std::string key = series == &sweep ? "cyclic" : "random";
    if (rates.size() < 5) continue;
    const ReplacementFit fit = fit_replacement(rates);
    const std::string name = "Capacity that the hit rates tell: " + series->name;
    const std::string fits = fmt::format("like {} (error {:.3f}; {}: {:.3f})", name_of(fit.best),
                                         fit.best_error, name_of(fit.second), fit.second_error);
    report.findings.push_back(
        fit.decided
            ? found(key + "_capacity_bytes", name, fit.capacity, "bytes",
                    "They fall with the working set " + fits)
            : not_found(key + "_capacity_bytes", name, "bytes",
                        "No replacement explains them clearly better than another: " + fits));
  }
  report.claims.push_back(check_claim(
      "R002", "L2 delivers 12 TB/s, three to four times what memory does",
      cache >= 11500.0 && cache / memory >= 3.0,
      fmt::format("{:.1f} TB/s, {:.1f}x of memory in the same loop", cache / 1e3, cache / memory)));
  report.claims.push_back(check_claim(
      "R028", "The printed probe, with working sets below L2, measures L2", small <= 1.1 * cache,
      fmt::format("It shows {:.1f} TB/s where L2 gives {:.1f}{}", small / 1e3, cache / 1e3,
                  small > 1.1 * cache ? ": each SM reads its part again from L1" : "")));
  report.claims.push_back(
      check_claim("R016", "Bandwidth drops sharply where the working set exceeds L2",
                  *half <= 1.1 * nominal && *falls >= 0.9 * nominal,
                  fmt::format("It begins to fall at {:.0f} % of L2 and is half way at {:.0f} %",
                              100.0 * *falls / nominal, 100.0 * *half / nominal)));
  return report;
}

}  // namespace ladder::labs
