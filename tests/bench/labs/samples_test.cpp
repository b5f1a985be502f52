// SPDX-License-Identifier: MIT
/// \file  tests/bench/labs/samples_test.cpp
/// \brief Medians, quantiles and the spread of samples.
#include "bench/labs/analysis/samples.hpp"

#include <gtest/gtest.h>

#include <random>
#include <stdexcept>
#include <vector>

namespace ladder::labs {
namespace {

TEST(Samples, TheMedianOfAnEvenNumberLiesInTheMiddle) {
  EXPECT_DOUBLE_EQ(median_of(std::vector<double>{3, 1, 2}), 2);
  EXPECT_DOUBLE_EQ(median_of(std::vector<double>{4, 1, 3, 2}), 2.5);
  EXPECT_DOUBLE_EQ(median_of(std::vector<double>{7}), 7);
}

TEST(Samples, QuantilesInterpolate) {
  const std::vector<double> values = {50, 10, 30, 20, 40};
  EXPECT_DOUBLE_EQ(quantile_of(values, 0), 10);
  EXPECT_DOUBLE_EQ(quantile_of(values, 1), 50);
  EXPECT_DOUBLE_EQ(quantile_of(values, 0.25), 20);
  EXPECT_DOUBLE_EQ(quantile_of(values, 0.1), 14);
}

TEST(Samples, OutliersDoNotWidenTheSpread) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal(100, 2);
  std::vector<double> values;
  for (int i = 0; i < 2000; ++i)
    values.push_back(i % 50 == 0 ? 1000 : normal(random));
  EXPECT_NEAR(robust_sigma(values), 2, 0.25);
}

TEST(Samples, NothingHasNoMedian) {
  EXPECT_THROW(median_of({}), std::invalid_argument);
  EXPECT_THROW(robust_sigma({}), std::invalid_argument);
  EXPECT_THROW(quantile_of(std::vector<double>{1}, 1.5), std::invalid_argument);
}

}  // namespace
}  // namespace ladder::labs
