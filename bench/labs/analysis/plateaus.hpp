// SPDX-License-Identifier: MIT
/// \file  bench/labs/analysis/plateaus.hpp
/// \brief Finds the knees of a curve such as latency over footprint.
#pragma once

#include <span>
#include <vector>

#include "bench/labs/analysis/samples.hpp"

namespace ladder::labs {

/// Where a curve leaves one plateau for a higher one.
struct Knee {
  double before = 0.0;  ///< level of the plateau that ends here
  double after = 0.0;   ///< level of the one that begins
  double onset = 0.0;   ///< last x with at most 5 % of the rise: the capacity of what ran full
  double least = 0.0;   ///< the x before: one point may miss a small rise
  double first_deviation = 0.0;  ///< first x of the rise
  double saturated = 0.0;        ///< first x at which the rise is over
};

/// \brief  Knees between rising plateaus, which optimal partitioning finds with a penalty for each;
///         none where the curve is flat. After the last rise, the curve needs four points.
/// \param  curve  points in ascending order of x
/// \throws std::invalid_argument  points without samples, or not in ascending order
std::vector<Knee> find_knees(std::span<const Point> curve);

}  // namespace ladder::labs
