// SPDX-License-Identifier: MIT
/// \file  tests/bench/labs/groups_test.cpp
/// \brief SMs that share a TLB are told from those that do not, through noise and outliers.
#include "bench/labs/analysis/groups.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <stdexcept>

#include "tests/bench/labs/made_up_curves.hpp"

namespace ladder::labs {
namespace {

constexpr double kPenalty = 55;

/// Numbers groups in the order of their first members.
std::vector<int> renumbered(const std::vector<int>& groups) {
  std::vector<int> seen;
  std::vector<int> result;
  for (const int group : groups) {
    auto found = std::ranges::find(seen, group);
    if (found == seen.end()) found = seen.insert(seen.end(), group);
    result.push_back(static_cast<int>(found - seen.begin()));
  }
  return result;
}

/// The median of three matrices with noise; SMs differ by 25 cycles.
Matrix disturbed(const std::vector<int>& groups, std::uint64_t seed, int repeats = 3) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform;
  Matrix cycles(groups.size(), groups.size());
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const double sm = 25 * normal(random);
    for (std::size_t j = 0; j < groups.size(); ++j) {
      std::vector<double> samples;
      for (int repeat = 0; repeat < repeats; ++repeat) {
        double cycle = 280 + sm + 1.5 * normal(random);
        if (groups[i] == groups[j]) cycle += kPenalty;
        if (uniform(random) < 0.02) cycle += 600 * uniform(random);
        samples.push_back(cycle);
      }
      cycles.at(i, j) = median_of(samples);
    }
  }
  return cycles;
}

void expect_found(const std::vector<int>& groups, std::uint64_t seed, const std::string& what) {
  const auto found = find_groups(disturbed(groups, seed), kPenalty);
  ASSERT_TRUE(found) << what;
  EXPECT_EQ(found->of_row, renumbered(groups)) << what;
  EXPECT_EQ(found->count, std::ranges::max(renumbered(groups)) + 1) << what;
  EXPECT_GT(found->agreement, 0.98) << what;
}

TEST(Groups, LayoutsOfAnH200AreFound) {
  std::vector<int> pairs;
  std::vector<int> gpcs;
  std::vector<int> alone;
  for (int sm = 0; sm < 132; ++sm) {
    pairs.push_back(sm / 2);
    gpcs.push_back(sm / 2 % 8);  // 16 or 18 SMs each
    alone.push_back(sm);
  }
  for (int seed = 0; seed < draws() / 5; ++seed) {
    const auto number = static_cast<std::uint64_t>(seed);
    expect_found(pairs, number, "pairs, seed " + std::to_string(seed));
    expect_found(gpcs, number, "GPCs, seed " + std::to_string(seed));
    expect_found(alone, number, "alone, seed " + std::to_string(seed));
  }
}

TEST(Groups, RandomLayoutsAreFound) {
  std::mt19937_64 random(11);
  for (int seed = 0; seed < draws(); ++seed) {
    const std::size_t sms = 13 + random() % 60;
    const std::size_t count = 4 + random() % 10;
    std::vector<int> groups;
    for (std::size_t sm = 0; sm < sms; ++sm)
      groups.push_back(static_cast<int>(random() % count));
    expect_found(groups, static_cast<std::uint64_t>(seed), "seed " + std::to_string(seed));
  }
}

TEST(Groups, SingleMeasurementsWithOutliersAreEnoughForLargeGroups) {
  std::vector<int> groups;
  for (int sm = 0; sm < 132; ++sm)
    groups.push_back(sm / 2 % 8);
  const auto found = find_groups(disturbed(groups, 3, 1), kPenalty);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->of_row, renumbered(groups));
}

TEST(Groups, AreNotJoinedByOnePairThatWasDisturbed) {
  std::vector<int> groups;
  for (int sm = 0; sm < 32; ++sm)
    groups.push_back(sm / 8);
  Matrix cycles = disturbed(groups, 4);
  for (const auto& [i, j] : {std::pair{3, 12}, std::pair{12, 3}}) {
    cycles.at(static_cast<std::size_t>(i), static_cast<std::size_t>(j)) += kPenalty;
  }
  const auto found = find_groups(cycles, kPenalty);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->of_row, groups);
}

TEST(Groups, AreNotMadeOfOutliers) {
  // Far more cycles than a miss costs, there and back: something else took them.
  std::vector<int> alone;
  for (int sm = 0; sm < 20; ++sm)
    alone.push_back(sm);
  Matrix cycles = disturbed(alone, 4);
  cycles.at(3, 7) += 10 * kPenalty;
  cycles.at(7, 3) += 8 * kPenalty;
  const auto found = find_groups(cycles, kPenalty);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->of_row, alone);
}

TEST(Groups, WhatAllShareNeedsTheUndisturbedTime) {
  const std::vector<int> one(20, 0);
  const Matrix cycles = disturbed(one, 5);
  EXPECT_FALSE(find_groups(cycles, kPenalty));
  std::vector<double> undisturbed;
  for (std::size_t row = 0; row < 20; ++row) {
    const auto values = std::span(cycles.values).subspan(row * 20, 20);
    undisturbed.push_back(median_of(values) - kPenalty);
  }
  const auto found = find_groups(cycles, kPenalty, undisturbed);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->count, 1);
}

TEST(Groups, NothingIsFoundWhereSmsDoNotEvenDisturbThemselves) {
  Matrix flat(20, 20);
  std::ranges::fill(flat.values, 280);
  EXPECT_FALSE(find_groups(flat, kPenalty));
}

TEST(Groups, NothingIsFoundInAMatrixWithoutGroups) {
  std::mt19937_64 random(2);
  Matrix cycles(30, 30);
  for (std::size_t i = 0; i < 30; ++i) {
    for (std::size_t j = 0; j < 30; ++j) {
      cycles.at(i, j) = 280 + (i == j || random() % 3 == 0 ? kPenalty : 0);
    }
  }
  EXPECT_FALSE(find_groups(cycles, kPenalty));
}

TEST(Groups, NeedASquareMatrixAndAPenalty) {
  EXPECT_THROW(find_groups(Matrix(3, 4), 10), std::invalid_argument);
  EXPECT_THROW(find_groups(Matrix(3, 3), 0), std::invalid_argument);
  EXPECT_THROW(find_groups(Matrix(3, 3), 10, std::vector<double>{1}), std::invalid_argument);
}

}  // namespace
}  // namespace ladder::labs
