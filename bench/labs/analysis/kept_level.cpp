// SPDX-License-Identifier: MIT
/// \file  bench/labs/analysis/kept_level.cpp
#include "bench/labs/analysis/kept_level.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace ladder::labs {
namespace {

/// Normal noise of a single sample, as a share of what it measures.
double noise_share(std::span<const Point> curve) {
  std::vector<double> shares;
  for (const Point& point : curve) {
    const double middle = median_of(point.samples);
    for (const double sample : point.samples)
      // A median is mostly one of its samples, which says nothing about their noise.
      if (sample != middle && middle != 0) shares.push_back(std::abs(sample / middle - 1));
  }
  constexpr double kSigmaOfMad = 1.4826;
  return shares.empty() ? 0 : kSigmaOfMad * median_of(shares);
}

Estimate safe_median(std::vector<double> samples, double noise) {
  constexpr double kDrift = 0.01;  // of the clock, while a curve is measured
  constexpr double kSigmas = 4;
  std::ranges::sort(samples);
  const std::size_t n = samples.size();
  const std::size_t trimmed = (n - 1) / 4;
  const double middle = median_of(samples);
  const double margin =
      std::abs(middle) * (kDrift + kSigmas * noise / std::sqrt(static_cast<double>(n)));
  // Of three samples, two may have been disturbed: the truth still lies between all of them.
  return {
      .value = middle, .low = samples[trimmed] - margin, .high = samples[n - 1 - trimmed] + margin};
}

}  // namespace

std::vector<Estimate> safe_medians(std::span<const Point> curve) {
  if (std::ranges::any_of(curve, [](const Point& point) { return point.samples.empty(); }))
    throw std::invalid_argument("A point of the curve has no samples.");
  const double noise = noise_share(curve);
  std::vector<Estimate> medians;
  medians.reserve(curve.size());
  for (const Point& point : curve)
    medians.push_back(safe_median(point.samples, noise));
  return medians;
}

Estimate highest_of(std::span<const Estimate> values) {
  if (values.empty()) throw std::invalid_argument("There is no highest of no values.");
  Estimate highest = values.front();
  for (const Estimate& value : values) {
    highest.value = std::max(highest.value, value.value);
    highest.low = std::max(highest.low, value.low);
    highest.high = std::max(highest.high, value.high);
  }
  return highest;
}

std::optional<KeptLevel> kept_level(std::span<const Point> curve, const Estimate& level) {
  const std::vector<Estimate> medians = safe_medians(curve);
  KeptLevel found;
  for (std::size_t i = 0; i < curve.size(); ++i) {
    if (medians[i].low >= level.high) {
      if (found.lost) return {};
      found.kept = curve[i].x;
    } else if (medians[i].high < level.low && !found.lost) {
      found.lost = curve[i].x;
    }
  }
  return found;
}

}  // namespace ladder::labs
