// SPDX-License-Identifier: MIT
/// \file  bench/labs/analysis/samples.cpp
#include "bench/labs/analysis/samples.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace ladder::labs {

double median_of(std::span<const double> values) {
  return quantile_of(values, 0.5);
}

double robust_sigma(std::span<const double> values) {
  constexpr double kSigmaOfMad = 1.4826;  // 1 / (0.75 quantile of the normal distribution)
  const double middle = median_of(values);
  std::vector<double> deviations;
  deviations.reserve(values.size());
  for (const double value : values)
    deviations.push_back(std::abs(value - middle));
  return kSigmaOfMad * median_of(deviations);
}

}  // namespace ladder::labs
