// SPDX-License-Identifier: MIT
/// \file  common/side_aware/latency_matrix.cpp
#include "common/side_aware/latency_matrix.hpp"

#include <algorithm>
#include <stdexcept>

namespace ladder::side_aware {

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

}  // namespace ladder::side_aware
