// SPDX-License-Identifier: MIT
/// \file  tests/bench/labs/paired_slots_test.cpp
/// \brief Changes between kinds of slots come out of noise and drift, with honest intervals.
#include "bench/labs/analysis/paired_slots.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <random>
#include <stdexcept>

namespace ladder::labs {
namespace {

struct Conditions {
  double noise_share = 0.004;  ///< of each window
  double drift_share = 0;      ///< from the first slot to the last, linear in time
  double day_share = 0;        ///< normal, of each slot as a whole
};

/// Slots whose kind 1 takes `percent` more than kind 0.
std::vector<Slot> measured(double percent, const std::vector<int>& order, std::uint64_t seed,
                           const Conditions& conditions = {}) {
  constexpr int kWindows = 18;
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  std::vector<Slot> slots;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const double time = static_cast<double>(i) / static_cast<double>(order.size() - 1);
    const double exact = 600.0 * (order[i] == 1 ? 1.0 + percent / 100.0 : 1.0) *
                         (1.0 + conditions.drift_share * time) *
                         (1.0 + conditions.day_share * normal(random));
    Slot slot = {order[i], {}};
    for (int window = 0; window < kWindows; ++window)
      slot.samples.push_back(exact * (1.0 + conditions.noise_share * normal(random)));
    slots.push_back(slot);
  }
  return slots;
}

const std::vector<int> kThereAndBack = {0, 1, 2, 3, 3, 2, 1, 0};

TEST(PairedSlots, AChangeIsFoundWithItsInterval) {
  int inside = 0;
  constexpr int kDraws = 60;
  for (std::uint64_t seed = 1; seed <= kDraws; ++seed) {
    const Change change = change_between(measured(-9.0, kThereAndBack, seed), 0, 1, seed);
    EXPECT_NEAR(change.percent.value, -9.0, 0.6) << "seed " << seed;
    EXPECT_LT(change.percent.low, change.percent.value);
    EXPECT_GT(change.percent.high, change.percent.value);
    inside += change.least() <= -9.0 && change.most() >= -9.0 ? 1 : 0;
  }
  EXPECT_GE(inside, kDraws * 9 / 10);
}

TEST(PairedSlots, ADriftIsNoChange) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Conditions warming = {.noise_share = 0.002, .drift_share = 0.05};
    const Change change = change_between(measured(0.0, kThereAndBack, seed, warming), 0, 1, seed);
    EXPECT_NEAR(change.percent.value, 0.0, 0.3) << "seed " << seed;
    EXPECT_LT(change.floor_percent, 0.6) << "seed " << seed;
  }
  // In the order A B A B, the same drift looks like a change.
  const Conditions drifting = {.noise_share = 0.0, .drift_share = 0.05};
  const Change fooled = change_between(measured(0.0, {0, 1, 0, 1}, 1, drifting), 0, 1, 1);
  EXPECT_GT(fooled.percent.value, 1.0);
}

TEST(PairedSlots, SlotsThatDoNotRepeatWidenTheInterval) {
  int decided = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const Conditions restless = {.noise_share = 0.002, .day_share = 0.05};
    const Change change = change_between(measured(0.0, kThereAndBack, seed, restless), 0, 1, seed);
    EXPECT_LT(change.percent.high - change.percent.low, 2.0);  // what the windows alone would say
    decided += decide(change, -9.0, 2.0) == Decision::confirmed ? 1 : 0;
    decided += change.most() < 0 || change.least() > 0 ? 1 : 0;
  }
  EXPECT_LE(decided, 8) << "a change is seen where there is none";
}

TEST(PairedSlots, AHiccupDoesNotCount) {
  std::vector<Slot> slots = measured(-9.0, kThereAndBack, 3);
  slots[1].samples[4] *= 1.5;
  slots[0].samples[0] *= 0.4;
  EXPECT_NEAR(change_between(slots, 0, 1, 1).percent.value, -9.0, 0.6);
}

TEST(PairedSlots, ADecisionNeedsTheWholeInterval) {
  const auto with = [](double low, double value, double high, double floor = 0.0) {
    return Change{.percent = {value, low, high}, .floor_percent = floor};
  };
  EXPECT_EQ(decide(with(-9.5, -9.1, -8.6), -9.0, 2.0), Decision::confirmed);
  EXPECT_EQ(decide(with(-9.5, -9.1, -8.6, 3.0), -9.0, 2.0), Decision::undecided);
  EXPECT_EQ(decide(with(-2.0, -1.5, -1.0), -9.0, 2.0), Decision::refuted);
  EXPECT_EQ(decide(with(-14.0, -13.5, -13.0), -9.0, 2.0), Decision::refuted);
  EXPECT_EQ(decide(with(-2.0, -1.5, -1.0, 6.0), -9.0, 2.0), Decision::undecided);
  EXPECT_EQ(decide(with(-7.5, -6.9, -6.0), -9.0, 2.0), Decision::undecided);
}

TEST(PairedSlots, MissingSlotsAreRefused) {
  EXPECT_THROW(change_between(measured(0.0, {0, 0, 0}, 1), 0, 1, 1), std::invalid_argument);
  std::vector<Slot> slots = measured(0.0, {0, 1, 1, 0}, 1);
  slots[2].samples.clear();
  EXPECT_THROW(change_between(slots, 0, 1, 1), std::invalid_argument);
}

}  // namespace
}  // namespace ladder::labs
