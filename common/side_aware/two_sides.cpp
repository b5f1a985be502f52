// SPDX-License-Identifier: MIT
/// \file  common/side_aware/two_sides.cpp
#include "common/side_aware/two_sides.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>

namespace ladder::side_aware {
namespace {

constexpr double kLeastExplained = 0.5;
/// Two clusters of points on a line explain 75 % of a uniform distribution's variance and 64 % of a
/// normal one's: what is not two-sided stays below.
constexpr double kLeastTwoClusters = 0.85;

/// Moves what lies far outside the quartiles of each row to where outliers begin.
void clip_rows(Matrix& matrix) {
  constexpr double kFence = 1.5;  // Tukey's: of the distance between the quartiles
  for (std::size_t row = 0; row < matrix.rows; ++row) {
    const auto values = std::span(matrix.values).subspan(row * matrix.columns, matrix.columns);
    const double low = quantile_of(values, 0.25);
    const double high = quantile_of(values, 0.75);
    const double reach = kFence * (high - low);
    for (double& value : values)
      value = std::clamp(value, low - reach, high + reach);
  }
}

/// Takes the means of rows and columns away.
void centre(Matrix& matrix) {
  std::vector<double> columns(matrix.columns, 0);
  for (std::size_t row = 0; row < matrix.rows; ++row) {
    const auto values = std::span(matrix.values).subspan(row * matrix.columns, matrix.columns);
    const double mean =
        std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(matrix.columns);
    for (std::size_t column = 0; column < matrix.columns; ++column) {
      values[column] -= mean;
      columns[column] += values[column] / static_cast<double>(matrix.rows);
    }
  }
  for (std::size_t row = 0; row < matrix.rows; ++row) {
    for (std::size_t column = 0; column < matrix.columns; ++column) {
      matrix.at(row, column) -= columns[column];
    }
  }
}

double norm_of(std::span<const double> values) {
  return std::sqrt(std::inner_product(values.begin(), values.end(), values.begin(), 0.0));
}

/// The strongest pair of singular vectors, of length 1, and its singular value.
struct Leading {
  std::vector<double> rows;
  std::vector<double> columns;
  double strength = 0;
};

/// \source power iteration on the matrix times its transpose
Leading leading_vectors(const Matrix& matrix) {
  Leading leading;
  leading.rows.assign(matrix.rows, 0);
  leading.columns.assign(matrix.columns, 0);
  // The row that varies most is a start that is not orthogonal to what is sought.
  double most = -1;
  for (std::size_t row = 0; row < matrix.rows; ++row) {
    const auto values = std::span(matrix.values).subspan(row * matrix.columns, matrix.columns);
    if (const double norm = norm_of(values); norm > most) {
      most = norm;
      std::ranges::copy(values, leading.columns.begin());
    }
  }
  if (most <= 0) return leading;
  constexpr int kIterations = 60;
  for (int iteration = 0; iteration < kIterations; ++iteration) {
    for (std::size_t row = 0; row < matrix.rows; ++row) {
      leading.rows[row] = std::inner_product(
          leading.columns.begin(), leading.columns.end(),
          matrix.values.begin() + static_cast<std::ptrdiff_t>(row * matrix.columns), 0.0);
    }
    const double rows_norm = norm_of(leading.rows);
    if (rows_norm <= 0) return leading;
    for (double& value : leading.rows)
      value /= rows_norm;
    std::ranges::fill(leading.columns, 0.0);
    for (std::size_t row = 0; row < matrix.rows; ++row) {
      for (std::size_t column = 0; column < matrix.columns; ++column) {
        leading.columns[column] += leading.rows[row] * matrix.at(row, column);
      }
    }
    leading.strength = norm_of(leading.columns);
    for (double& value : leading.columns)
      value /= leading.strength;
  }
  return leading;
}

/// Two clusters of values on a line.
struct TwoClusters {
  std::vector<int> of_value;  ///< 1 for the higher ones
  double explained = 0;       ///< share of the variance that lies between them
};

/// The cut with the largest variance between the clusters.
TwoClusters two_clusters(std::span<const double> values) {
  std::vector<double> ordered(values.begin(), values.end());
  std::ranges::sort(ordered);
  const auto n = static_cast<double>(ordered.size());
  const double mean = std::accumulate(ordered.begin(), ordered.end(), 0.0) / n;
  double total = 0;
  for (const double value : ordered)
    total += (value - mean) * (value - mean);
  double best = -1;
  double cut = 0;
  double below = 0;
  for (std::size_t i = 0; i + 1 < ordered.size(); ++i) {
    below += ordered[i] - mean;
    const auto count = static_cast<double>(i + 1);
    const double between = below * below * (1 / count + 1 / (n - count));
    if (between > best) {
      best = between;
      cut = (ordered[i] + ordered[i + 1]) / 2;
    }
  }
  TwoClusters clusters;
  clusters.explained = total > 0 ? best / total : 0;
  for (const double value : values)
    clusters.of_value.push_back(value > cut ? 1 : 0);
  return clusters;
}

/// What an access to the other side costs more, by least squares.
double penalty_of(const Matrix& centred, const Sides& sides) {
  Matrix far(centred.rows, centred.columns);
  for (std::size_t row = 0; row < far.rows; ++row) {
    for (std::size_t column = 0; column < far.columns; ++column) {
      far.at(row, column) = sides.of_row[row] != sides.of_column[column] ? 1 : 0;
    }
  }
  centre(far);
  const double product =
      std::inner_product(far.values.begin(), far.values.end(), centred.values.begin(), 0.0);
  const double norm = norm_of(far.values);
  return product / (norm * norm);
}

}  // namespace

std::optional<Sides> find_sides(const Matrix& latency) {
  if (latency.rows < 4 || latency.columns < 4) {
    throw std::invalid_argument("Two sides need at least 4 SMs and 4 addresses.");
  }
  Matrix centred = latency;
  clip_rows(centred);
  centre(centred);
  const Leading leading = leading_vectors(centred);
  const double norm = norm_of(centred.values);
  if (norm <= 0) return {};
  const double explained = leading.strength * leading.strength / (norm * norm);
  const TwoClusters rows = two_clusters(leading.rows);
  const TwoClusters columns = two_clusters(leading.columns);
  if (explained < kLeastExplained || rows.explained < kLeastTwoClusters ||
      columns.explained < kLeastTwoClusters) {
    return {};
  }
  Sides sides{.of_row = rows.of_value, .of_column = columns.of_value, .explained = explained};
  if (sides.of_row.front() == 1) {
    for (int& side : sides.of_row)
      side = 1 - side;
  }
  sides.penalty_cycles = penalty_of(centred, sides);
  if (sides.penalty_cycles < 0) {  // addresses whose labels agree with the SM's are the slow ones
    for (int& side : sides.of_column)
      side = 1 - side;
    sides.penalty_cycles = -sides.penalty_cycles;
  }
  return sides;
}

}  // namespace ladder::side_aware
