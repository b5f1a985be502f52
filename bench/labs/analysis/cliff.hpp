// SPDX-License-Identifier: MIT
/// \file  bench/labs/analysis/cliff.hpp
/// \brief Where exactly a curve leaves its level because something has run full.
#pragma once

#include <optional>
#include <span>

#include "bench/labs/analysis/samples.hpp"

namespace ladder::labs {

/// One rise of a curve.
struct Cliff {
  Estimate begin;                ///< the last x before the rise
  Estimate full;                 ///< the x from which on the rise is over
  std::optional<Estimate> rise;  ///< nothing where the points end before it is over
};

/// \brief  Fits one level, one rise and one more level. A rise takes no distance if any entry of a
///         full cache may hold anything; if sets fill one after the other, it takes a share of the
///         capacity: one over the ways.
/// \param  points  in ascending order of x, at least 4; with samples
/// \param  unit  what x counts in: entries, or pages
/// \return intervals that hold all that the points do not rule out by four standard deviations;
///         nothing where they show no rise, or do not show the level before it
std::optional<Cliff> fit_cliff(std::span<const Point> points, double unit);

}  // namespace ladder::labs
