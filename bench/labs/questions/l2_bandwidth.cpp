// SPDX-License-Identifier: MIT
/// \file  bench/labs/questions/l2_bandwidth.cpp
/// \brief L03: how fast L2 is, where it ends, and how it replaces lines. It runs the probe that a
///        post prints, and beside it the one that measures what the post says.
#include "bench/labs/questions/l2_bandwidth.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "bench/labs/analysis/kept_level.hpp"
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
  const int repeats = options.quick ? 3 : 7;
  Series series = {.name = probe.name,
                   .x_name = "working set",
                   .x_unit = "bytes",
                   .y_name = "bandwidth",
                   .y_unit = "GB/s",
                   .points = {}};
  double measured = 0;
  series.points = in_rounds(sizes, repeats, [&](std::uint64_t bytes, int now) {
    measured += now / static_cast<double>(sizes.size() * static_cast<std::size_t>(repeats));
    options.on_progress(done + share * measured);
    Sweep sweep = probe.sweep;
    sweep.bytes = bytes;
    return instruments.sweeps().gbps(sweep, now);
  });
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

/// \brief  The highest rate of some working sets.
/// \return 0 if none of them was measured
Estimate best_rate(const Series& series, double least_x, double most_x) {
  const std::vector<Estimate> medians = safe_medians(series.points);
  std::vector<Estimate> chosen;
  for (std::size_t i = 0; i < medians.size(); ++i)
    if (series.points[i].x >= least_x && series.points[i].x <= most_x) chosen.push_back(medians[i]);
  return chosen.empty() ? Estimate{} : highest_of(chosen);
}

/// The rates of L2 and of memory, in the same loop.
struct LoopRates {
  Estimate cache;
  Estimate memory;

  /// This share of the way from memory's rate to that of L2.
  Estimate between(double share) const {
    const auto at = [&](double c, double m) { return m + share * (c - m); };
    return {.value = at(cache.value, memory.value),
            .low = at(cache.low, memory.low),
            .high = at(cache.high, memory.high)};
  }
  bool differ() const { return cache.low >= 1.1 * memory.high; }
};

/// \brief  The rate of memory: of the largest working set, measured again. What throttles for a
///         while makes a rate lower, never higher.
Estimate memory_rate(Instruments& instruments, const Series& series, Sweep sweep) {
  Point largest = series.points.back();
  sweep.bytes = static_cast<std::uint64_t>(largest.x);
  const std::vector<double> again = instruments.sweeps().gbps(sweep, 9);
  largest.samples.insert(largest.samples.end(), again.begin(), again.end());
  return safe_medians(std::span(&largest, 1)).front();
}

/// Where the bandwidth of a sweep leaves that of L2, and where it is half way to that of memory.
/// \param  printed  the curve of the program that the claim comes with
void add_knee(LabReport& report, const Series& printed, const Series& sweep, const LoopRates& rates,
              double nominal) {
  const std::string name = "Where bandwidth falls";
  const std::optional<KeptLevel> most = kept_level(sweep.points, rates.between(0.9));
  const std::optional<KeptLevel> half = kept_level(sweep.points, rates.between(0.5));
  if (!most || !half || !most->kept || !most->lost || !half->lost) {
    report.findings.push_back(
        not_found("l2_knee_bytes", name, "bytes",
                  "It falls and rises again, or too little of it is certain"));
    return;
  }
  report.findings.push_back(
      found("l2_knee_bytes", name, Estimate{*most->kept, *most->kept, *half->lost}, "bytes",
            fmt::format("Largest working set with 90 % of the way from memory's rate to that of L2 "
                        "({:.0f} % of the L2 that the GPU reports); the interval ends half way",
                        100.0 * *most->kept / nominal)));
  ClaimCheck sharp =
      check_claim("R016", "Bandwidth drops sharply where the working set exceeds L2",
                  *half->lost <= 1.1 * nominal && *most->kept >= 0.9 * nominal,
                  fmt::format("It begins to fall at {:.0f} % of L2 and is half way at {:.0f} %",
                              100.0 * *most->kept / nominal, 100.0 * *half->lost / nominal));
  const RatesAround around = rates_around(printed, nominal);
  if (sharp.verdict == "wrong" && around.fall_sharply()) {
    sharp.verdict = "condition";
    sharp.because += fmt::format(
        " if blocks change places. If every thread reads its own elements again, it falls from "
        "{:.1f} TB/s, of L1 and L2 together, to {:.1f}",
        around.below / 1e3, around.above / 1e3);
  }
  report.claims.push_back(sharp);
}

/// The fit for the rates as they are, and for those at the ends of memory's interval.
std::optional<ReplacementFit> fit_of_rates(const Series& series, const LoopRates& rates) {
  std::optional<ReplacementFit> fit;
  for (const double memory : {rates.memory.value, rates.memory.low, rates.memory.high}) {
    const std::vector<Point> hits = hit_rates(series, rates.cache.value, memory);
    if (hits.size() < 5) return {};
    const ReplacementFit one = fit_replacement(hits);
    if (!fit) {
      fit = one;
      continue;
    }
    fit->capacity.low = std::min(fit->capacity.low, one.capacity.low);
    fit->capacity.high = std::max(fit->capacity.high, one.capacity.high);
    fit->decided = fit->decided && one.decided && one.best == fit->best;
    fit->explained = fit->explained && one.explained;
  }
  return fit;
}

