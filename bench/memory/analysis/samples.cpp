// SPDX-License-Identifier: MIT
/// \file  bench/memory/analysis/samples.cpp
#include "bench/memory/analysis/samples.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace ladder::labs {

double quantile_of(std::span<const double> values, double share) {
  if (values.empty()) throw std::invalid_argument("A quantile needs at least one value.");
  if (!(share >= 0 && share <= 1)) {
    throw std::invalid_argument("The share of a quantile lies between 0 and 1.");
  }
  std::vector<double> ordered(values.begin(), values.end());
  const double place = share * static_cast<double>(ordered.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const auto at = ordered.begin() + static_cast<std::ptrdiff_t>(below);
  std::ranges::nth_element(ordered, at);
  const double low = *at;
  if (below + 1 == ordered.size()) return low;
  const double high = *std::ranges::min_element(at + 1, ordered.end());
  return low + (place - static_cast<double>(below)) * (high - low);
}

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
