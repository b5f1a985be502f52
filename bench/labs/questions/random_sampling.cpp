// SPDX-License-Identifier: MIT
/// \file  bench/labs/questions/random_sampling.cpp
/// \brief L13: random reads over more and more memory, and what a reader can do against TLB misses.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "bench/labs/analysis/kept_level.hpp"
#include "bench/labs/questions/curves.hpp"
#include "bench/labs/questions/labs.hpp"
#include "bench/labs/report_text.hpp"

namespace ladder::labs {
namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;

/// One way to read.
struct Way {
  std::string name;
  bool windows = false;     ///< each SM reads its own part of the region
  std::uint64_t scope = 0;  ///< bytes of parts that are visited one after the other; 0: one pass
};

std::vector<int> one_group_each(int sms) {
  std::vector<int> groups(static_cast<std::size_t>(sms));
  std::iota(groups.begin(), groups.end(), 0);
  return groups;
}

/// The ways of this run, one pass first.
std::vector<Way> ways_of(std::uint64_t most, const LabOptions& options) {
  std::vector<std::uint64_t> scopes = options.scopes;
  if (scopes.empty())
    scopes =
        options.paper ? std::vector{128 * kMiB, 2048 * kMiB} : std::vector{most / 16, most / 4};
  std::vector<Way> ways = {{.name = "one pass"}};
  for (const std::uint64_t scope : scopes)
    ways.push_back(
        {.name = fmt::format("passes over {}", with_unit(static_cast<double>(scope), "bytes")),
         .scope = scope});
  if (!options.paper)
    ways.push_back({.name = "one pass, each SM in its own part", .windows = true});
  return ways;
}

/// The same reads from regions of more and more bytes.
Series reads_over(Instruments& instruments, const Way& way, std::uint64_t reads,
                  const std::vector<std::uint64_t>& regions, const LabOptions& options,
                  std::vector<std::uint64_t>& sums) {
  Series series = {.name = way.name,
                   .x_name = "region",
                   .x_unit = "bytes",
                   .y_name = "reads",
                   .y_unit = "10^9/s",
                   .points = {}};
  for (std::size_t i = 0; i < regions.size(); ++i) {
    const std::uint64_t scope = way.scope == 0 ? regions[i] : way.scope;
    const auto scopes = static_cast<int>((regions[i] + scope - 1) / scope);
    if (way.scope != 0 && scopes < 2) continue;
    const RandomReadsResult result = instruments.random_reads().random_reads(
        {.region_bytes = regions[i],
         .reads = reads,
         .scopes = scopes,
         .scope_bytes = options.paper && way.scope != 0 ? way.scope : 0,
         .group_of_sm = way.windows ? one_group_each(instruments.facts().sms) : std::vector<int>(),
         .seed = options.seed,
         .draw = options.paper ? DrawnBy::lcg_of_thread : DrawnBy::counter},
        options.quick ? 3 : 5);
    Point point = {.x = static_cast<double>(regions[i]), .samples = {}};
    for (const double rate : result.reads_per_second)
      point.samples.push_back(rate * 1e-9);
    series.points.push_back(point);
    if (way.windows) continue;  // other reads: the sum is another one
    if (way.scope == 0)
      sums.push_back(result.sum);
    else if (result.sum != sums[i])
      throw std::logic_error(fmt::format("{} passes over {} add up to another sum than one", scopes,
                                         with_unit(static_cast<double>(regions[i]), "bytes")));
  }
  return series;
}

double rate_at(const Series& series, double x) {
  for (const Point& point : series.points)
    if (point.x == x) return median_of(point.samples);
  return 0.0;
}

void add_cures(LabReport& report) {
  const Series& plain = report.series.front();
  for (std::size_t i = 1; i < report.series.size(); ++i) {
    if (report.series[i].points.empty()) continue;
    const double x = report.series[i].points.back().x;
    const Estimate cured = safe_medians(report.series[i].points).back();
    report.findings.push_back(
        found(fmt::format("cure_{}", i), "The same in " + report.series[i].name, cured, "10^9/s",
              fmt::format("{:.2f}x as fast as one pass", cured.value / rate_at(plain, x))));
  }
}

/// What each scope gives over the largest region, where several were tried: the paper's figure 10
/// from its right end.
void add_best_scope(LabReport& report, const std::vector<Way>& ways) {
  const double x = report.series.front().points.back().x;
  Series series = {.name = "over all of the region, by scope",
                   .x_name = "scope",
                   .x_unit = "bytes",
                   .y_name = "reads",
                   .y_unit = "10^9/s",
                   .points = {}};
  for (std::size_t i = 0; i < ways.size(); ++i)
    if (const double rate = rate_at(report.series[i], x); ways[i].scope != 0 && rate != 0.0)
      series.points.push_back({.x = static_cast<double>(ways[i].scope), .samples = {rate}});
  if (series.points.size() < 3) return;
  std::ranges::sort(series.points, {}, &Point::x);
  const auto best = std::ranges::max_element(
      series.points, {}, [](const Point& point) { return point.samples.front(); });
  report.findings.push_back(
      found("best_scope", "Best scope over the largest region", best->x, "bytes",
            fmt::format("{:.2f} billion reads per second; {} scopes were tried",
                        best->samples.front(), series.points.size())));
  report.series.push_back(series);
}

}  // namespace

