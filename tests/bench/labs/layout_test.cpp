// SPDX-License-Identifier: MIT
/// \file  tests/bench/labs/layout_test.cpp
/// \brief Full chips come out of the groups that are left when some SMs are switched off.
#include "bench/labs/analysis/layout.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <utility>

#include "bench/labs/simulator/memory_system.hpp"

namespace ladder::labs {
namespace {

/// Groups of the SMs that are left, in the order of their first members.
std::vector<int> left_over(int full, int unit, int groups, const std::vector<int>& off) {
  std::vector<int> left;
  std::map<int, int> numbers;
  for (int sm = 0; sm < full; ++sm) {
    if (std::ranges::find(off, sm) != off.end()) continue;
    const int group = sm / unit % groups;
    left.push_back(numbers.try_emplace(group, static_cast<int>(numbers.size())).first->second);
  }
  return left;
}

std::vector<int> missing_of(const Layout& layout) {
  std::vector<int> sms;
  for (const MissingSms& missing : layout.missing)
    sms.push_back(missing.full_sm);
  return sms;
}

/// Table 3: which two of a K80's 15 SMs are switched off.
class K80 : public testing::TestWithParam<std::pair<int, int>> {};

TEST_P(K80, ShowsWhichSmsAreOff) {
  const auto [a, b] = GetParam();
  const auto layout = layout_of(left_over(15, 1, 5, {a, b}));
  ASSERT_TRUE(layout);
  EXPECT_EQ(layout->full_sms, 15);
  EXPECT_EQ(layout->groups, 5);
  EXPECT_EQ(layout->unit, 1);
  EXPECT_EQ(missing_of(*layout), (std::vector<int>{a, b}));
  EXPECT_TRUE(layout->out_of_turn.empty());
}

INSTANTIATE_TEST_SUITE_P(Table3, K80,
                         testing::Values(std::pair{10, 11}, std::pair{10, 13}, std::pair{10, 12},
                                         std::pair{10, 14}, std::pair{12, 14}, std::pair{11, 14},
                                         std::pair{11, 12}, std::pair{13, 14}, std::pair{11, 13},
                                         std::pair{12, 13}, std::pair{5, 10}));

TEST(Layout, TheSimulatedCardsAreThoseOfThePaper) {
  const MemorySystemShape k80 = memory_system_of("k80");
  const auto of_k80 = layout_of(k80.tlb[1].group_of_sm);
  ASSERT_TRUE(of_k80);
  ASSERT_EQ(of_k80->missing.size(), 2u);
  EXPECT_EQ(of_k80->missing[0].after_sm, 9);  // both between SM 9 and SM 10
  EXPECT_EQ(of_k80->missing[1].after_sm, 9);
  const MemorySystemShape p100 = memory_system_of("p100");
  const auto of_p100 = layout_of(p100.tlb[1].group_of_sm);
  ASSERT_TRUE(of_p100);
  EXPECT_EQ(of_p100->full_sms, 60);
  EXPECT_EQ(of_p100->unit, 2);
  ASSERT_EQ(of_p100->missing.size(), 2u);
  for (const MissingSms& missing : of_p100->missing)
    EXPECT_EQ(missing.after_sm, 43);  // and before 44
}

TEST(Layout, AUnitOutOfTurnTakesThePlaceOfAMissingOne) {
  // Group 1 has no second SM in its turn, and one at the end.
  const auto layout = layout_of(std::vector{0, 1, 2, 3, 4, 5, 6, 7, 0, 2, 3, 4, 5, 6, 7, 1});
  ASSERT_TRUE(layout);
  EXPECT_EQ(layout->out_of_turn, std::vector{15});
  EXPECT_TRUE(layout->missing.empty());
  EXPECT_EQ(layout->full_sms, 16);
}

TEST(Layout, GroupsOfOneOrInAnotherOrderSayNothing) {
  EXPECT_FALSE(layout_of(std::vector{0, 1, 2, 3}));
  EXPECT_FALSE(layout_of(std::vector{0, 0, 0, 0, 1, 1, 1, 1}));
  EXPECT_FALSE(layout_of(std::vector{0, 0, 1, 1, 2, 2, 3, 3, 0, 3, 1, 2, 0, 3}));
  EXPECT_FALSE(layout_of(std::vector<int>()));
}

}  // namespace
}  // namespace ladder::labs
