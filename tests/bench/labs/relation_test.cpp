// SPDX-License-Identifier: MIT
/// \file  tests/bench/labs/relation_test.cpp
/// \brief Straight lines and rank correlations of two quantities.
#include "bench/labs/analysis/relation.hpp"

#include <gtest/gtest.h>

#include <random>
#include <stdexcept>
#include <vector>

namespace ladder::labs {
namespace {

using Values = std::vector<double>;

TEST(StraightLineTest, FindsALineWithoutNoise) {
  const StraightLine line = fit_line(Values{1, 2, 4, 8}, Values{5, 7, 11, 19});
  EXPECT_NEAR(line.slope, 2.0, 1e-12);
  EXPECT_NEAR(line.intercept, 3.0, 1e-12);
  EXPECT_NEAR(line.r_squared, 1.0, 1e-12);
}

TEST(StraightLineTest, ExplainsTheShareThatTheNoiseLeaves) {
  std::mt19937 random(7);
  std::normal_distribution<double> normal(0.0, 1.0);
  Values x;
  Values y;
  for (int i = 0; i < 20000; ++i) {
    x.push_back(normal(random));
    y.push_back(3.0 * x.back() + 4.0 * normal(random));
  }
  const StraightLine line = fit_line(x, y);
  EXPECT_NEAR(line.slope, 3.0, 0.1);
  EXPECT_NEAR(line.r_squared, 9.0 / 25.0, 0.02);
}

TEST(StraightLineTest, NothingExplainsWhatDoesNotVary) {
  EXPECT_EQ(fit_line(Values{2, 2, 2}, Values{1, 2, 3}).r_squared, 0.0);
  EXPECT_EQ(fit_line(Values{2, 2, 2}, Values{1, 2, 3}).intercept, 2.0);
  EXPECT_EQ(fit_line(Values{1, 2, 3}, Values{4, 4, 4}).r_squared, 1.0);
}

TEST(RankCorrelationTest, KnowsOrderAndNotDistance) {
  EXPECT_NEAR(rank_correlation(Values{1, 2, 3, 100}, Values{1, 10, 11, 12}), 1.0, 1e-12);
  EXPECT_NEAR(rank_correlation(Values{1, 2, 3, 4}, Values{9, 8, 2, 1}), -1.0, 1e-12);
  EXPECT_NEAR(rank_correlation(Values{1, 2, 3, 4, 5}, Values{2, 1, 4, 3, 5}), 0.8, 1e-12);
}

TEST(RankCorrelationTest, EqualValuesShareTheirRank) {
  // Ranks 1, 2.5, 2.5, 4 against 1, 2, 3, 4.
  EXPECT_NEAR(rank_correlation(Values{1, 2, 2, 3}, Values{1, 2, 3, 4}), 0.9486833, 1e-6);
  EXPECT_EQ(rank_correlation(Values{5, 5, 5}, Values{1, 2, 3}), 0.0);
}

TEST(RelationTest, RefusesWhatIsNoPairOfSeries) {
  EXPECT_THROW(fit_line(Values{1}, Values{1}), std::invalid_argument);
  EXPECT_THROW(fit_line(Values{1, 2}, Values{1, 2, 3}), std::invalid_argument);
  EXPECT_THROW(rank_correlation(Values{}, Values{}), std::invalid_argument);
}

}  // namespace
}  // namespace ladder::labs
