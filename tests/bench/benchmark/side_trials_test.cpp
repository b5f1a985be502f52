// SPDX-License-Identifier: MIT
/// \file  tests/bench/benchmark/side_trials_test.cpp
/// \brief What the trials of rung 21 tell clusters about their side of L2.
#include "bench/benchmark/side_trials.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

namespace ladder::bench {
namespace {

using side_aware::MultiprocessorSides;
using side_aware::SideBits;

constexpr int kSms = 132;

/// Sides as an H100 has them: of whole pairs, 66 SMs on each.
MultiprocessorSides a_gpu() {
  MultiprocessorSides found;
  found.multiprocessors = kSms;
  for (int sm = 0; sm < kSms; ++sm)
    if (sm / 2 % 2 == 1) found.bits.set(sm), ++found.on_side_1;
  return found;
}

SideTrial trial_named(const std::string& name) {
  const std::vector<SideTrial> trials = side_trials(a_gpu());
  const auto found =
      std::ranges::find_if(trials, [&](const SideTrial& trial) { return trial.name == name; });
  if (found == trials.end()) throw std::out_of_range(name);
  return *found;
}

/// [told][is]: how many SMs.
std::array<std::array<int, 2>, 2> told(const SideBits& sides) {
  const MultiprocessorSides truth = a_gpu();
  std::array<std::array<int, 2>, 2> count = {};
  for (int sm = 0; sm < kSms; ++sm)
    ++count.at(sides.of(sm)).at(truth.bits.of(sm));
  return count;
}

TEST(SideTrialsTest, RightIsWhatWasFoundAndOffIsNothing) {
  const auto right = told(*trial_named("sides_right").sides);
  EXPECT_EQ(right[0][1] + right[1][0], 0);
  EXPECT_FALSE(trial_named("sides_off").sides.has_value());
}

TEST(SideTrialsTest, WrongHasSmsOfBothSidesOnEach) {
  for (const auto& of_side : told(*trial_named("sides_wrong").sides)) {
    EXPECT_EQ(of_side[0] + of_side[1], 66);
    EXPECT_LE(std::abs(of_side[0] - of_side[1]), 2);
  }
}

TEST(SideTrialsTest, ByChanceIsNeither) {
  const auto random = told(*trial_named("sides_random").sides);
  for (const auto& of_side : random) {
    EXPECT_GT(of_side[0], 10);
    EXPECT_GT(of_side[1], 10);
  }
}

// A cluster of two blocks runs on a pair, and asks the first block's SM alone.
TEST(SideTrialsTest, PairsStayTogether) {
  for (const SideTrial& trial : side_trials(a_gpu())) {
    for (int sm = 0; trial.sides && sm < kSms; sm += 2)
      EXPECT_EQ(trial.sides->of(sm), trial.sides->of(sm + 1)) << trial.name << ", SM " << sm;
  }
}

}  // namespace
}  // namespace ladder::bench