/// Whether two orders of reading tell the same capacity. Each formula may be the wrong one for a
/// cache with another replacement, or with two sides that keep copies.
bool agree(const ReplacementFit& fit, const std::optional<ReplacementFit>& other) {
  return other && other->explained && other->decided && fit.capacity.low <= other->capacity.high &&
         other->capacity.low <= fit.capacity.high;
}

/// \brief  What the hit rates beyond L2 tell of its capacity.
/// \param  other  what another order tells
void add_capacity(LabReport& report, const std::string& key, const Series& series,
                  const std::optional<ReplacementFit>& fit,
                  const std::optional<ReplacementFit>& other) {
  const std::string name = "Capacity that the hit rates tell: " + series.name;
  if (!fit) {
    report.findings.push_back(
        not_found(key, name, "bytes", "Too few working sets are read at a rate in between"));
    return;
  }
  const std::string fits = fmt::format("like {} (error {:.3f}; {}: {:.3f})", name_of(fit->best),
                                       fit->best_error, name_of(fit->second), fit->second_error);
  if (!fit->explained)
    report.findings.push_back(not_found(
        key, name, "bytes", "No replacement explains how they fall, the best ones " + fits));
  else if (!fit->decided)
    report.findings.push_back(not_found(
        key, name, "bytes", "No replacement explains them clearly better than another: " + fits));
  else if (!agree(*fit, other))
    report.findings.push_back(
        not_found(key, name, "bytes",
                  fmt::format("They fall {}, as if it were {}, which no other order confirms", fits,
                              with_unit(fit->capacity.value, "bytes"))));
  else
    report.findings.push_back(
        found(key, name, fit->capacity, "bytes",
              "They fall with the working set " + fits +
                  ". Two sides that keep copies of each other's lines hold no more than one of "
                  "them: compare with half of L2"));
}

}  // namespace

RatesAround rates_around(const Series& curve, double size) {
  std::vector<double> below;
  std::vector<double> above;
  for (const Point& point : curve.points) {
    if (point.x >= 0.8 * size && point.x <= 0.95 * size) below.push_back(median_of(point.samples));
    if (point.x >= 1.1 * size && point.x <= 1.25 * size) above.push_back(median_of(point.samples));
  }
  if (below.empty() || above.empty()) return {};
  return {.below = median_of(below), .above = median_of(above)};
}

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

  const LoopRates rates = {.cache = best_rate(sweep, nominal / 8, nominal / 2),
                           .memory = memory_rate(*instruments, sweep, probes[1].sweep)};
  const double cache = rates.cache.value;
  const double memory = rates.memory.value;
  const std::string same = "All working sets are read at the rate of memory";
  report.findings.push_back(
      rates.differ()
          ? found("l2_read_gbps", "L2, read by all SMs", rates.cache, "GB/s",
                  "Best working set between an eighth and a half of the L2 that the GPU reports")
          : not_found("l2_read_gbps", "L2, read by all SMs", "GB/s", same));
  report.findings.push_back(
      found("memory_gbps", "The largest working set, in the same loop", rates.memory, "GB/s",
            fmt::format("{}, of which L2 still answers a part; memory alone is lab L07",
                        with_unit(sweep.points.back().x, "bytes"))));
  const Estimate best_printed = best_rate(printed, 0, nominal / 8);
  const double small = best_printed.value;
  report.findings.push_back(found(
      "printed_gbps", "What the printed probe calls L2", best_printed, "GB/s",
      rates.differ()
          ? fmt::format("{:.1f}x of what L2 gives{}", small / cache,
                        small > 1.1 * cache ? ": its small working sets are read from L1" : "")
          : "No L2 shows beside it"));
  if (!rates.differ()) {
    report.findings.push_back(not_found("l2_knee_bytes", "Where bandwidth falls", "bytes", same));
    return report;
  }
  add_knee(report, printed, sweep, rates, nominal);
  const std::optional<ReplacementFit> of_random = fit_of_rates(
      random, {.cache = best_rate(random, nominal / 8, nominal / 2), .memory = rates.memory});
  add_capacity(report, "cyclic_capacity_bytes", sweep, fit_of_rates(sweep, rates), of_random);
  add_capacity(report, "random_capacity_bytes", random, of_random, of_random);
  report.claims.push_back(
      check_claim("R002", "L2 delivers 12 TB/s, three to four times what memory does",
                  cache >= 11500.0 && cache / memory >= 3.0,
                  fmt::format("{:.1f} TB/s, {:.1f}x of the largest working set in the same loop",
                              cache / 1e3, cache / memory)));
  report.claims.push_back(check_claim(
      "R028", "The printed probe, with working sets below L2, measures L2", small <= 1.1 * cache,
      fmt::format("It shows {:.1f} TB/s where L2 gives {:.1f}{}", small / 1e3, cache / 1e3,
                  small > 1.1 * cache ? ": each SM reads its part again from L1" : "")));
  return report;
}

}  // namespace ladder::labs
