// SPDX-License-Identifier: MIT
/// \file  tests/bench/labs/saturation_test.cpp
/// \brief Little's law is found in curves that follow it, and the intervals of medians hold the
///        truth.
#include "bench/labs/analysis/saturation.hpp"

#include <gtest/gtest.h>

#include <random>
#include <stdexcept>

#include "tests/bench/labs/made_up_curves.hpp"

namespace ladder::labs {
namespace {

std::vector<Point> bandwidths(double slope, double ceiling, std::uint64_t seed) {
  Noise noise({}, seed);
  std::vector<Point> curve;
  for (double x = 1; x <= 64; x *= 1.4) {
    Point point{.x = x, .samples = {}};
    for (int i = 0; i < 7; ++i)
      point.samples.push_back(noise.rate(std::min(slope * x, ceiling)));
    curve.push_back(point);
  }
  return curve;
}

TEST(Little, BytesInFlightOfAnH200) {
  EXPECT_NEAR(bytes_in_flight(9700, 280, 1980), 1.37e6, 0.005e6);
  EXPECT_NEAR(bytes_in_flight(4800, 680, 1980), 1.65e6, 0.005e6);
}

TEST(Saturation, IsWhereBothLinesMeet) {
  for (int seed = 0; seed < draws(); ++seed) {
    const double knee = 4 + seed % 20;
    const auto fit = fit_saturation(bandwidths(300, 300 * knee, static_cast<std::uint64_t>(seed)));
    ASSERT_TRUE(fit) << "seed " << seed;
    EXPECT_NEAR(fit->slope.value, 300, 6) << "seed " << seed;
    EXPECT_NEAR(fit->ceiling.value, 300 * knee, 6 * knee) << "seed " << seed;
    EXPECT_NEAR(fit->knee.value, knee, 0.04 * knee) << "seed " << seed;
  }
}

TEST(Saturation, IsNotFoundInWhatNeverStopsOrNeverGrows) {
  EXPECT_FALSE(fit_saturation(bandwidths(300, 1e9, 1)));
  EXPECT_FALSE(fit_saturation(bandwidths(1e6, 4000, 1)));
  std::vector<Point> root;
  for (double x = 1; x <= 64; x *= 2)
    root.push_back({.x = x, .samples = {std::sqrt(x)}});
  EXPECT_FALSE(fit_saturation(root));
  root.resize(3);
  EXPECT_THROW(fit_saturation(root), std::invalid_argument);
}

TEST(Intervals, HoldTheTruthAboutNineteenTimesInTwenty) {
  std::mt19937_64 random(9);
  std::normal_distribution<double> normal(100, 5);
  int held = 0;
  constexpr int kTrials = 100;
  for (int trial = 0; trial < kTrials; ++trial) {
    std::vector<double> samples;
    for (int i = 0; i < 25; ++i)
      samples.push_back(normal(random));
    const Estimate median = median_with_interval(samples, static_cast<std::uint64_t>(trial));
    EXPECT_LE(median.low, median.value);
    EXPECT_GE(median.high, median.value);
    held += median.low <= 100 && 100 <= median.high;
  }
  EXPECT_GE(held, 88);
  EXPECT_LE(held, 100);
}

TEST(Intervals, PairsCancelWhatBothShare) {
  // Both drift by a third; only their ratio stays.
  std::mt19937_64 random(9);
  std::normal_distribution<double> normal(1, 0.005);
  std::vector<double> a;
  std::vector<double> b;
  for (int i = 0; i < 30; ++i) {
    const double drift = 1 + i / 90.0;
    a.push_back(104 * drift * normal(random));
    b.push_back(100 * drift * normal(random));
  }
  const Estimate ratio = paired_ratio(a, b, 1);
  EXPECT_NEAR(ratio.value, 1.04, 0.006);
  EXPECT_GT(ratio.low, 1.03);
  EXPECT_LT(ratio.high, 1.05);
  EXPECT_LT(ratio.low, ratio.high);
}

TEST(Intervals, NeedSamplesInPairs) {
  const std::vector<double> four = {1, 2, 3, 4};
  const std::vector<double> three = {1, 2, 3};
  EXPECT_THROW(paired_ratio(four, three, 1), std::invalid_argument);
  EXPECT_THROW(paired_ratio(three, three, 1), std::invalid_argument);
  EXPECT_THROW(median_with_interval({}, 1), std::invalid_argument);
}

}  // namespace
}  // namespace ladder::labs
