// SPDX-License-Identifier: MIT
/// \file  tests/bench/labs/two_sided_l2_test.cpp
/// \brief A simulated L2 of two sides: homes, copies, and what both sides together hold.
#include "bench/labs/simulator/two_sided_l2.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <stdexcept>

#include "bench/labs/analysis/replacement.hpp"

namespace ladder::labs {
namespace {

constexpr std::uint64_t kLine = 128;
constexpr std::uint64_t kSideBytes = 64 * 16 * kLine;

L2Shape two_sides(bool keeps_copies = true) {
  return {.side = {.bytes = kSideBytes},
          .sides = 2,
          .home_mask = 0xB3000,
          .keeps_copies = keeps_copies};
}

/// An address that is at home on this side.
std::uint64_t at_home_on(const TwoSidedL2& l2, int side) {
  std::uint64_t address = 0;
  while (l2.home_of(address) != side)
    address += 4096;
  return address;
}

TEST(TwoSidedL2, HomesFollowTheMaskWithinAPage) {
  const TwoSidedL2 l2(two_sides(), 5);
  for (std::uint64_t address = 0; address < 1 << 21; address += 4096) {
    const int parity = std::popcount(address & 0xB3000) & 1;
    EXPECT_EQ(l2.home_of(address), parity ^ l2.home_of(0));
  }
  int ones = 0;
  for (std::uint64_t page = 0; page < 200; ++page)
    ones += l2.home_of(page << 21);
  EXPECT_GT(ones, 60);
  EXPECT_LT(ones, 140);
}

TEST(TwoSidedL2, TheOtherSideIsFarUntilThereIsACopy) {
  TwoSidedL2 l2(two_sides(), 1);
  const std::uint64_t address = at_home_on(l2, 1);
  EXPECT_EQ(l2.load(1, address), L2Place::dram);
  EXPECT_EQ(l2.load(1, address), L2Place::near);
  EXPECT_EQ(l2.load(0, address), L2Place::far);
  EXPECT_EQ(l2.load(0, address), L2Place::near);
}

TEST(TwoSidedL2, WithoutCopiesItStaysFar) {
  TwoSidedL2 l2(two_sides(false), 1);
  const std::uint64_t address = at_home_on(l2, 1);
  EXPECT_EQ(l2.load(0, address), L2Place::dram);
  EXPECT_EQ(l2.load(0, address), L2Place::far);
  EXPECT_EQ(l2.load(0, address), L2Place::far);
}

TEST(TwoSidedL2, AtomicsAreDoneAtHome) {
  TwoSidedL2 l2(two_sides(), 1);
  const std::uint64_t address = at_home_on(l2, 1);
  EXPECT_EQ(l2.load(0, address), L2Place::dram);
  EXPECT_EQ(l2.load(0, address), L2Place::near);
  EXPECT_EQ(l2.at_home(0, address), L2Place::far);
  EXPECT_EQ(l2.at_home(0, address), L2Place::far);
  EXPECT_EQ(l2.at_home(1, address), L2Place::near);
}

/// Whether all lines of a footprint stay in L2 when SMs of these sides read it again and again.
bool holds(const L2Shape& shape, double capacities, int readers) {
  TwoSidedL2 l2(shape, 1);
  const auto lines = static_cast<std::uint64_t>(capacities * 2 * kSideBytes / kLine);
  bool all = true;
  for (int pass = 0; pass < 6; ++pass) {
    for (std::uint64_t line = 0; line < lines; ++line) {
      for (int side = 0; side < readers; ++side) {
        all = all & (l2.load(side, line * kLine) != L2Place::dram || pass < 5);
      }
    }
  }
  return all;
}

TEST(TwoSidedL2, HoldsHalfOfItsBytesIfBothSidesKeepAll) {
  EXPECT_TRUE(holds(two_sides(), 0.5, 2));
  EXPECT_FALSE(holds(two_sides(), 0.5 * 1.05, 2));
  EXPECT_TRUE(holds(two_sides(), 0.5, 1));
  EXPECT_TRUE(holds(two_sides(false), 1, 2));
  EXPECT_FALSE(holds(two_sides(false), 1.05, 2));
}

TEST(TwoSidedL2, OneSideIsAnOrdinaryCache) {
  TwoSidedL2 l2({.side = {.bytes = kSideBytes}}, 1);
  EXPECT_EQ(l2.home_of(123456), 0);
  EXPECT_EQ(l2.load(0, 4096), L2Place::dram);
  EXPECT_EQ(l2.load(0, 4096), L2Place::near);
  l2.clear();
  EXPECT_EQ(l2.load(0, 4096), L2Place::dram);
}

TEST(TwoSidedL2, RefusesShapesThatItCannotHave) {
  EXPECT_THROW(TwoSidedL2({.side = {.bytes = kSideBytes}, .sides = 3}, 1), std::invalid_argument);
  EXPECT_THROW(TwoSidedL2({.side = {.bytes = kSideBytes}, .sides = 2, .home_mask = 64}, 1),
               std::invalid_argument);
}

}  // namespace
}  // namespace ladder::labs
