// SPDX-License-Identifier: MIT
/// \file  common/side_aware/latency_matrix.hpp
/// \brief A matrix of measured values, such as the latency from each SM to each address.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace ladder::side_aware {

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

/// \brief  Value below which a share of the values lies, with linear interpolation.
/// \param  share  0 to 1
/// \throws std::invalid_argument  no values, or a share outside [0, 1]
double quantile_of(std::span<const double> values, double share);

}  // namespace ladder::side_aware
