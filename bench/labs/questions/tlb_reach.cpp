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

/// \brief  Latency of a walk over a distance. Lines lie nearer to an SM or farther away, so each
///         sample is the mean over several sets of lines.
Point walk_over(Instruments& instruments, std::uint64_t distance, std::uint64_t stride,
                int samples) {
  constexpr int kSetsOfLines = 4;
  Point point = {.x = static_cast<double>(distance), .samples = {}};
  Walk walk = {.places = distance / stride,
               .stride_bytes = stride,
               .order = Order::ascending,
               .spread_lines = true};
  for (int sample = 0; sample < samples; ++sample) {
    double sum = 0.0;
    for (int set = 0; set < kSetsOfLines; ++set) {
      ++walk.seed;
      sum += instruments.walks().cycles(walk, 1).front();
    }
    point.samples.push_back(sum / kSetsOfLines);
  }
  return point;
}

/// \brief  The reach to a page: between two walks of the sweep, walks that differ by one page or a
///         fiftieth.
/// \return from the last walk that is as fast as before to the first one that has all of the
///         penalty
Estimate refined_reach(Instruments& instruments, const TlbLevel& level, const LabOptions& options) {
  constexpr double kBeginning = 0.15;  // of the penalty
  constexpr double kEnd = 0.85;
  constexpr int kWalks = 50;
  const auto stride = static_cast<std::uint64_t>(level.reach_bytes / *level.entries);
  const auto from = static_cast<std::uint64_t>(level.reach_bytes / 1.1) / stride;
  const auto to = static_cast<std::uint64_t>(level.reach_bytes * 1.25) / stride;
  const std::uint64_t step = std::max<std::uint64_t>((to - from) / kWalks, 1);
  const int samples = options.quick ? 1 : 3;
  Estimate reach = {level.reach_bytes, level.reach_bytes, level.reach_bytes};
  const double before = median_of(walk_over(instruments, from * stride, stride, 5).samples);
  for (std::uint64_t pages = from; pages <= to; pages += step) {
    const double latency =
        median_of(walk_over(instruments, pages * stride, stride, samples).samples);
    if (latency < before + kBeginning * level.penalty_cycles)
      reach.value = reach.low = static_cast<double>(pages * stride);
    if (latency < before + kEnd * level.penalty_cycles)
      reach.high = static_cast<double>((pages + step) * stride);
  }
  return reach;
}

void add_level(LabReport& report, Instruments& instruments, const LabOptions& options,
               TlbLevel level, std::size_t index) {
  const std::string key = fmt::format("tlb_{}", index + 1);
  const std::string name = fmt::format("the {} TLB", ordinal(index));
  Estimate reach = {level.reach_bytes, level.reach_bytes, level.reach_bytes};
  if (level.entries) {
    const double page = level.reach_bytes / *level.entries;
    reach = refined_reach(instruments, level, options);
    level.entries = reach.value / page;
  }
  report.findings.push_back(found(key + "_reach_bytes", "Reach of " + name, reach, "bytes",
                                  "Walks beyond it are slower; the interval ends where all loads "
                                  "miss"));
  report.findings.push_back(found(key + "_miss_cycles", "A miss in " + name + " costs",
                                  level.penalty_cycles, "cycles",
                                  "What a load costs more beyond its reach"));
  if (level.page_bytes && level.entries) {
    report.findings.push_back(found(
        key + "_page_bytes", "An entry of " + name + " translates", *level.page_bytes, "bytes",
        "With smaller strides, several places share a miss; with larger ones, none do"));
    report.findings.push_back(found(key + "_entries", "Entries of " + name, *level.entries, "",
                                    "Reach over what an entry translates"));
  } else {
    report.findings.push_back(
        not_found(key + "_page_bytes", "An entry of " + name + " translates", "bytes",
                  "No stride was small enough, or none large enough, to tell"));
  }
}

}  // namespace

TlbCurves walk_from_page_to_page(Instruments& instruments, const LabOptions& options,
                                 double share) {
  const MemoryFacts& facts = instruments.facts();
  constexpr std::uint64_t kLargest = 128 * kMiB;
  const std::uint64_t most = facts.free_bytes / 16 * 15 / kLargest * kLargest;
  // The lines themselves have to stay in the part of L2 that one SM fills.
  const std::uint64_t most_places = facts.l2_bytes / 4 / kLine;
  TlbCurves result;
  // The largest walk first: the region is then allocated once, and stays where it is.
  const Walk whole = {.places = most / kLargest, .stride_bytes = kLargest};
  instruments.walks().cycles(whole, 1);
  for (std::uint64_t stride = 2 * kMiB; stride <= kLargest; stride *= 2) {
    StrideCurve curve = {.stride_bytes = static_cast<double>(stride), .curve = {}};
    const std::uint64_t last = std::min(most, most_places * stride);
    const std::vector<std::uint64_t> distances =
        geometric(4 * stride, last, options.quick ? 1.19 : 1.06, stride);
    for (const std::uint64_t distance : distances)
      curve.curve.push_back(walk_over(instruments, distance, stride, options.quick ? 3 : 7));
    result.farthest_bytes = std::max(result.farthest_bytes, static_cast<double>(last));
    result.curves.push_back(curve);
    options.on_progress(share * static_cast<double>(result.curves.size()) / 7.0);
  }
  result.levels = find_tlb_levels(result.curves);
  return result;
}

LabReport tlb_reach(Instruments* instruments, const LabOptions& options) {
  const TlbCurves walks = walk_from_page_to_page(*instruments, options, 1.0);
  LabReport report;
  for (const StrideCurve& curve : walks.curves) {
    report.series.push_back({.name = "stride " + bytes_text(curve.stride_bytes),
                             .x_name = "distance",
                             .x_unit = "bytes",
                             .y_name = "latency",
                             .y_unit = "cycles",
                             .points = curve.curve});
  }
  for (std::size_t i = 0; i < walks.levels.size(); ++i)
    add_level(report, *instruments, options, walks.levels[i], i);
  if (walks.levels.empty()) {
    report.findings.push_back(
        not_found("tlb_1_reach_bytes", "Reach of the first TLB", "bytes",
                  fmt::format("No cliff up to {}", bytes_text(walks.farthest_bytes))));
  } else {
    report.notes.push_back(
        fmt::format("No further cliff up to {}.", bytes_text(walks.farthest_bytes)));
  }
  report.notes.push_back(
      "Each walk reads one line for each stride, in ascending order, at another offset in each "
      "stride: the lines stay in L2, and only translations run out of room.");
  return report;
}

}  // namespace ladder::labs
