// SPDX-License-Identifier: MIT
/// \file  tests/bench/labs/energy_log_test.cpp
/// \brief Power comes out of an energy counter that moves in steps.
#include "bench/labs/instruments/energy_log.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>

namespace ladder::labs {
namespace {

/// Steps of a counter that moves every 0.1 s, at 500 W before second 2 and 600 W from then on.
std::vector<EnergyStep> steps() {
  std::vector<EnergyStep> all;
  for (int i = 1; i <= 60; ++i) {
    const double seconds = 0.1 * i;
    all.push_back({seconds, 500.0 * seconds + 100.0 * std::max(0.0, seconds - 2.0)});
  }
  return all;
}

TEST(EnergyLog, WindowsBeginAndEndAtSteps) {
  const std::vector<double> watts = watts_of(steps(), 2.05, 0.45);
  ASSERT_EQ(watts.size(), 7u);  // of 0.5 s each, from 2.1 to 5.6
  for (const double each : watts)
    EXPECT_NEAR(each, 600.0, 1e-6);
}

TEST(EnergyLog, WhatIsBeforeTheStartDoesNotCount) {
  EXPECT_NEAR(watts_of(steps(), 0.0, 1.0).front(), 500.0, 1e-6);
  EXPECT_TRUE(watts_of(steps(), 5.7, 1.0).empty());
  EXPECT_TRUE(watts_of({}, 0.0, 1.0).empty());
}

TEST(EnergyLog, ReadsACounterUntilItIsStopped) {
  const auto began = std::chrono::steady_clock::now();
  // Moves 50 times a second, at 300 W.
  EnergyLog log([&]() -> std::optional<double> {
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    return std::floor(seconds * 50.0) * 6.0;
  });
  while (log.now() < 0.5)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  const std::vector<double> watts = watts_of(log.stop(), 0.05, 0.3);
  ASSERT_EQ(watts.size(), 1u);
  EXPECT_NEAR(watts[0], 300.0, 30.0);
}

TEST(EnergyLog, ACounterThatSaysNothingGivesNothing) {
  EnergyLog log([]() -> std::optional<double> { return {}; });
  EXPECT_TRUE(log.stop().empty());
}

}  // namespace
}  // namespace ladder::labs