LabReport random_sampling(Instruments* instruments, const LabOptions& options) {
  const MemoryFacts& facts = instruments->facts();
  const std::uint64_t most = facts.free_bytes / 16 * 15 / kMiB * kMiB;
  const std::uint64_t first = std::max(4 * facts.l2_bytes, 64 * kMiB) / kMiB * kMiB;
  // With scopes of a given size, the last pass may have little to read: the curve falls there, and
  // rises until the next pass begins. Close regions show that.
  const double factor = options.paper ? 1.12 : options.quick ? 1.6 : 1.25;
  std::vector<std::uint64_t> regions = geometric(first, most, factor, kMiB);
  // TLBs may end just before the memory does.
  if (static_cast<double>(regions.back()) * std::sqrt(factor) < static_cast<double>(most))
    regions.push_back(most);
  else
    regions.back() = most;
  const std::uint64_t reads = std::uint64_t{1} << (options.quick ? 26 : 28);
  LabReport report;
  std::vector<std::uint64_t> sums;
  // The largest first: the region then stays where it is.
  instruments->random_reads().random_reads(
      {.region_bytes = regions.back(), .reads = 1 << 16, .seed = options.seed}, 1);
  const std::vector<Way> ways = ways_of(most, options);
  for (std::size_t i = 0; i < ways.size(); ++i) {
    report.series.push_back(reads_over(*instruments, ways[i], reads, regions, options, sums));
    options.on_progress(static_cast<double>(i + 1) / static_cast<double>(ways.size()));
  }
  const std::vector<Estimate> rates = safe_medians(report.series.front().points);
  const Estimate best = highest_of(rates);
  const Estimate last = rates.back();
  report.findings.push_back(found("best_reads", "Random reads, best region", best, "10^9/s",
                                  "Regions of four times L2 or more, one pass"));
  report.findings.push_back(
      found("largest_reads", "Random reads over almost all memory", last, "10^9/s",
            fmt::format("{}: {:.2f}x as fast as over the best region",
                        with_unit(static_cast<double>(regions.back()), "bytes"),
                        last.value / best.value)));
  add_cures(report);
  add_best_scope(report, ways);
  // A scope that is no smaller than any region leaves nothing to do in passes.
  std::erase_if(report.series, [](const Series& series) { return series.points.empty(); });
  report.claims.push_back(
      slower_beyond_tlbs("R150", "Random reads over more memory than the TLBs cover",
                         {.best = best, .last = last, .what = "region", .bytes = regions.back()}));
  report.notes.push_back(fmt::format(
      "Each read takes {} bytes of a sector of 32{}. All numbers of passes give the same sum of "
      "what was read.",
      options.paper ? 4 : 8,
      options.paper ? ", and each thread takes 1024 places from a generator of its own" : ""));
  return report;
}

}  // namespace ladder::labs
