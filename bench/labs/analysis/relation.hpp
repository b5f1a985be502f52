// SPDX-License-Identifier: MIT
/// \file  bench/labs/analysis/relation.hpp
/// \brief How closely two quantities go together: on a straight line, or only in the same order.
#pragma once

#include <span>

namespace ladder::labs {

/// y = intercept + slope * x, with the least sum of squares.
struct StraightLine {
  double slope = 0.0;
  double intercept = 0.0;
  /// Share of the variance of y that the line explains, 0 to 1. 0 where x does not vary; 1 where y
  /// does not.
  double r_squared = 0.0;
};

/// \throws std::invalid_argument  fewer than two points, or not as many y as x
StraightLine fit_line(std::span<const double> x, std::span<const double> y);

/// \brief  Whether one line explains the same y clearly better than another: Akaike's criterion,
///         corrected, by 10. No y is better known than to a hundredth of its standard deviation.
bool clearly_better(const StraightLine& line, const StraightLine& other, std::size_t points);

/// \brief  Spearman's rank correlation: 1 for the same order, -1 for the reverse one. Equal values
///         share their mean rank.
/// \return 0 where either side has no order
/// \throws std::invalid_argument  fewer than two points, or not as many y as x
double rank_correlation(std::span<const double> x, std::span<const double> y);

}  // namespace ladder::labs
