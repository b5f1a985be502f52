// SPDX-License-Identifier: MIT
/// \file  tests/bench/labs/replacement_test.cpp
/// \brief Hit rates and bandwidths beyond a cache's capacity, and which replacement explains them.
#include "bench/labs/analysis/replacement.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <stdexcept>

#include "tests/bench/labs/made_up_curves.hpp"

namespace ladder::labs {
namespace {

TEST(HitRate, RandomVictimsKeepSomeOfACyclicSweep) {
  const std::vector<std::pair<double, double>> expected = {
      {1.1, 0.824}, {1.2, 0.686}, {1.28, 0.597}, {2, 0.203}, {2.56, 0.10}, {4, 0.020}};
  for (const auto& [x, h] : expected) {
    EXPECT_NEAR(hit_rate(Replacement::random, x), h, 0.0035) << x;
    const double root = hit_rate(Replacement::random, x);
    EXPECT_NEAR(root, std::exp(-x * (1 - root)), 1e-9) << x;
  }
}

TEST(HitRate, LruKeepsNothingAndTheBestKeepsItsShare) {
  EXPECT_EQ(hit_rate(Replacement::lru, 1.01), 0);
  EXPECT_DOUBLE_EQ(hit_rate(Replacement::proportional, 4), 0.25);
  for (const auto replacement :
       {Replacement::lru, Replacement::random, Replacement::proportional}) {
    EXPECT_EQ(hit_rate(replacement, 0.5), 1);
    EXPECT_EQ(hit_rate(replacement, 1), 1);
  }
  EXPECT_NEAR(hit_rate(Replacement::random, 1 + 1e-9), 1, 1e-3);
  EXPECT_THROW(hit_rate(Replacement::lru, 0), std::invalid_argument);
}

TEST(Bandwidth, OfSixtyMegabytesInACacheOfFifty) {
  const double h = hit_rate(Replacement::proportional, 60.0 / 50);
  EXPECT_NEAR(h, 0.833, 0.0005);
  EXPECT_NEAR(overlapped_bandwidth(h, 12000, 3350), 12000, 1);
}

TEST(Bandwidth, OfTwoHundredMegabytesInACacheOfFifty) {
  EXPECT_NEAR(overlapped_bandwidth(0.25, 12000, 3350), 4467, 1);
}

TEST(Bandwidth, GivesTheHitRateBack) {
  for (const double h : {0.1, 0.4, 0.6}) {
    EXPECT_NEAR(overlapped_hit_rate(overlapped_bandwidth(h, 12000, 3350), 12000, 3350), h, 1e-12);
  }
  EXPECT_EQ(overlapped_hit_rate(3000, 12000, 3350), 0);
  EXPECT_EQ(overlapped_hit_rate(12500, 12000, 3350), 1);
  EXPECT_EQ(overlapped_bandwidth(1, 12000, 3350), 12000);
  EXPECT_THROW(overlapped_bandwidth(0.5, 0, 3350), std::invalid_argument);
}

TEST(ReplacementFit, TellsWhichOneItWas) {
  std::mt19937_64 random(5);
  std::normal_distribution<double> noise(0, 0.02);
  for (int draw = 0; draw < draws(); ++draw) {
    for (const auto truth : {Replacement::lru, Replacement::random, Replacement::proportional}) {
      const double capacity = 20 + static_cast<double>(random() % 40);
      std::vector<Point> rates;
      for (const double x : geometric(10, 200, 1.12)) {
        rates.push_back({.x = x, .samples = {hit_rate(truth, x / capacity) + noise(random)}});
      }
      const ReplacementFit fit = fit_replacement(rates);
      EXPECT_EQ(fit.best, truth) << name_of(fit.best) << " for " << name_of(truth);
      EXPECT_TRUE(fit.decided);
      EXPECT_NEAR(fit.capacity.value, capacity, 0.12 * capacity);
      EXPECT_LT(fit.best_error, 0.04);
      EXPECT_GT(fit.second_error, fit.best_error);
    }
  }
}

TEST(ReplacementFit, DecidesNothingWhereAllFits) {
  std::vector<Point> rates;
  for (const double x : geometric(1, 100, 1.3))
    rates.push_back({.x = x, .samples = {1.0}});
  EXPECT_FALSE(fit_replacement(rates).decided);
  rates.resize(4);
  EXPECT_THROW(fit_replacement(rates), std::invalid_argument);
}

}  // namespace
}  // namespace ladder::labs
