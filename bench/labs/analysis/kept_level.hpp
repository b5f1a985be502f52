// SPDX-License-Identifier: MIT
/// \file  bench/labs/analysis/kept_level.hpp
/// \brief Up to where a curve keeps a level that it loses further on, with the interval that holds
///        the place.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "bench/labs/analysis/samples.hpp"

namespace ladder::labs {

/// \brief  Medians of a curve's points with intervals that hold the truth even where single samples
///         were disturbed and the clock drifts. The noise is taken to be as large a share of y
///         everywhere.
/// \return (points,)
/// \throws std::invalid_argument  a point without samples
std::vector<Estimate> safe_medians(std::span<const Point> curve);

/// The highest of some values, with its interval.
/// \throws std::invalid_argument  no values
Estimate highest_of(std::span<const Estimate> values);

/// What is surely known about a level that a curve keeps up to some x.
struct KeptLevel {
  std::optional<double> kept;  ///< the last x at which the curve is surely not below the level
  std::optional<double> lost;  ///< the first x at which it surely is
};

/// \param  curve  in ascending order of x
/// \return nothing if the curve surely comes back to a level that it had surely lost
/// \throws std::invalid_argument  a point without samples
std::optional<KeptLevel> kept_level(std::span<const Point> curve, const Estimate& level);

}  // namespace ladder::labs
