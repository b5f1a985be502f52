// SPDX-License-Identifier: MIT
/// \file  bench/labs/analysis/tlb_levels.hpp
/// \brief Finds the levels of a TLB, their pages and entries from walks with several strides.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "bench/labs/analysis/samples.hpp"

namespace ladder::labs {

/// Latency over distance, for one stride.
struct StrideCurve {
  std::uint64_t stride_bytes = 0;
  std::vector<Point> curve;  ///< x: bytes from the first place to the end of the last one
};

/// One level of TLB, as far as the walks show it. Intervals hold all that they do not rule out.
struct TlbLevel {
  Estimate reach_bytes;                     ///< what it holds
  std::uint64_t stride_bytes = 0;           ///< with which that was seen
  double rise_cycles = 0;                   ///< there
  std::optional<std::uint64_t> page_bytes;  ///< that one entry translates
  std::optional<Estimate> entries;          ///< reach over page
  std::optional<Estimate> penalty_cycles;   ///< what a load costs more that misses
  std::string why_not;                      ///< what is not known, and why: no full stop
};

/// A rise that is there, and that no level of TLB explains.
struct UnresolvedCliff {
  Estimate begin_bytes;
  std::uint64_t stride_bytes = 0;  ///< with which it was seen
  double rise_cycles = 0;
  std::string why_not;  ///< a sentence without its full stop
};

/// What walks of many strides and distances show.
struct TlbSearch {
  std::vector<StrideCurve> curves;  ///< ascending strides
  std::vector<TlbLevel> levels;     ///< ascending reaches
  std::vector<UnresolvedCliff> unresolved;
  double farthest_bytes = 0;
  double least_rise_cycles = 0;  ///< a smaller rise would not have been seen
};

/// What can be walked.
struct WalkLimits {
  std::uint64_t least_stride = 16 << 10;  ///< a power of two
  std::uint64_t most_stride = 128 << 20;  ///< another one
  std::uint64_t most_bytes = 0;
  std::uint64_t most_places = 0;  ///< whose data stays in the cache behind the TLBs
  int points_per_octave = 8;
  int samples = 18;  ///< of a point of a curve: a multiple of 3
};

/// Cycles per load of one walk from place to place, in ascending order. Another seed takes other
/// lines.
using PageWalk =
    std::function<double(std::uint64_t stride, std::uint64_t places, std::uint64_t seed)>;

/// \brief  Walks with all strides, looks for rises, and measures each one again.
///
/// With a stride below the page, all places of a page share a miss, so that the rise grows with the
/// stride; where it begins does not depend on the stride, and is the reach. With the next stride
/// above the page, every second page is skipped, so that the same distance fits: there is no rise.
/// So the page is the stride at which there is a rise at the reach, half of the stride has half of
/// it, and twice the stride has none. A rise of which that is not true is not resolved: something
/// else rises there as well, or the walks end too early, or a lower level that holds more places
/// hides it.
/// \param  on_progress  0 to 1
/// \throws std::invalid_argument  limits that leave nothing to walk
TlbSearch find_tlb_levels(
    const WalkLimits& limits, const PageWalk& walk,
    const std::function<void(double)>& on_progress = [](double) {});

}  // namespace ladder::labs
