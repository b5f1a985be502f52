// SPDX-License-Identifier: MIT
/// \file  bench/memory/analysis/samples.hpp
/// \brief What the labs analyse: samples at points of a sweep, and matrices of them.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

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

/// A matrix of doubles, row by row.
struct Matrix {
  Matrix(std::size_t row_count, std::size_t column_count)
      : rows(row_count), columns(column_count), values(row_count * column_count) {}
  double& at(std::size_t row, std::size_t column) { return values[row * columns + column]; }
  double at(std::size_t row, std::size_t column) const { return values[row * columns + column]; }

  std::size_t rows;
  std::size_t columns;
  std::vector<double> values;  // (rows, columns)
};

/// \throws std::invalid_argument  no values
double median_of(std::span<const double> values);

/// \brief  Value below which a share of the values lies, with linear interpolation.
/// \param  share  0 to 1
/// \throws std::invalid_argument  no values, or a share outside [0, 1]
double quantile_of(std::span<const double> values, double share);

/// \brief Standard deviation of normal noise with this median absolute deviation: outliers do not
/// count. \throws std::invalid_argument  no values
double robust_sigma(std::span<const double> values);

}  // namespace ladder::labs
