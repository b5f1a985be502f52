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

#include "bench/labs/analysis/kept_level.hpp"

namespace ladder::labs {
namespace {

constexpr int kResamples = 2000;
constexpr double kClocksDrift = 0.01;  ///< while a curve is measured

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

/// In logarithms, the line rises by 1 and the ceiling by 0; the first `grows` points lie on the
/// line.
struct TwoLines {
  std::size_t grows = 0;
  double slope = 0;
  double ceiling = 0;
  double error = std::numeric_limits<double>::infinity();  ///< root mean square

  double knee() const { return ceiling - slope; }
};

/// The two lines through so many and all other points.
TwoLines lines_through(std::span<const double> x, std::span<const double> y, std::size_t grows) {
  const std::size_t n = x.size();
  TwoLines lines = {.grows = grows};
  for (std::size_t i = 0; i < n; ++i) {
    if (i < grows)
      lines.slope += (y[i] - x[i]) / static_cast<double>(grows);
    else
      lines.ceiling += y[i] / static_cast<double>(n - grows);
  }
  double squares = 0;
  for (std::size_t i = 0; i < n; ++i)
    squares += std::pow(y[i] - std::min(lines.slope + x[i], lines.ceiling), 2);
  lines.error = std::sqrt(squares / static_cast<double>(n));
  return lines;
}

TwoLines fit_two_lines(std::span<const double> x, std::span<const double> y) {
  TwoLines best;
  for (std::size_t grows = 1; grows + 2 <= x.size(); ++grows) {
    const TwoLines lines = lines_through(x, y, grows);
    if (lines.error < best.error) best = lines;
  }
  return best;
}

/// Whether a curve grows as the line does, stops, and is close to both lines.
bool saturates(const TwoLines& lines, std::span<const double> x, std::span<const double> y) {
  constexpr double kMostError = 0.1;  // a real curve is round where the lines meet
  const auto growth = [&](std::size_t from, std::size_t to) {
    return (y[to] - y[from]) / (x[to] - x[from]);
  };
  const bool grows = y[lines.grows] - y[0] > 0.3 * (x[lines.grows] - x[0]);
  const bool stops = growth(lines.grows, x.size() - 1) < 0.3;
  return grows && stops && lines.knee() > x.front() && lines.knee() < x.back() &&
         lines.error < kMostError;
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
  const TwoLines lines = fit_two_lines(x, y);
  if (!saturates(lines, x, y)) return {};
  // How far medians may lie from the truth, and how far the curve lies from the two lines.
  const std::vector<Estimate> medians = safe_medians(curve);
  std::mt19937_64 random(curve.size());
  double slope_low = lines.slope, slope_high = lines.slope;
  double ceiling_low = lines.ceiling, ceiling_high = lines.ceiling;
  constexpr int kDraws = 400;
  for (int draw = 0; draw < kDraws; ++draw) {
    std::vector<double> drawn = y;
    for (std::size_t i = 0; i < y.size(); ++i)
      drawn[i] =
          std::log(std::uniform_real_distribution<double>(medians[i].low, medians[i].high)(random));
    const TwoLines other = fit_two_lines(x, drawn);
    slope_low = std::min(slope_low, other.slope);
    slope_high = std::max(slope_high, other.slope);
    ceiling_low = std::min(ceiling_low, other.ceiling);
    ceiling_high = std::max(ceiling_high, other.ceiling);
  }
  const double off = lines.error + kClocksDrift;
  const auto estimate = [&](double value, double low, double high, double apart) {
    return Estimate{std::exp(value), std::exp(low - apart), std::exp(high + apart)};
  };
  return Saturation{
      .slope = estimate(lines.slope, slope_low, slope_high, off),
      .ceiling = estimate(lines.ceiling, ceiling_low, ceiling_high, off),
      .knee = estimate(lines.knee(), ceiling_low - slope_high, ceiling_high - slope_low, 2 * off)};
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
