// SPDX-License-Identifier: MIT
/// \file  tests/emulator/emulator_turns_test.cpp
/// \brief Who goes on when a thread waits: by warps or lanes, as a call or the environment says.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "emulator/run/settings.hpp"
#include "tests/emulator/probes.hpp"

namespace ladder::emulator {
namespace {

constexpr int kWarps = 3;
constexpr int kThreads = 32 * kWarps;

class EmulatorTurns : public testing::Test {
 protected:
  ~EmulatorTurns() override { set_thread_turns(ThreadTurns::kWarpByWarp); }
};

struct Numbers {
  std::vector<int> first = std::vector<int>(kThreads, -1);
  std::vector<int> second = std::vector<int>(kThreads, -1);
};

Numbers numbers_taken(ThreadTurns turns) {
  Numbers numbers;
  set_thread_turns(turns);
  probes::take_numbers(numbers.first.data(), numbers.second.data());
  return numbers;
}

TEST_F(EmulatorTurns, WarpsComeOneBehindTheOther) {
  const Numbers numbers = numbers_taken(ThreadTurns::kWarpByWarp);
  EXPECT_TRUE(std::ranges::is_sorted(numbers.first));
}

// All lanes 0 come first, then all lanes 1. Nobody passes __syncwarp() before its warp's last lane.
TEST_F(EmulatorTurns, LanesComeOneBehindTheOtherInAllWarps) {
  const Numbers numbers = numbers_taken(ThreadTurns::kLaneByLane);
  for (int thread = 0; thread < kThreads; ++thread) {
    const int lane = thread % 32;
    const int warp = thread / 32;
    if (lane < 31) {
      EXPECT_EQ(numbers.first[thread], kWarps * lane + warp) << thread;
    }
    EXPECT_GT(numbers.second[thread], numbers.first[32 * warp + 31]) << thread;
  }
  // The first warp goes on from its first lane, before the last lanes of the others have come.
  EXPECT_LT(numbers.second[0], numbers.first[kThreads - 1]);
}

TEST_F(EmulatorTurns, OneLaneRunsAheadWhereNothingStopsIt) {
  std::vector<int> own(32);
  std::iota(own.begin(), own.end(), 0);
  std::vector<int> out(32);
  probes::released_too_early(out.data());
  EXPECT_EQ(out, own);

  set_thread_turns(ThreadTurns::kLaneByLane);
  probes::released_too_early(out.data());
  std::vector<int> spoiled(32, -1);
  spoiled[0] = 0;
  EXPECT_EQ(out, spoiled);
}

class EmulatorTurnsDeathTest : public testing::Test {
 protected:
  EmulatorTurnsDeathTest() { testing::FLAGS_gtest_death_test_style = "threadsafe"; }
  ~EmulatorTurnsDeathTest() override { unsetenv("LADDER_THREAD_TURNS"); }
};

TEST_F(EmulatorTurnsDeathTest, TheEnvironmentSaysWho) {
  for (const auto& [value, lane_by_lane] :
       {std::pair("lanes", true), std::pair("warps", false), std::pair("", false)}) {
    setenv("LADDER_THREAD_TURNS", value, 1);
    EXPECT_EXIT(std::exit((thread_turns() == ThreadTurns::kLaneByLane) == lane_by_lane ? 0 : 1),
                testing::ExitedWithCode(0), "")
        << value;
  }
}

TEST_F(EmulatorTurnsDeathTest, WhatItDoesNotKnowIsRefused) {
  for (const char* const value :
       {"lane", "LANES", "lanes ", " warps", "warp", "0", "1", "blocks"}) {
    setenv("LADDER_THREAD_TURNS", value, 1);
    EXPECT_EXIT(
        {
          try {
            int first[kThreads];
            int second[kThreads];
            probes::take_numbers(first, second);
          } catch (const std::invalid_argument& error) {
            std::cerr << error.what();
            std::exit(7);
          }
        },
        testing::ExitedWithCode(7),
        std::string("LADDER_THREAD_TURNS=") + value + " .*warps .*lanes")
        << value;
  }
}

}  // namespace
}  // namespace ladder::emulator
