// SPDX-License-Identifier: MIT
/// \file  tests/bench/labs/drawn_curves_test.cpp
/// \brief What analyses say of curves drawn at random is true; of flat ones, of noise and of mere
///        drift, they say nothing.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "bench/labs/analysis/kept_level.hpp"
#include "bench/labs/analysis/plateaus.hpp"
#include "bench/labs/analysis/replacement.hpp"
#include "bench/labs/analysis/saturation.hpp"
#include "tests/bench/labs/drawn_gpus.hpp"
#include "tests/bench/labs/made_up_curves.hpp"
#include "tests/bench/labs/tally.hpp"

namespace ladder::labs {
namespace {

const char* const kCurves = "curves with noise, outliers, drift and a throttled stretch";
const char* const kNegatives = "flat curves, nothing but noise, monotone drift";

NoiseShape noise_of_rates(Draw& draw) {
  return {.sigma_share = draw.octaves(0.001, 0.02),
          .outlier_share = draw.real(0, 0.04),
          .outlier_size = draw.octaves(0.1, 1),
          .drift_share = draw.real(0, 0.006),
          .drift_samples = draw.octaves(100, 20000),
          .throttled_longer = draw.real(0, 0.2),
          .throttled_samples = draw.between(0, 10)};
}

/// Rates as a lab measures them, in three rounds.
std::vector<Point> rates_of(const std::vector<double>& xs, int repeats, Noise& noise,
                            const std::function<double(double)>& exact) {
  std::vector<Point> curve;
  curve.reserve(xs.size());
  for (const double x : xs)
    curve.push_back({.x = x, .samples = {}});
  for (int round = 0; round < 3; ++round)
    for (Point& point : curve)
      for (int i = 0; i < repeats / 3; ++i)
        point.samples.push_back(noise.rate(exact(point.x)));
  return curve;
}

/// A curve without anything in it: as flat as noise lets it be, any value anywhere, or drift alone.
std::function<double(double)> nothing_of(Draw& draw, double most_x) {
  const int kind = draw.between(0, 2);
  const double level = draw.octaves(10, 10000);
  const double drift = draw.real(-0.03, 0.03) / most_x;
  if (kind == 0) return [=](double) { return level; };
  if (kind == 1) return [&draw, level](double) { return level * draw.octaves(0.5, 2); };
  return [=](double x) { return level * (1 + drift * x); };
}

TEST(DrawnCurves, KeepALevelUpToWhereTheyLoseIt) {
  Tally tally("Up to where a curve keeps a level", kCurves, 0.9);
  for (int i = 0; i < draws(); ++i) {
    const std::uint64_t seed = seed_of_draw(i);
    Draw draw(seed);
    Noise noise(noise_of_rates(draw), seed);
    const double high = draw.octaves(10, 10000);
    const double low = high * draw.real(0.2, 0.7);
    const double from = draw.octaves(4, 200);
    const double to = from * draw.octaves(1.01, 4);
    const auto exact = [&](double x) { return ramp(x, from, to, high, low); };
    const std::vector<Point> curve =
        rates_of(geometric(1, 1000, draw.octaves(1.05, 1.6)), draw.one_of({3, 6, 9}), noise, exact);
    const double level = low + draw.real(0.2, 0.9) * (high - low);
    const auto kept = kept_level(curve, {level, 0.99 * level, 1.01 * level});
    std::optional<Estimate> told;
    if (kept && kept->kept && kept->lost) told = Estimate{*kept->kept, *kept->kept, *kept->lost};
    tally.take(seed, told, told && exact(told->low) >= level && exact(told->high) < level);
  }
}

TEST(DrawnCurves, WithoutALevelToLoseLoseNone) {
  Tally tally("Up to where a curve keeps a level: nothing to find", kNegatives, 1);
  for (int i = 0; i < draws(); ++i) {
    const std::uint64_t seed = seed_of_draw(i);
    Draw draw(seed);
    Noise noise(noise_of_rates(draw), seed);
    const std::vector<Point> curve =
        rates_of(geometric(1, 1000, draw.octaves(1.1, 1.4)), 9, noise, nothing_of(draw, 1000));
    const Estimate best = highest_of(safe_medians(curve));
    const auto kept = kept_level(curve, {0.8 * best.value, 0.8 * best.low, 0.8 * best.high});
    std::optional<Estimate> told;
    if (kept && kept->kept && kept->lost) told = Estimate{*kept->kept, *kept->kept, *kept->lost};
    tally.take_nothing(seed, told);
  }
}

TEST(DrawnCurves, SaturateWhereTheFitSays) {
  Tally knees("Where a bandwidth stops to grow", kCurves, 0.3);
  Tally slopes("How a bandwidth grows", kCurves, 0.3);
  for (int i = 0; i < draws(); ++i) {
    const std::uint64_t seed = seed_of_draw(i);
    Draw draw(seed);
    Noise noise(noise_of_rates(draw), seed);
    const double slope = draw.octaves(1, 1000);
    const double knee = draw.octaves(3, 30);
    // Infinitely sharp, or as round as the knee of an H200.
    const double sharp = draw.coin() ? 1000 : draw.octaves(6, 30);
    const auto exact = [&](double x) {
      return slope * x / std::pow(1 + std::pow(x / knee, sharp), 1 / sharp);
    };
    const auto fit = fit_saturation(
        rates_of(geometric(1, 100, draw.octaves(1.2, 1.7)), draw.one_of({3, 6, 15}), noise, exact));
    knees.take(seed, fit ? std::optional(fit->knee) : std::nullopt, knee);
    slopes.take(seed, fit ? std::optional(fit->slope) : std::nullopt, slope);
  }
}

TEST(DrawnCurves, ThatDoNotSaturateHaveNoKnee) {
  Tally tally("Where a bandwidth stops to grow: nothing to find",
              "flat curves, noise, drift, lines without an end, roots", 1);
  for (int i = 0; i < draws(); ++i) {
    const std::uint64_t seed = seed_of_draw(i);
    Draw draw(seed);
    Noise noise(noise_of_rates(draw), seed);
    std::function<double(double)> exact = nothing_of(draw, 100);
    const int kind = draw.between(0, 3);
    if (kind == 0) exact = [](double x) { return 3 * x; };
    if (kind == 1) exact = [](double x) { return 3 * std::sqrt(x); };
    const auto fit = fit_saturation(rates_of(geometric(1, 100, 1.4), 9, noise, exact));
    tally.take_nothing(seed, fit ? std::optional(fit->knee) : std::nullopt);
  }
}

TEST(DrawnCurves, OfHitRatesTellCapacityAndReplacement) {
  Tally capacities("Capacity of a cache by hit rates", kCurves, 0.8);
  Tally names("How a cache replaces lines", kCurves, 0.8);
  for (int i = 0; i < draws(); ++i) {
    const std::uint64_t seed = seed_of_draw(i);
    Draw draw(seed);
    std::normal_distribution<double> normal(0, draw.octaves(0.001, 0.01));
    const auto replacement =
        draw.one_of({Replacement::lru, Replacement::random, Replacement::proportional});
    const double capacity = draw.octaves(1, 100);
    std::vector<Point> rates;
    for (const double x : geometric(0.7, 5, draw.octaves(1.05, 1.25))) {
      Point point = {.x = x * capacity, .samples = {}};
      for (int sample = 0; sample < 5; ++sample)
        point.samples.push_back(
            std::clamp(hit_rate(replacement, x) + normal(draw.random()), 0.0, 1.0));
      rates.push_back(point);
    }
    const ReplacementFit fit = fit_replacement(rates);
    capacities.take(seed, fit.explained ? std::optional(fit.capacity) : std::nullopt, capacity);
    names.take(seed, fit.explained && fit.decided ? std::optional(fit.capacity) : std::nullopt,
               fit.best == replacement);
  }
}

TEST(DrawnCurves, OfLatencyWithoutRisesHaveNoKnees) {
  Tally tally("Where a latency rises: nothing to find", "flat curves and drift of the clock", 1);
  for (int i = 0; i < draws(); ++i) {
    const std::uint64_t seed = seed_of_draw(i);
    Draw draw(seed);
    const double level = draw.octaves(30, 1000);
    NoiseShape shape = noise_of_rates(draw);
    shape.sigma_cycles = draw.octaves(0.3, 3);
    const auto knees = find_knees(measured(
        geometric(1, 1000, draw.octaves(1.06, 1.2)), [&](double) { return level; }, 9, seed,
        shape));
    std::optional<Estimate> told;
    if (!knees.empty()) told = Estimate{knees[0].onset, knees[0].least, knees[0].saturated};
    tally.take_nothing(seed, told);
  }
}

}  // namespace
}  // namespace ladder::labs
