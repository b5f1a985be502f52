// SPDX-License-Identifier: MIT
/// \file  bench/labs/questions/set_aside.cpp
/// \brief L04: what of a hot array survives a stream, with and without a part of L2 set aside.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bench/labs/analysis/kept_level.hpp"
#include "bench/labs/questions/curves.hpp"
#include "bench/labs/questions/labs.hpp"
#include "bench/labs/report_text.hpp"

namespace ladder::labs {
namespace {

Series survivors_over(SurvivalInstrument& instrument, const std::string& name,
                      const std::vector<std::uint64_t>& hot_sizes, const Survival& base,
                      std::uint64_t limit, double hit_ratio, const MemoryFacts& facts,
                      int repeats) {
  Series series = {.name = name,
                   .x_name = "hot array",
                   .x_unit = "bytes",
                   .y_name = "lines that survive",
                   .y_unit = "%",
                   .points = {}};
  for (const std::uint64_t hot : hot_sizes) {
    Survival survival = base;
    survival.hot_bytes = hot;
    if (limit > 0) {
      survival.set_aside = SetAside{.limit_bytes = limit,
                                    .window_bytes = std::min(hot, facts.largest_window_bytes),
                                    .hit_ratio = hit_ratio};
    }
    Point point = {.x = static_cast<double>(hot), .samples = {}};
    for (const double share : instrument.survivors(survival, repeats))
      point.samples.push_back(100.0 * share);
    series.points.push_back(point);
  }
  return series;
}

/// \brief  The largest hot array of which 90 % survive; the interval ends with the first one of
///         which they do not.
Finding protected_bytes(const std::string& key, const std::string& way, const Series& series) {
  constexpr double kMost = 90.0;
  const std::string name = "Largest hot array that survives, " + way;
  const std::optional<KeptLevel> kept = kept_level(series.points, {kMost, kMost, kMost});
  const auto none = [&](const std::string& why) { return not_found(key, name, "bytes", why); };
  if (!kept) return none("Of larger arrays, less than 90 % survive here and more there");
  if (!kept->kept) {
    const std::string smallest = with_unit(series.points.front().x, "bytes");
    return none(kept->lost == series.points.front().x
                    ? fmt::format("Of no hot array, from {} on, do 90 % survive", smallest)
                    : fmt::format("Of no hot array, from {} on, do 90 % surely survive", smallest));
  }
  if (!kept->lost)
    return none(
        fmt::format("Of {}, 90 % are still there, and of no larger one is it certain that "
                    "they are not",
                    with_unit(*kept->kept, "bytes")));
  return found(key, name, Estimate{*kept->kept, *kept->kept, *kept->lost}, "bytes",
               "90 % of its lines are still there after a stream of twice L2; the interval ends "
               "with the first array of which they are not");
}

}  // namespace

LabReport set_aside(Instruments* instruments, const LabOptions& options) {
  LabReport report;
  SurvivalInstrument* const survival = instruments->survival();
  const MemoryFacts& facts = instruments->facts();
  if (survival == nullptr) {
    report.notes.push_back(
        "This memory system cannot set L2 aside: this lab needs a GPU of compute capability 8.0 or "
        "newer.");
    return report;
  }
  report.findings.push_back(found("most_set_aside_bytes", "L2 that can be set aside",
                                  static_cast<double>(facts.most_persisting_bytes), "bytes",
                                  "cudaDevAttrMaxPersistingL2CacheSize"));
  if (facts.most_persisting_bytes == 0) return report;
  const int repeats = options.quick ? 3 : 7;
  const std::vector<std::uint64_t> sizes =
      geometric(facts.l2_bytes / 30, facts.l2_bytes, options.quick ? 1.6 : 1.2,
                whole_lines(facts.l2_bytes / 240));
  const Survival base = {.stream_bytes = whole_lines(2 * facts.l2_bytes),
                         .sampled_lines = options.quick ? 1024 : 4096,
                         .seed = options.seed};
  struct Way {
    std::string key;
    std::string name;
    double share;  ///< of what can be set aside
    double hit_ratio;
  };
  const std::vector<Way> ways = {
      {"nothing", "nothing set aside", 0.0, 1.0},
      {"all", "all set aside, the whole array marked", 1.0, 1.0},
      {"half", "half of it set aside, the whole array marked", 0.5, 1.0},
      {"half_marked", "all set aside, half of the array marked", 1.0, 0.5},
  };
  for (std::size_t i = 0; i < ways.size(); ++i) {
    options.on_progress(static_cast<double>(i) / static_cast<double>(ways.size()));
    const auto limit = static_cast<std::uint64_t>(static_cast<double>(facts.most_persisting_bytes) *
                                                  ways[i].share);
    report.series.push_back(survivors_over(*survival, ways[i].name, sizes, base, limit,
                                           ways[i].hit_ratio, facts, repeats));
    report.findings.push_back(
        protected_bytes(ways[i].key + "_protected_bytes", ways[i].name, report.series.back()));
  }
  const auto nominal = static_cast<double>(facts.l2_bytes);
  const auto most = static_cast<double>(facts.most_persisting_bytes);
  report.claims.push_back(check_claim(
      "R027", "All of L2 can be set aside", most >= 0.95 * nominal,
      fmt::format("{:.0f} % of it: {}", 100.0 * most / nominal, with_unit(most, "bytes"))));
  const double marked = median_over(report.series[3].points, 0, report.series[3].points.size() / 2);
  report.claims.push_back(check_claim("R026", "A hitRatio of 0.5 protects half of the window",
                                      std::abs(marked - 50.0) <= 5.0,
                                      fmt::format("{:.0f} % of the lines survive", marked)));
  report.notes.push_back("The limit and the windows of this process are reset after each repeat.");
  return report;
}

}  // namespace ladder::labs
