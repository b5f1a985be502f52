// SPDX-License-Identifier: MIT
/// \file  bench/labs/analysis/relation.cpp
/// \brief How closely two quantities go together.
#include "bench/labs/analysis/relation.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <vector>

namespace ladder::labs {
namespace {

double mean_of(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

/// Sums of products of deviations from the means.
struct Deviations {
  double xx = 0.0;
  double xy = 0.0;
  double yy = 0.0;
};

Deviations deviations(std::span<const double> x, std::span<const double> y) {
  if (x.size() != y.size() || x.size() < 2)
    throw std::invalid_argument("a relation needs two points or more, each with an x and a y");
  const double mean_x = mean_of(x);
  const double mean_y = mean_of(y);
  Deviations sums;
  for (std::size_t i = 0; i < x.size(); ++i) {
    sums.xx += (x[i] - mean_x) * (x[i] - mean_x);
    sums.xy += (x[i] - mean_x) * (y[i] - mean_y);
    sums.yy += (y[i] - mean_y) * (y[i] - mean_y);
  }
  return sums;
}

/// 1 for the smallest value.
std::vector<double> ranks(std::span<const double> values) {
  std::vector<double> ranks;
  for (const double value : values) {
    const auto below = std::ranges::count_if(values, [&](double other) { return other < value; });
    const auto equal = std::ranges::count(values, value);
    ranks.push_back(static_cast<double>(below) + (static_cast<double>(equal) + 1.0) / 2.0);
  }
  return ranks;
}

}  // namespace

StraightLine fit_line(std::span<const double> x, std::span<const double> y) {
  const Deviations sums = deviations(x, y);
  if (sums.xx == 0.0) return {.slope = 0.0, .intercept = mean_of(y), .r_squared = 0.0};
  const double slope = sums.xy / sums.xx;
  return {.slope = slope,
          .intercept = mean_of(y) - slope * mean_of(x),
          .r_squared = sums.yy == 0.0 ? 1.0 : sums.xy * sums.xy / (sums.xx * sums.yy)};
}

bool clearly_better(const StraightLine& line, const StraightLine& other, std::size_t points) {
  constexpr double kLeastError = 1e-4;
  constexpr double kClearly = 10;
  const auto criterion = [&](const StraightLine& one) {
    return static_cast<double>(points) * std::log(std::max(1 - one.r_squared, kLeastError));
  };
  return criterion(other) - criterion(line) >= kClearly;
}

double rank_correlation(std::span<const double> x, std::span<const double> y) {
  const std::vector<double> rank_x = ranks(x);
  const std::vector<double> rank_y = ranks(y);
  const Deviations sums = deviations(rank_x, rank_y);
  if (sums.xx == 0.0 || sums.yy == 0.0) return 0.0;
  return sums.xy / std::sqrt(sums.xx * sums.yy);
}

}  // namespace ladder::labs
