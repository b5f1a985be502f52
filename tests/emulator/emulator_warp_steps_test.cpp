// SPDX-License-Identifier: MIT
/// \file  tests/emulator/emulator_warp_steps_test.cpp
/// \brief Which steps of other warps a warp is sure to come after. No kernel runs here.
#include <gtest/gtest.h>

#include "emulator/trace/warp_steps.hpp"

namespace ladder::emulator {
namespace {

/// Warp 0 takes a step.
class EmulatorWarpSteps : public testing::Test {
 protected:
  WarpSteps steps;
  const std::uint32_t step = steps.take(0);
  const int barrier = 0;
  const int other_barrier = 0;
};

TEST_F(EmulatorWarpSteps, NothingOrdersWarpsByItself) {
  EXPECT_TRUE(steps.knows(0, 0, step));
  EXPECT_FALSE(steps.knows(1, 0, step));
}

TEST_F(EmulatorWarpSteps, ABarrierOfTheBlockTellsAll) {
  steps.pass_barrier();
  EXPECT_TRUE(steps.knows(31, 0, step));
  EXPECT_FALSE(steps.knows(31, 0, steps.take(0)));
}

TEST_F(EmulatorWarpSteps, AnArrivalCountsWhenTheBarrierIsComplete) {
  steps.arrive(0, &barrier);
  steps.acquire(1, &barrier);
  EXPECT_FALSE(steps.knows(1, 0, step));
  steps.complete(&barrier);
  steps.acquire(1, &barrier);
  EXPECT_TRUE(steps.knows(1, 0, step));
  EXPECT_FALSE(steps.knows(2, 0, step));
}

TEST_F(EmulatorWarpSteps, WhatAWarpWasToldItPassesOn) {
  steps.release(0, &barrier);
  steps.acquire(1, &barrier);
  steps.release(1, &other_barrier);
  steps.acquire(2, &other_barrier);
  EXPECT_TRUE(steps.knows(2, 0, step));
}

TEST_F(EmulatorWarpSteps, ATellerThatCameBeforeTellsNothing) {
  steps.release(0, &barrier);
  const std::uint32_t later = steps.take(0);
  steps.acquire(1, &barrier);
  EXPECT_TRUE(steps.knows(1, 0, step));
  EXPECT_FALSE(steps.knows(1, 0, later));
}

TEST_F(EmulatorWarpSteps, AnotherBlockMayKnowOfEverything) {
  steps.arrive_from_elsewhere(&barrier);
  steps.complete(&barrier);
  steps.acquire(1, &barrier);
  EXPECT_TRUE(steps.knows(1, 0, step));
}

TEST_F(EmulatorWarpSteps, SoMayAFlagOfWhichNothingIsKnown) {
  steps.acquire(1, &barrier);
  EXPECT_TRUE(steps.knows(1, 0, step));
}

TEST_F(EmulatorWarpSteps, TheNextBlockBeginsAnew) {
  steps.pass_barrier();
  steps.release(1, &barrier);
  steps.start_block();
  EXPECT_EQ(steps.take(0), step);
  EXPECT_FALSE(steps.knows(1, 0, step));
  steps.acquire(1, &barrier);  // a flag of which nothing is known now
  EXPECT_TRUE(steps.knows(1, 0, step));
}

}  // namespace
}  // namespace ladder::emulator
