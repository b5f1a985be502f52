// SPDX-License-Identifier: MIT
/// \file  tests/common/side_aware/two_sides_test.cpp
/// \brief The sides of an L2 come out of a matrix of latencies, and only if there are two.
#include "common/side_aware/two_sides.hpp"

#include <gtest/gtest.h>

#include <random>
#include <stdexcept>

#include "tests/bench/labs/made_up_curves.hpp"

namespace ladder::side_aware {
namespace {

using labs::draws;

struct MadeUpSides {
  std::vector<int> of_sm;
  std::vector<int> of_address;
  Matrix latency;
};

/// Latencies with what is particular to SMs (25 cycles) and slices (12), noise and outliers (2 %).
MadeUpSides made_up(std::size_t sms, std::size_t addresses, double penalty, double share_of_side_1,
                    std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform;
  MadeUpSides made{.of_sm = {}, .of_address = {}, .latency = Matrix(sms, addresses)};
  std::vector<double> slices;
  for (std::size_t i = 0; i < sms; ++i)
    made.of_sm.push_back(uniform(random) < share_of_side_1);
  made.of_sm[0] = 0;
  made.of_sm[1] = 1;
  for (std::size_t i = 0; i < addresses; ++i) {
    made.of_address.push_back(uniform(random) < 0.5);
    slices.push_back(12 * normal(random));
  }
  for (std::size_t i = 0; i < sms; ++i) {
    const double sm = 25 * normal(random);
    for (std::size_t j = 0; j < addresses; ++j) {
      double& latency = made.latency.at(i, j);
      latency = 280 + sm + slices[j] + 1.5 * normal(random);
      if (made.of_sm[i] != made.of_address[j]) latency += penalty;
      if (uniform(random) < 0.02) latency += 300 * uniform(random);
    }
  }
  return made;
}

TEST(TwoSides, AreFoundExactly) {
  for (int seed = 0; seed < draws(); ++seed) {
    const double penalty = 30 + 15 * (seed % 10);
    const MadeUpSides made =
        made_up(132, 128, penalty, 0.3 + 0.04 * (seed % 10), static_cast<std::uint64_t>(seed));
    const std::optional<Sides> sides = find_sides(made.latency);
    ASSERT_TRUE(sides) << "seed " << seed;
    EXPECT_EQ(sides->of_row, made.of_sm) << "seed " << seed;
    EXPECT_EQ(sides->of_column, made.of_address) << "seed " << seed;
    EXPECT_NEAR(sides->penalty_cycles, penalty, 0.05 * penalty + 1) << "seed " << seed;
    EXPECT_GT(sides->explained, 0.6) << "seed " << seed;
  }
}

TEST(TwoSides, AreNotMadeUp) {
  for (int seed = 0; seed < draws(); ++seed) {
    const MadeUpSides made = made_up(66, 128, 0, 0.5, static_cast<std::uint64_t>(seed));
    EXPECT_FALSE(find_sides(made.latency)) << "seed " << seed;
  }
}

TEST(TwoSides, AreNotSeenInAGradient) {
  // A strong pair of singular vectors, but not two kinds of SMs, or not two kinds of addresses.
  const auto found = [](bool two_kinds_of_sms, bool two_kinds_of_addresses) {
    Matrix latency(40, 60);
    for (std::size_t i = 0; i < latency.rows; ++i) {
      for (std::size_t j = 0; j < latency.columns; ++j) {
        const double sm = two_kinds_of_sms ? i % 2 * 40.0 : static_cast<double>(i);
        const double address = two_kinds_of_addresses ? j % 2 * 60.0 : static_cast<double>(j);
        latency.at(i, j) = 300 + 0.1 * sm * address;
      }
    }
    return find_sides(latency).has_value();
  };
  EXPECT_FALSE(found(false, false));
  EXPECT_FALSE(found(true, false));
  EXPECT_FALSE(found(false, true));
  EXPECT_TRUE(found(true, true));
}

TEST(TwoSides, TheFirstSmIsOnSide0) {
  const MadeUpSides made = made_up(20, 40, 100, 0.5, 4);
  Matrix reversed(20, 40);
  for (std::size_t i = 0; i < 20; ++i) {
    for (std::size_t j = 0; j < 40; ++j)
      reversed.at(i, j) = made.latency.at(19 - i, j);
  }
  const std::optional<Sides> sides = find_sides(reversed);
  ASSERT_TRUE(sides);
  EXPECT_EQ(sides->of_row[0], 0);
  EXPECT_GT(sides->penalty_cycles, 0);
}

TEST(TwoSides, NeedSomeSmsAndAddresses) {
  EXPECT_THROW(find_sides(Matrix(3, 10)), std::invalid_argument);
  EXPECT_THROW(find_sides(Matrix(10, 3)), std::invalid_argument);
  EXPECT_FALSE(find_sides(Matrix(10, 10)));
}

}  // namespace
}  // namespace ladder::side_aware
