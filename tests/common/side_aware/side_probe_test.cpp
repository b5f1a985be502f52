// SPDX-License-Identifier: MIT
/// \file  tests/common/side_aware/side_probe_test.cpp
/// \brief The side of an address comes out of latencies from SMs of both sides, by a line that was
///        drawn before: a batch may lie on one side as a whole.
#include "common/side_aware/side_probe.hpp"

#include <gtest/gtest.h>

#include <random>

namespace ladder::side_aware {
namespace {

/// Latencies of addresses from four SMs of side 0 and four of side 1, which are farther from L2.
Matrix latencies(const std::vector<int>& homes, double penalty, unsigned seed) {
  constexpr double kNear = 290.0;
  constexpr double kFartherSms = 60.0;
  std::mt19937 random(seed);
  std::normal_distribution<double> noise(0.0, 15.0);
  Matrix cycles(8, homes.size());
  for (std::size_t row = 0; row < 8; ++row) {
    const int side = row < 4 ? 0 : 1;
    for (std::size_t i = 0; i < homes.size(); ++i)
      cycles.at(row, i) =
          kNear + side * kFartherSms + (homes[i] != side ? penalty : 0.0) + noise(random);
  }
  return cycles;
}

TEST(SideProbe, ABatchOfOneSideIsSeenAsOne) {
  const Comparison comparison = {.sms = {0, 1, 2, 3, 4, 5, 6, 7}, .middle = 60.0};
  for (unsigned seed = 1; seed <= 20; ++seed) {
    std::mt19937 random(seed);
    for (const int kind : {0, 1, 2}) {
      std::vector<int> homes(200);
      for (int& home : homes)
        home = kind == 2 ? static_cast<int>(random() % 2) : kind;
      EXPECT_EQ(sides_by_comparison(latencies(homes, 197.0, seed), comparison), homes)
          << "seed " << seed << ", kind " << kind;
    }
  }
}

}  // namespace
}  // namespace ladder::side_aware
