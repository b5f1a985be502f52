// SPDX-License-Identifier: MIT
/// \file  bench/labs/questions/l2_lines.cpp
/// \brief What a line of L2 competes with, and whether a line that is half empty leaves first.
#include "bench/labs/questions/l2_lines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bench/labs/questions/curves.hpp"
#include "bench/labs/report_text.hpp"

namespace ladder::labs {
namespace {

constexpr std::uint64_t kKiB = 1024;

/// \brief  Whether lines a stride apart are slower than as many lines that are spread over the same
///         memory. Both need the same translations.
bool in_each_others_way(WalkInstrument& walks, std::uint64_t stride, std::uint64_t places,
                        const LabOptions& options) {
  constexpr double kConflict = 1.25;
  const auto cycles = [&](bool spread) {
    return median_of(walks.cycles(
        {.places = places, .stride_bytes = stride, .spread_lines = spread, .seed = options.seed},
        options.quick ? 3 : 5));
  };
  return cycles(false) > kConflict * cycles(true);
}

/// Lines at one stride that stay, and that do not.
struct Fit {
  std::uint64_t stays = 0;
  std::uint64_t conflicts = 0;  ///< 0: none was found
};

Fit fit_of(WalkInstrument& walks, std::uint64_t stride, std::uint64_t most,
           const LabOptions& options) {
  Fit fit;
  for (std::uint64_t places = 4; places <= most; places *= 2) {
    if (in_each_others_way(walks, stride, places, options)) {
      fit.conflicts = places;
      break;
    }
    fit.stays = places;
  }
  while (fit.conflicts > fit.stays + 1) {
    const std::uint64_t middle = (fit.stays + fit.conflicts) / 2;
    (in_each_others_way(walks, stride, middle, options) ? fit.conflicts : fit.stays) = middle;
  }
  return fit;
}

}  // namespace

void add_lines_of_a_stride(LabReport& report, Instruments& instruments, const LabOptions& options) {
  constexpr std::uint64_t kLine = 128;
  constexpr std::uint64_t kMost = 1024;
  const MemoryFacts& facts = instruments.facts();
  Series series = {.name = "lines at a stride that stay in L2",
                   .x_name = "stride",
                   .x_unit = "bytes",
                   .y_name = "lines",
                   .y_unit = "",
                   .points = {}};
  Fit fewest;
  double at = 0;
  for (std::uint64_t stride = 4 * kKiB; stride <= 4096 * kKiB; stride *= 4) {
    // Far fewer lines than L2 holds.
    const std::uint64_t most =
        std::min({kMost, facts.l2_bytes / 8 / kLine, facts.free_bytes / 2 / stride});
    if (most < 4) break;
    const Fit fit = fit_of(instruments.walks(), stride, most, options);
    series.points.push_back(
        {.x = static_cast<double>(stride), .samples = {static_cast<double>(fit.stays)}});
    if (fit.conflicts != 0 && (fewest.conflicts == 0 || fit.conflicts < fewest.conflicts)) {
      fewest = fit;
      at = static_cast<double>(stride);
    }
  }
  report.series.push_back(series);
  const std::string name = "Fewest lines at a stride that L2 keeps, at most its ways";
  const double tried = std::ranges::max_element(series.points, {}, [](const Point& point) {
                         return point.samples.front();
                       })->samples.front();
  report.findings.push_back(
      fewest.conflicts != 0
          ? found("lines_of_a_stride", name, static_cast<double>(fewest.stays), "",
                  fmt::format("With {} lines at a stride of {}, L2 is slower than with as many "
                              "lines that are spread",
                              fewest.conflicts, with_unit(at, "bytes")))
          : not_found("lines_of_a_stride", name, "",
                      fmt::format("Up to {:.0f} lines, no stride of 4 KiB to 4 MiB is slower than "
                                  "spread lines: it does not choose the set, so that ways cannot "
                                  "be counted like this",
                                  tried)));
  // Loads in turn show lines that push each other out, and not slices that are asked too often.
  report.claims.push_back(
      {.row = "R012",
       .claimed = "Strides of 4096 bytes and other powers of two overload a part of L2",
       .verdict = fewest.conflicts == 0 ? "pending" : "holds",
       .because = fewest.conflicts == 0
                      ? fmt::format("Loads in turn are as fast as spread ones, up to {:.0f} lines. "
                                    "Loads of all SMs at once: bench/programs/l2_strides.cu",
                                    tried)
                      : fmt::format("{} lines at a stride of {} do", fewest.conflicts,
                                    with_unit(at, "bytes"))});
}

void add_survival_by_sectors(LabReport& report, Instruments& instruments,
                             const LabOptions& options) {
  constexpr double kFewest = 20.0;  // %: a stream that leaves so many and takes so many
  constexpr double kMatters = 10.0;
  SurvivalInstrument* const survival = instruments.survival();
  if (survival == nullptr) return;
  const std::uint64_t l2 = instruments.facts().l2_bytes;
  std::vector<Series> curves;
  for (const bool one : {false, true}) {
    curves.push_back(
        {.name = one ? "lines of which one sector was read" : "lines that were read whole",
         .x_name = "stream",
         .x_unit = "bytes",
         .y_name = "lines that survive",
         .y_unit = "%",
         .points = {}});
    for (std::uint64_t eighths = 4; eighths <= 16; eighths += options.quick ? 2 : 1) {
      const std::uint64_t stream = whole_lines(l2 / 8 * eighths);
      Point point = {.x = static_cast<double>(stream), .samples = {}};
      for (const double share : survival->survivors({.hot_bytes = whole_lines(l2 / 8),
                                .stream_bytes = stream,
                                .hot_hint = Hint::cg,
                                .stream_hint = Hint::cg,
                                .hot_passes = 1,
                                .sampled_lines = options.quick ? 1024 : 4096,
                                .seed = options.seed,
                                .hot_sectors = one ? 1 : 4},
                                                    options.quick ? 3 : 7))
        point.samples.push_back(100.0 * share);
      curves.back().points.push_back(point);
    }
  }
  double most = 0;
  bool told = false;
  for (std::size_t i = 0; i < curves[0].points.size(); ++i) {
    const double whole = median_of(curves[0].points[i].samples);
    const double part = median_of(curves[1].points[i].samples);
    told = told || (std::max(whole, part) > kFewest && std::min(whole, part) < 100 - kFewest);
    if (std::abs(whole - part) > std::abs(most)) most = whole - part;
  }
  const std::string name = "Whole lines that survive more often than lines of one sector";
  report.findings.push_back(
      told
          ? found("whole_lines_more", name, most, "%",
                  "Points of a per cent, at the stream where the two differ most")
          : not_found("whole_lines_more", name, "%",
                      "No stream takes some of the lines and leaves some: each takes all or none"));
  report.claims.push_back(
      {.row = "R015",
       .claimed = "A line with four valid sectors is kept over a line with one",
       .verdict = !told             ? "pending"
                  : most > kMatters ? "holds"
                                    : "wrong",
       .because = !told ? "Each stream takes all of the lines or none"
                        : fmt::format("The two differ by {:.0f} points at most", most)});
  report.series.insert(report.series.end(), curves.begin(), curves.end());
}

}  // namespace ladder::labs
