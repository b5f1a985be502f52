// SPDX-License-Identifier: MIT
/// \file  bench/labs/questions/tlb_reach.cpp
/// \brief L11: how much memory the TLBs cover, how large their pages are, and what a miss costs.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "bench/labs/questions/curves.hpp"
#include "bench/labs/questions/labs.hpp"
#include "bench/labs/questions/tlb_curves.hpp"
#include "bench/labs/report_text.hpp"

namespace ladder::labs {
namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;
constexpr std::uint64_t kLine = 128;

std::string ordinal(std::size_t level) {
  constexpr std::array kNames = {"first", "second", "third", "fourth"};
  return level < kNames.size() ? kNames[level] : "next";
}

std::string bytes_text(double bytes) {
  return with_unit(bytes, "bytes");
}

void add_level(LabReport& report, const TlbLevel& level, std::size_t index) {
  const std::string key = fmt::format("tlb_{}", index + 1);
  const std::string name = fmt::format("the {} TLB", ordinal(index));
  const auto add = [&](const std::string& what, const std::string& title,
                       const std::optional<Estimate>& value, const std::string& unit,
                       const std::string& how) {
    report.findings.push_back(value ? found(key + what, title, *value, unit, how)
                                    : not_found(key + what, title, unit, level.why_not));
  };
  add("_reach_bytes", "Reach of " + name, level.reach_bytes, "bytes",
      fmt::format("Walks with a stride of {} begin to be slower there; so do those with half of it",
                  bytes_text(static_cast<double>(level.stride_bytes))));
  add("_miss_cycles", "A miss in " + name + " costs", level.penalty_cycles, "cycles",
      "What a load costs more beyond its reach, where all miss");
  std::optional<Estimate> page;
  if (level.page_bytes) {
    const auto bytes = static_cast<double>(*level.page_bytes);
    page = Estimate{bytes, bytes, bytes};
  }
  add("_page_bytes", "An entry of " + name + " translates", page, "bytes",
      "Half of the stride has half of the rise, and twice the stride has none");
  add("_entries", "Entries of " + name, level.entries, "", "Reach over what an entry translates");
}

void add_unresolved(LabReport& report, const UnresolvedCliff& cliff, std::size_t index) {
  report.findings.push_back(
      not_found(fmt::format("tlb_unresolved_{}", index + 1), "Another cliff", "bytes",
                fmt::format("One begins between {} and {}, not resolved: {}",
                            bytes_text(cliff.begin_bytes.low), bytes_text(cliff.begin_bytes.high),
                            cliff.why_not)));
}

}  // namespace

TlbSearch walk_from_page_to_page(Instruments& instruments, const LabOptions& options,
                                 double share) {
  constexpr std::uint64_t kMostPlaces = 16384;
  const MemoryFacts& facts = instruments.facts();
  // The lines themselves have to stay in the part of L2 that one SM fills.
  const WalkLimits limits = {.most_bytes = facts.free_bytes / 16 * 15 / kMiB * kMiB,
                             .most_places = std::min(facts.l2_bytes / 4 / kLine,
                                                     options.quick ? kMostPlaces / 2 : kMostPlaces),
                             .points_per_octave = options.quick ? 6 : 8,
                             .samples = options.quick ? 9 : 18};
  // The largest walk first: the region is then allocated once, and stays where it is.
  const std::uint64_t places = std::max<std::uint64_t>(limits.most_bytes / limits.most_stride, 1);
  instruments.walks().cycles(
      {.places = places, .stride_bytes = limits.most_bytes / places / kLine * kLine}, 1);
  const PageWalk walk = [&](std::uint64_t stride, std::uint64_t places, std::uint64_t seed) {
    return instruments.walks()
        .cycles({.places = places,
                 .stride_bytes = stride,
                 .order = Order::ascending,
                 .spread_lines = true,
                 .seed = seed},
                1)
        .front();
  };
  return find_tlb_levels(limits, walk, [&](double done) { options.on_progress(share * done); });
}

LabReport tlb_reach(Instruments* instruments, const LabOptions& options) {
  const TlbSearch search = walk_from_page_to_page(*instruments, options, 0.9);
  LabReport report;
  for (const StrideCurve& curve : search.curves) {
    report.series.push_back(
        {.name = "stride " + bytes_text(static_cast<double>(curve.stride_bytes)),
         .x_name = "distance",
         .x_unit = "bytes",
         .y_name = "latency",
         .y_unit = "cycles",
         .points = curve.curve});
  }
  for (std::size_t i = 0; i < search.levels.size(); ++i)
    add_level(report, search.levels[i], i);
  add_neighbours(report, *instruments, search, options);
  for (std::size_t i = 0; i < search.unresolved.size(); ++i)
    add_unresolved(report, search.unresolved[i], i);
  constexpr double kSurely = 1.7;  // a rise that just stands out is missed half of the time
  const std::string none =
      fmt::format("No {}cliff of {:.2g} cycles or more up to {}",
                  search.levels.empty() && search.unresolved.empty() ? "" : "further ",
                  kSurely * search.least_rise_cycles, bytes_text(search.farthest_bytes));
  if (search.levels.empty() && search.unresolved.empty())
    report.findings.push_back(
        not_found("tlb_1_reach_bytes", "Reach of the first TLB", "bytes", none));
  else
    report.notes.push_back(none + ".");
  report.notes.push_back(
      "Each walk reads one line for each stride, in ascending order, at another offset in each "
      "stride: the lines stay in L2, and only translations run out of room.");
  return report;
}

}  // namespace ladder::labs
