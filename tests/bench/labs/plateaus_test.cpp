// SPDX-License-Identifier: MIT
/// \file  tests/bench/labs/plateaus_test.cpp
/// \brief Knees are found where a curve begins to rise, through all noise; what does not rise has
///        none.
#include "bench/labs/analysis/plateaus.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <stdexcept>

#include "tests/bench/labs/made_up_curves.hpp"

namespace ladder::labs {
namespace {

constexpr double kMiB = 1 << 20;
constexpr double kStep = 1.06;

TEST(Knees, AreWhereTheCurveBeginsToRise) {
  const auto curve =
      exact_curve(geometric(1, 1000, kStep), [](double x) { return ramp(x, 50, 90, 30, 280); });
  const std::vector<Knee> knees = find_knees(curve);
  ASSERT_EQ(knees.size(), 1u);
  EXPECT_DOUBLE_EQ(knees[0].before, 30);
  EXPECT_DOUBLE_EQ(knees[0].after, 280);
  EXPECT_NEAR(knees[0].onset, 50, 50 * (kStep * kStep - 1));
  EXPECT_GT(knees[0].first_deviation, 50);
  EXPECT_LT(knees[0].first_deviation, 50 * kStep * kStep);
  EXPECT_NEAR(knees[0].saturated, 90, 90 * (kStep - 1));
}

TEST(Knees, KeepTheirPlaceHoweverLongTheRiseIs) {
  // The split that explains such a curve best lies in the middle of the rise, far from the
  // capacity.
  for (const double end : {1.1, 1.5, 2.0, 3.0, 5.0}) {
    const auto curve = measured(
        geometric(1, 100, 1.03), [&](double x) { return ramp(x, 10, 10 * end, 250, 620); }, 9, 3);
    const std::vector<Knee> knees = find_knees(curve);
    ASSERT_EQ(knees.size(), 1u) << end;
    EXPECT_NEAR(knees[0].onset, 10, 10 * (0.07 + 0.05 * (end - 1))) << end;
    EXPECT_NEAR(knees[0].after, 620, 5) << end;
    EXPECT_NEAR(knees[0].saturated, 10 * end, 10 * end * 0.07) << end;
  }
}

TEST(Knees, AreOneForEachLevelOfAStaircase) {
  // A GH200: L1, its own side of L2, the other side, DRAM.
  const auto staircase = [](double x) {
    if (x <= 0.21 * kMiB) return 34.0;
    if (x <= 30 * kMiB) return 280.0;
    return x <= 60 * kMiB ? 500.0 : 650.0;
  };
  const std::vector<double> x = geometric(1024, 512 * kMiB, kStep);
  for (int seed = 0; seed < draws(); ++seed) {
    const std::vector<Knee> knees =
        find_knees(measured(x, staircase, 9, static_cast<std::uint64_t>(seed)));
    ASSERT_EQ(knees.size(), 3u) << "seed " << seed;
    const std::vector<double> capacities = {0.21 * kMiB, 30 * kMiB, 60 * kMiB};
    const std::vector<double> levels = {280, 500, 650};
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_LE(knees[i].onset, capacities[i] * kStep) << "seed " << seed << " knee " << i;
      EXPECT_GE(knees[i].onset, capacities[i] / kStep / kStep) << "seed " << seed << " knee " << i;
      EXPECT_NEAR(knees[i].after, levels[i], 3 * 1.5 + 0.004 * levels[i]) << "seed " << seed;
    }
  }
}

TEST(Knees, AreFoundWithFewSamplesForEachPoint) {
  const std::vector<double> x = geometric(1, 200, 1.02);
  for (int seed = 0; seed < draws(); ++seed) {
    const std::vector<Knee> knees = find_knees(measured(
        x, [](double v) { return v <= 40 ? 280.0 : 400.0; }, 3, static_cast<std::uint64_t>(seed)));
    ASSERT_EQ(knees.size(), 1u) << "seed " << seed;
    EXPECT_NEAR(knees[0].onset, 40, 40 * 0.045) << "seed " << seed;
  }
}

TEST(Knees, SmallStepsOfATlbAreFound) {
  const std::vector<double> x = geometric(4, 256, 1.05);
  for (int seed = 0; seed < draws(); ++seed) {
    const std::vector<Knee> knees = find_knees(measured(
        x, [](double v) { return v <= 32.5 ? 260.0 : 269.0; }, 9,
        static_cast<std::uint64_t>(seed)));
    ASSERT_EQ(knees.size(), 1u) << "seed " << seed;
    EXPECT_NEAR(knees[0].onset, 32.5, 32.5 * 0.1) << "seed " << seed;
    EXPECT_NEAR(knees[0].after - knees[0].before, 9, 3) << "seed " << seed;
  }
}

TEST(Knees, AFlatCurveHasNone) {
  const std::vector<double> x = geometric(1, 1e5, kStep);
  for (int seed = 0; seed < draws(); ++seed) {
    const auto curve = measured(
        x, [](double) { return 620.0; }, 6, static_cast<std::uint64_t>(seed));
    EXPECT_TRUE(find_knees(curve).empty()) << "seed " << seed;
  }
}

TEST(Knees, OneOrTwoOutliersAreNone) {
  for (const std::size_t from : {2u, 3u, 20u, 34u, 35u, 36u}) {
    for (const std::size_t points : {1u, 2u}) {
      std::vector<Point> curve;
      for (std::size_t i = 0; i < 40; ++i) {
        const bool outlier = i >= from && i < from + points;
        curve.push_back({.x = static_cast<double>(i), .samples = {outlier ? 700.0 : 280.0}});
      }
      EXPECT_TRUE(find_knees(curve).empty()) << points << " from " << from;
    }
  }
}

TEST(Knees, NeedFourPointsAfterTheRise) {
  for (const int risen : {1, 2, 3, 4, 10}) {
    std::vector<Point> curve;
    for (int i = 0; i < 40; ++i) {
      curve.push_back({.x = static_cast<double>(i), .samples = {i < 40 - risen ? 280.0 : 620.0}});
    }
    EXPECT_EQ(find_knees(curve).size(), risen < 4 ? 0u : 1u) << risen;
  }
}

TEST(Knees, AFallingCurveHasNone) {
  const auto curve =
      exact_curve(geometric(1, 1000, kStep), [](double x) { return ramp(x, 50, 60, 9000, 4000); });
  EXPECT_TRUE(find_knees(curve).empty());
}

TEST(Knees, AThrottledStretchIsNotOne) {
  // For some points all is slower, or faster, and then as it was before.
  const std::vector<double> x = geometric(1, 1000, kStep);
  const auto throttled = [&](std::size_t from, std::size_t points, double factor) {
    auto curve = measured(
        x, [](double v) { return v <= 100 ? 280.0 : 620.0; }, 9, 5);
    for (std::size_t i = from; i < from + points; ++i) {
      for (double& sample : curve[i].samples)
        sample *= factor;
    }
    return find_knees(curve);
  };
  for (const double factor : {0.85, 1.15}) {
    for (const std::size_t from : {20u, 50u, 90u}) {
      const std::vector<Knee> knees = throttled(from, 8, factor);
      ASSERT_EQ(knees.size(), 1u) << "from " << from << " by " << factor;
      EXPECT_NEAR(knees[0].onset, 100, 100 * (kStep - 1));
      EXPECT_NEAR(knees[0].before, 280, 5);
      EXPECT_NEAR(knees[0].after, 620, 5);
    }
  }
}

TEST(Knees, SlowDriftIsNotOne) {
  const std::vector<double> x = geometric(1, 1000, 1.02);
  for (int seed = 0; seed < draws(); ++seed) {
    const auto curve =
        measured(x, [](double) { return 400.0; }, 6, static_cast<std::uint64_t>(seed),
                 {.drift_share = 0.006, .drift_samples = 3000});
    EXPECT_TRUE(find_knees(curve).empty()) << "seed " << seed;
  }
}

TEST(Knees, LieBetweenLevelStretches) {
  const auto curve =
      exact_curve(geometric(1, 1000, kStep), [](double x) { return ramp(x, 50, 150, 30, 280); });
  const std::vector<Knee> knees = find_knees(curve);
  ASSERT_EQ(knees.size(), 1u);
  EXPECT_DOUBLE_EQ(knees[0].before, 30);
  EXPECT_DOUBLE_EQ(knees[0].after, 280);
  EXPECT_NEAR(knees[0].onset, 50, 50 * 0.13);
  EXPECT_NEAR(knees[0].saturated, 150, 150 * 0.13);
}

TEST(Knees, ShortCurvesHaveNone) {
  EXPECT_TRUE(find_knees({}).empty());
  for (const std::size_t points : {1u, 2u, 4u}) {
    std::vector<Point> curve;
    for (std::size_t i = 0; i < points; ++i) {
      curve.push_back({.x = static_cast<double>(i), .samples = {5}});
    }
    EXPECT_TRUE(find_knees(curve).empty()) << points;
  }
}

TEST(Knees, CurvesHavePointsInOrder) {
  const std::vector<Point> empty_point = {{.x = 1, .samples = {}}};
  EXPECT_THROW(find_knees(empty_point), std::invalid_argument);
  const std::vector<Point> out_of_order = {{.x = 2, .samples = {1}}, {.x = 1, .samples = {1}}};
  EXPECT_THROW(find_knees(out_of_order), std::invalid_argument);
}

}  // namespace
}  // namespace ladder::labs
