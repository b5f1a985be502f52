// SPDX-License-Identifier: MIT
/// \file  bench/labs/analysis/saturation.cpp
#include "bench/labs/analysis/saturation.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <stdexcept>
#include <vector>

namespace ladder::labs {
namespace {

constexpr int kResamples = 2000;

/// \brief  95 % interval of a statistic, from samples drawn with replacement.
/// \source the percentile bootstrap: Efron and Tibshirani, An Introduction to the Bootstrap, 1993
Estimate median_interval(std::span<const double> values, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_int_distribution<std::size_t> pick(0, values.size() - 1);
  std::vector<double> medians;
  std::vector<double> drawn(values.size());
  for (int i = 0; i < kResamples; ++i) {
    for (double& value : drawn)
      value = values[pick(random)];
    medians.push_back(median_of(drawn));
  }
  return {.value = median_of(values),
          .low = quantile_of(medians, 0.025),
          .high = quantile_of(medians, 0.975)};
}

}  // namespace

std::optional<Saturation> fit_saturation(std::span<const Point> curve) {
  if (curve.size() < 4) throw std::invalid_argument("Saturation needs at least 4 points.");
  std::vector<double> x;
  std::vector<double> y;
  for (const Point& point : curve) {
    x.push_back(std::log(point.x));
    y.push_back(std::log(median_of(point.samples)));
  }
  // In logarithms, the line rises by 1 and the ceiling by 0; `grows` points lie on the line.
  const std::size_t n = x.size();
  double least = std::numeric_limits<double>::infinity();
  std::size_t best = 0;
  double best_slope = 0;
  double best_ceiling = 0;
  for (std::size_t grows = 1; grows + 2 <= n; ++grows) {
    double slope = 0;
    double ceiling = 0;
    for (std::size_t i = 0; i < n; ++i) {
      if (i < grows) {
        slope += (y[i] - x[i]) / static_cast<double>(grows);
      } else {
        ceiling += y[i] / static_cast<double>(n - grows);
      }
    }
    double squares = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const double error = y[i] - std::min(slope + x[i], ceiling);
      squares += error * error;
    }
    if (squares < least) {
      least = squares;
      best = grows;
      best_slope = slope;
      best_ceiling = ceiling;
    }
  }
  const double knee = best_ceiling - best_slope;
  const auto growth = [&](std::size_t from, std::size_t to) {
    return (y[to] - y[from]) / (x[to] - x[from]);
  };
  const bool grows = y[best] - y[0] > 0.3 * (x[best] - x[0]);
  const bool stops = growth(best, n - 1) < 0.3;
  if (!grows || !stops || knee <= x.front() || knee >= x.back()) return {};
  return Saturation{
      .slope = std::exp(best_slope), .ceiling = std::exp(best_ceiling), .knee = std::exp(knee)};
}

double bytes_in_flight(double gbps, double latency_cycles, double clock_mhz) {
  return gbps * 1e9 * latency_cycles / (clock_mhz * 1e6);
}

Estimate paired_ratio(std::span<const double> a, std::span<const double> b, std::uint64_t seed) {
  if (a.size() != b.size() || a.size() < 4) {
    throw std::invalid_argument("A paired ratio needs at least 4 samples of each, in pairs.");
  }
  std::vector<double> ratios;
  for (std::size_t i = 0; i < a.size(); ++i)
    ratios.push_back(a[i] / b[i]);
  return median_interval(ratios, seed);
}

Estimate median_with_interval(std::span<const double> samples, std::uint64_t seed) {
  if (samples.empty()) throw std::invalid_argument("A median needs at least one sample.");
  return median_interval(samples, seed);
}

}  // namespace ladder::labs
