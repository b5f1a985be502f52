// SPDX-License-Identifier: MIT
/// \file  bench/memory/labs/tlb_reach.cpp
/// \brief L11: how much memory the TLBs cover. One line of each page is read, so that the data
/// stays
///        in L2 and only the translations run out of room.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "bench/memory/labs/curves.hpp"
#include "bench/memory/labs/labs.hpp"
#include "bench/memory/report_text.hpp"

namespace ladder::labs {
namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;
constexpr std::uint64_t kLine = 128;
constexpr std::uint64_t kPage = 2 * kMiB;  // what CUDA maps large allocations with

/// Latency over the distance that a walk covers, in steps of one stride.
Series walk_over(Instruments& instruments, std::uint64_t stride, std::uint64_t most,
                 const LabOptions& options) {
  Series series = {
      .name = fmt::format("stride {}", with_unit(static_cast<double>(stride), "bytes")),
      .x_name = "distance",
      .x_unit = "bytes",
      .y_name = "latency",
      .y_unit = "cycles",
      .points = {}};
  // The lines themselves have to stay in the half of L2 that one SM fills.
  const std::uint64_t most_places = instruments.facts().l2_bytes / 4 / kLine;
  const std::uint64_t last = std::min(most, most_places * stride);
  for (const std::uint64_t distance :
       geometric(4 * stride, last, options.quick ? 1.25 : 1.09, stride)) {
    const Walk walk = {.places = distance / stride,
                       .stride_bytes = stride,
                       .spread_lines = true,
                       .seed = options.seed};
    series.points.push_back({.x = static_cast<double>(distance),
                             .samples = instruments.walks().cycles(walk, options.quick ? 3 : 7)});
  }
  return series;
}

std::string unit_of(std::size_t level) {
  constexpr std::array kNames = {"first", "second", "third", "fourth"};
  return level < kNames.size() ? kNames[level] : "next";
}

}  // namespace

LabReport tlb_reach(Instruments* instruments, const LabOptions& options) {
  const MemoryFacts& facts = instruments->facts();
  const std::uint64_t most = facts.free_bytes / 16 * 15 / kPage * kPage;
  // The region is allocated once, as large as it gets: it then lies in one piece.
  std::vector<std::uint64_t> strides = {kPage,     kPage / 4, kPage / 2,
                                        2 * kPage, 8 * kPage, 32 * kPage};
  if (options.quick) strides = {kPage, kPage / 2, 16 * kPage};
  LabReport report;
  Walk whole = {.places = most / kPage, .stride_bytes = kPage, .spread_lines = true};
  instruments->walks().cycles(whole, 1);
  for (std::size_t i = 0; i < strides.size(); ++i) {
    options.on_progress(static_cast<double>(i) / strides.size());
    report.series.push_back(walk_over(*instruments, strides[i], most, options));
  }
  const Series& by_page = report.series.front();
  const std::vector<Knee> knees = find_knees(by_page.points);
  for (std::size_t i = 0; i < knees.size(); ++i) {
    const std::string key = fmt::format("reach_{}", i + 1);
    report.findings.push_back(capacity(
        key + "_bytes", fmt::format("Reach of the {} TLB", unit_of(i)), knees[i], "cycles"));
    report.findings.push_back(
        found(key + "_cycles", "A miss there costs", knees[i].after - knees[i].before, "cycles",
              fmt::format("{:.0f} pages of {} fit", knees[i].onset / static_cast<double>(kPage),
                          with_unit(static_cast<double>(kPage), "bytes"))));
  }
  if (knees.empty()) {
    report.findings.push_back(
        not_found("reach_1_bytes", "Reach of the first TLB", "bytes",
                  fmt::format("No cliff up to {}", with_unit(by_page.points.back().x, "bytes"))));
  } else {
    report.notes.push_back(
        fmt::format("No further cliff up to {}.", with_unit(by_page.points.back().x, "bytes")));
  }
  return report;
}

}  // namespace ladder::labs
