// SPDX-License-Identifier: MIT
/// \file  bench/memory/labs/tlb_reach.cpp
/// \brief L11: how much memory the TLBs cover, how large their pages are, and what a miss costs.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "bench/memory/labs/curves.hpp"
#include "bench/memory/labs/labs.hpp"
#include "bench/memory/labs/tlb_curves.hpp"
#include "bench/memory/report_text.hpp"

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
/// sample
///         is the mean over several sets of lines.
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

void add_level(LabReport& report, const TlbLevel& level, std::size_t index) {
  const std::string key = fmt::format("tlb_{}", index + 1);
  const std::string name = fmt::format("the {} TLB", ordinal(index));
  report.findings.push_back(found(key + "_reach_bytes", "Reach of " + name, level.reach_bytes,
                                  "bytes", "Walks beyond it are slower at every stride"));
  report.findings.push_back(found(key + "_miss_cycles", "A miss there costs", level.penalty_cycles,
                                  "cycles", "What a load costs more beyond its reach"));
  if (level.page_bytes && level.entries) {
    report.findings.push_back(
        found(key + "_page_bytes", "One entry translates", *level.page_bytes, "bytes",
              "With smaller strides, several places share a miss; with larger ones, none do"));
    report.findings.push_back(found(key + "_entries", "Entries of " + name, *level.entries, "",
                                    "Reach over what an entry translates"));
  } else {
    report.findings.push_back(
        not_found(key + "_page_bytes", "One entry translates", "bytes",
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
    add_level(report, walks.levels[i], i);
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
