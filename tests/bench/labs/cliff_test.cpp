// SPDX-License-Identifier: MIT
/// \file  tests/bench/labs/cliff_test.cpp
/// \brief Where a rise begins, within an interval that holds the truth.
#include "bench/labs/analysis/cliff.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include "tests/bench/labs/drawn_gpus.hpp"
#include "tests/bench/labs/made_up_curves.hpp"

namespace ladder::labs {
namespace {

std::vector<double> counts(int from, int to, int step = 1) {
  std::vector<double> x;
  for (int i = from; i <= to; i += step)
    x.push_back(i);
  return x;
}

/// Misses of a walk in circles through x entries of a cache whose sets fill one after the other.
double missing(double x, double entries, double ways) {
  if (x <= entries) return 0;
  return ways == 0 ? 1 : std::min(1.0, (ways + 1) * (x - entries) / x);
}

TEST(Cliff, IntervalsHoldTheTruth) {
  for (int seed = 0; seed < 5 * draws(); ++seed) {
    Draw draw(static_cast<std::uint64_t>(seed));
    const int entries = draw.between(8, 60);
    const int ways = draw.one_of({0, 4, 8, 16});
    const double rise = draw.octaves(15, 300);
    const auto exact = [&](double x) { return 250 + rise * missing(x, entries, ways); };
    const auto cliff = fit_cliff(measured(counts(entries * 3 / 4, entries * 3 / 2 + 4), exact, 18,
                                          static_cast<std::uint64_t>(seed)),
                                 1);
    ASSERT_TRUE(cliff) << "seed " << seed;
    EXPECT_LE(cliff->begin.low, entries) << "seed " << seed;
    EXPECT_GE(cliff->begin.high, entries) << "seed " << seed;
    EXPECT_LE(cliff->begin.high - cliff->begin.low, 0.3 * entries + 3) << "seed " << seed;
    ASSERT_TRUE(cliff->rise) << "seed " << seed;
    EXPECT_LE(cliff->rise->low, rise) << "seed " << seed;
    EXPECT_GE(cliff->rise->high, rise) << "seed " << seed;
  }
}

TEST(Cliff, OfCoarseStepsMayBeginBetweenThem) {
  const auto exact = [](double x) { return x <= 517 ? 250.0 : 310.0; };
  const auto cliff = fit_cliff(measured(counts(400, 700, 10), exact, 9, 1), 1);
  ASSERT_TRUE(cliff);
  EXPECT_LE(cliff->begin.low, 510);
  EXPECT_GE(cliff->begin.high, 519);
}

TEST(Cliff, ThatIsCutOffHasNoRise) {
  const auto exact = [](double x) { return 250 + 100 * missing(x, 64, 4); };
  const auto cliff = fit_cliff(measured(counts(50, 72), exact, 18, 1), 1);
  ASSERT_TRUE(cliff);
  EXPECT_FALSE(cliff->rise);
  EXPECT_LE(cliff->begin.low, 64);
  EXPECT_GE(cliff->begin.high, 64);
}

TEST(Cliff, IsNoneWhereTheCurveIsLevelOrRisesTwiceOrFromTheStart) {
  const auto level = [](double) { return 250.0; };
  const auto twice = [](double x) { return x <= 51 ? 290.0 : x <= 66 ? 301.0 : 331.0; };
  const auto start = [](double x) { return x <= 50 ? 250.0 : 300.0; };
  for (int seed = 0; seed < draws(); ++seed) {
    const auto number = static_cast<std::uint64_t>(seed);
    EXPECT_FALSE(fit_cliff(measured(counts(40, 90), level, 18, number), 1)) << "seed " << seed;
    EXPECT_FALSE(fit_cliff(measured(counts(40, 90), twice, 18, number), 1)) << "seed " << seed;
    EXPECT_FALSE(fit_cliff(measured(counts(50, 90), start, 18, number), 1)) << "seed " << seed;
  }
}

TEST(Cliff, NeedsPoints) {
  EXPECT_THROW(fit_cliff(exact_curve({1, 2, 3}, [](double x) { return x; }), 1),
               std::invalid_argument);
}

}  // namespace
}  // namespace ladder::labs
