// SPDX-License-Identifier: MIT
/// \file  bench/labs/analysis/samples.hpp
/// \brief What the labs analyse: samples at points of a sweep, and matrices of them.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "common/side_aware/latency_matrix.hpp"

namespace ladder::labs {

/// One point of a sweep: repeated measurements at one x.
struct Point {
  double x = 0.0;               ///< what was swept, often bytes
  std::vector<double> samples;  ///< at least one
};

/// A value with the interval that holds it.
struct Estimate {
  double value = 0.0;
  double low = 0.0;
  double high = 0.0;
};

using side_aware::Matrix;
using side_aware::quantile_of;

/// \throws std::invalid_argument  no values
double median_of(std::span<const double> values);

/// \brief Standard deviation of normal noise with this median absolute deviation: outliers do not
///        count.
/// \throws std::invalid_argument  no values
double robust_sigma(std::span<const double> values);

}  // namespace ladder::labs
