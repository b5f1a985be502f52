// SPDX-License-Identifier: MIT
/// \file  bench/labs/questions/tlb_neighbours.cpp
/// \brief L11: what else a miss in a TLB brings: pairs of loads, of which the first one misses.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bench/labs/questions/curves.hpp"
#include "bench/labs/questions/tlb_curves.hpp"
#include "bench/labs/report_text.hpp"

namespace ladder::labs {
namespace {

constexpr std::uint64_t kUnits = 16;  ///< of an entry's memory: the paper's small pages
constexpr std::uint64_t kMostUnits = 18;

/// Pairs so far apart that each one has an entry of its own, and so many that all first loads miss.
struct Pairs {
  std::uint64_t count = 0;
  std::uint64_t page_bytes = 0;
};

/// \return no pairs: more are needed than there is memory, or L2 to keep their lines
Pairs pairs_for(const TlbSearch& search, std::size_t index, const MemoryFacts& facts) {
  constexpr std::uint64_t kLine = 128;
  constexpr std::uint64_t kMost = 2048;
  const TlbLevel& level = search.levels[index];
  Pairs pairs = {.page_bytes = *level.page_bytes};
  const std::uint64_t stride = 2 * pairs.page_bytes;
  std::uint64_t most =
      std::min({kMost, facts.l2_bytes / 4 / kLine / 2, (facts.free_bytes / 16 * 15) / stride - 1});
  if (index + 1 < search.levels.size()) {
    // The next level has to hold both entries of each pair.
    const TlbLevel& next = search.levels[index + 1];
    const auto page = static_cast<double>(next.page_bytes.value_or(stride));
    const double held = next.reach_bytes.low / std::max(page, static_cast<double>(stride));
    most = std::min(most, static_cast<std::uint64_t>(0.8 * (page < static_cast<double>(stride)
                                                                ? next.reach_bytes.low / page / 2
                                                                : held)));
  }
  if (static_cast<double>(most) < 1.2 * level.entries->high) return pairs;
  pairs.count = most;
  return pairs;
}

/// Cycles per load over the distance between the two loads of a pair.
Series cycles_by_distance(WalkInstrument& walks, const Pairs& pairs, std::uint64_t begin,
                          const std::string& name, int seeds) {
  const std::uint64_t unit = pairs.page_bytes / kUnits;
  Series series = {.name = name,
                   .x_name = "distance within a pair",
                   .x_unit = "bytes",
                   .y_name = "latency",
                   .y_unit = "cycles",
                   .points = {}};
  for (std::uint64_t units = 1; units <= kMostUnits; ++units) {
    Point point = {.x = static_cast<double>(units * unit), .samples = {}};
    for (int seed = 1; seed <= seeds; ++seed) {
      const std::vector<double> cycles = walks.cycles({.places = 2 * pairs.count,
                                                       .stride_bytes = 2 * pairs.page_bytes,
                                                       .first_byte = begin,
                                                       .order = Order::ascending,
                                                       .spread_lines = true,
                                                       .seed = static_cast<std::uint64_t>(seed),
                                                       .partner_bytes = units * unit,
                                                       .spread_bytes = unit},
                                                      3);
      point.samples.insert(point.samples.end(), cycles.begin(), cycles.end());
    }
    series.points.push_back(point);
  }
  return series;
}

/// \brief  The distance from which on the second load misses as well.
/// \param  penalty  of a miss: the mean of a pair rises by half of it
/// \return nothing: there is no such step
std::optional<double> step_of(const Series& series, double penalty) {
  std::vector<double> cycles;
  cycles.reserve(series.points.size());
  for (const Point& point : series.points)
    cycles.push_back(median_of(point.samples));
  const auto [low, high] = std::ranges::minmax(cycles);
  if (high - low < 0.3 * penalty || high - low > 0.9 * penalty) return {};
  const auto beyond = [middle = (low + high) / 2](double value) { return value > middle; };
  const auto first = std::ranges::find_if(cycles, beyond);
  if (!std::all_of(first, cycles.end(), beyond)) return {};
  return series.points[static_cast<std::size_t>(first - cycles.begin())].x;
}

/// What the two steps say.
std::string meaning_of(double from_begin, double from_middle, double page) {
  const double unit = page / kUnits;
  std::string steps = fmt::format(
      "The second load of a pair misses from {} on, and from {} if pairs begin half an "
      "entry later",
      with_unit(from_begin, "bytes"), with_unit(from_middle, "bytes"));
  if (std::abs(std::abs(from_begin - from_middle) - page / 2) <= unit)
    return steps + ": a miss brings the aligned stretch that the load is in, as one entry";
  if (std::abs(from_begin - page) <= unit && std::abs(from_middle - page) <= unit)
    return steps + ": a miss brings what follows, wherever it begins";
  return steps;
}

}  // namespace

void add_neighbours(LabReport& report, Instruments& instruments, const TlbSearch& search,
                    const LabOptions& options) {
  const int seeds = options.quick ? 3 : 5;
  for (std::size_t i = 0; i < search.levels.size(); ++i) {
    const TlbLevel& level = search.levels[i];
    if (!level.page_bytes || !level.entries || !level.penalty_cycles) continue;
    const std::string key = fmt::format("tlb_{}_fetch_bytes", i + 1);
    const std::string name =
        fmt::format("Memory that a miss in the TLB of {} brings translations for",
                    with_unit(level.reach_bytes.value, "bytes"));
    const Pairs pairs = pairs_for(search, i, instruments.facts());
    if (pairs.count == 0) {
      report.findings.push_back(not_found(
          key, name, "bytes",
          "Pairs of loads that all miss there need more memory or L2, or fill the next level"));
      continue;
    }
    const std::string of = with_unit(level.reach_bytes.value, "bytes");
    const Series begin = cycles_by_distance(instruments.walks(), pairs, 0,
                                            "pairs, TLB of " + of + ", from 0", seeds);
    const Series middle = cycles_by_distance(instruments.walks(), pairs, pairs.page_bytes / 2,
                                             "pairs, TLB of " + of + ", from half an entry", seeds);
    const std::optional<double> first = step_of(begin, level.penalty_cycles->value);
    const std::optional<double> second = step_of(middle, level.penalty_cycles->value);
    report.findings.push_back(
        first && second ? found(key, name, std::max(*first, *second), "bytes",
                                meaning_of(*first, *second, static_cast<double>(pairs.page_bytes)))
                        : not_found(key, name, "bytes",
                                    "Over the distance within pairs, latency has no single step "
                                    "of half a miss"));
    report.series.push_back(begin);
    report.series.push_back(middle);
  }
}

}  // namespace ladder::labs
