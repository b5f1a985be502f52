// SPDX-License-Identifier: MIT
/// \file  bench/labs/questions/sectors.cpp
/// \brief L02: how many bytes a miss brings. A walk upwards through memory misses once for each
///        piece that is fetched at once, so its latency falls where the stride is smaller than the
///        piece.
#include <fmt/format.h>

#include <algorithm>

#include "bench/labs/analysis/kept_level.hpp"
#include "bench/labs/questions/curves.hpp"
#include "bench/labs/questions/l2_lines.hpp"
#include "bench/labs/questions/labs.hpp"

namespace ladder::labs {
namespace {

constexpr std::uint64_t kLine = 128;  // wider strides would touch fewer lines

/// Latency by stride, at a footprint that the cache in question cannot hold.
Series by_stride(Instruments& instruments, const std::string& name, Access access,
                 std::uint64_t footprint, const LabOptions& options) {
  Series series = {.name = name,
                   .x_name = "stride",
                   .x_unit = "bytes",
                   .y_name = "latency",
                   .y_unit = "cycles",
                   .points = {}};
  for (std::uint64_t stride = 8; stride <= kLine; stride *= 2) {
    const Walk walk = {.places = footprint / stride,
                       .stride_bytes = stride,
                       .order = Order::ascending,
                       .access = access,
                       .seed = options.seed};
    series.points.push_back({.x = static_cast<double>(stride),
                             .samples = instruments.walks().cycles(walk, options.quick ? 3 : 7)});
  }
  return series;
}

/// \brief  Bytes that a miss brings: the smallest stride at which every load misses.
/// \return nothing where the latency does not depend on the stride, or is not certain enough
std::optional<double> fetched_at_once(const Series& series) {
  const std::vector<Estimate> cycles = safe_medians(series.points);
  const double most = cycles.back().value;
  const double least = cycles.front().value;
  if (least > 0.8 * most) return {};
  // With half of that stride, half of the loads miss, which is at most half way.
  const double nearly_all = (3 * most + least) / 4;
  for (std::size_t i = 0; i < cycles.size(); ++i) {
    if (cycles[i].high < nearly_all) continue;
    if (cycles[i].low < nearly_all) return {};
    return series.points[i].x;
  }
  return {};
}

}  // namespace

LabReport sectors(Instruments* instruments, const LabOptions& options) {
  const MemoryFacts& facts = instruments->facts();
  LabReport report;
  // L2 holds the first footprint, and L1 does not; L2 does not hold the second.
  const std::uint64_t in_l2 = std::min(8 * facts.l1_bytes, facts.l2_bytes / 4);
  const std::uint64_t in_memory = facts.l2_bytes * 5 / 2;
  report.series.push_back(by_stride(*instruments, "from L2 to L1", Access::cached, in_l2, options));
  options.on_progress(0.2);
  report.series.push_back(
      by_stride(*instruments, "from memory to L2", Access::l2_only, in_memory, options));
  for (const Series& series : report.series) {
    const std::string key = &series == &report.series.front() ? "l1_fetch_bytes" : "l2_fetch_bytes";
    const std::string name = "Bytes that a miss brings " + series.name;
    const std::optional<double> bytes = fetched_at_once(series);
    report.findings.push_back(
        bytes ? found(key, name, *bytes, "bytes",
                      fmt::format("{:.0f} cycles a load at a stride of 8 bytes, {:.0f} at "
                                  "strides from {:.0f} bytes on",
                                  median_of(series.points.front().samples),
                                  median_of(series.points.back().samples), *bytes))
              : not_found(key, name, "bytes",
                          "The latency is the same for all strides, or too uncertain"));
  }
  const std::optional<double> to_l1 = fetched_at_once(report.series[0]);
  const std::optional<double> to_l2 = fetched_at_once(report.series[1]);
  if (to_l1 && to_l2) {
    report.claims.push_back(check_claim(
        "R118", "Memory moves whole lines of 128 bytes", *to_l1 == kLine && *to_l2 == kLine,
        fmt::format("A miss brings {:.0f} bytes into L1 and {:.0f} into L2", *to_l1, *to_l2)));
    report.claims.push_back(check_claim(
        "R004", "A line has four sectors of 32 bytes, and a miss brings one of them",
        *to_l1 == 32.0 && *to_l2 == 32.0,
        fmt::format("True of L1 ({:.0f} bytes); into L2 a miss brings {:.0f}", *to_l1, *to_l2)));
  }
  options.on_progress(0.4);
  add_lines_of_a_stride(report, *instruments, options);
  options.on_progress(0.7);
  add_survival_by_sectors(report, *instruments, options);
  return report;
}

}  // namespace ladder::labs
