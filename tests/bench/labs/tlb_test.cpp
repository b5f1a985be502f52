// SPDX-License-Identifier: MIT
/// \file  tests/bench/labs/tlb_test.cpp
/// \brief Simulated TLBs: what they reach, who shares them, and what misses cost.
#include "bench/labs/simulator/tlb.hpp"

#include <gtest/gtest.h>

namespace ladder::labs {
namespace {

constexpr std::uint64_t kPage = 1 << 21;

TEST(AssociativeTlb, KeepsThePagesThatWereUsedLast) {
  AssociativeTlb tlb(3);
  EXPECT_FALSE(tlb.access(10));
  EXPECT_FALSE(tlb.access(20));
  EXPECT_FALSE(tlb.access(30));
  EXPECT_TRUE(tlb.access(10));
  EXPECT_FALSE(tlb.access(40));  // in place of 20
  EXPECT_TRUE(tlb.access(30));
  EXPECT_TRUE(tlb.access(10));
  EXPECT_FALSE(tlb.access(20));
  tlb.clear();
  EXPECT_FALSE(tlb.access(10));
}

TEST(AssociativeTlb, OfOneEntryWorks) {
  AssociativeTlb tlb(1);
  EXPECT_FALSE(tlb.access(0));
  EXPECT_TRUE(tlb.access(0));
  EXPECT_FALSE(tlb.access(1));
  EXPECT_FALSE(tlb.access(0));
}

/// Levels that miss on average, in a later lap over so many pages.
double missed(TlbLevels& tlb, std::uint64_t pages, std::uint64_t stride = kPage) {
  tlb.clear();
  std::size_t total = 0;
  for (int lap = 0; lap < 3; ++lap) {
    total = 0;
    for (std::uint64_t page = 0; page < pages; ++page)
      total += tlb.access(0, page * stride);
  }
  return static_cast<double>(total) / static_cast<double>(pages);
}

TEST(TlbLevels, ReachTheirEntriesTimesTheirPages) {
  TlbLevels tlb({{.entries = 16, .page_bytes = kPage, .miss_cycles = 9},
                 {.entries = 65, .page_bytes = kPage, .coalesced_pages = 16, .miss_cycles = 110}},
                1);
  EXPECT_EQ(missed(tlb, 16), 0);
  EXPECT_EQ(missed(tlb, 17), 1);
  EXPECT_EQ(missed(tlb, 65 * 16), 1);
  EXPECT_GT(missed(tlb, 66 * 16), 1);
  EXPECT_EQ(missed(tlb, 66, 16 * kPage), 2);
  EXPECT_EQ(tlb.cycles_of(0), 0);
  EXPECT_EQ(tlb.cycles_of(1), 9);
  EXPECT_EQ(tlb.cycles_of(2), 119);
  EXPECT_EQ(tlb.levels()[1].reach_bytes(), 65 * 16 * kPage);
}

TEST(TlbLevels, OneMissFetchesTheNeighboursToo) {
  TlbLevels tlb({{.entries = 4, .page_bytes = kPage, .coalesced_pages = 16, .miss_cycles = 1}}, 1);
  EXPECT_EQ(tlb.access(0, 0), 1u);
  for (std::uint64_t page = 1; page < 16; ++page)
    EXPECT_EQ(tlb.access(0, page * kPage), 0u);
  EXPECT_EQ(tlb.access(0, 16 * kPage), 1u);
}

TEST(TlbLevels, SetsUnderModuloHoldLessOfAWideStride) {
  TlbLevels tlb({{.entries = 64, .ways = 8, .page_bytes = kPage, .miss_cycles = 1}}, 1);
  EXPECT_EQ(missed(tlb, 64), 0);
  EXPECT_EQ(missed(tlb, 32, 2 * kPage), 0);
  EXPECT_GT(missed(tlb, 33, 2 * kPage), 0);
}

TEST(TlbLevels, AreSharedByGroups) {
  TlbLevels tlb({{.entries = 4, .page_bytes = kPage, .miss_cycles = 1, .group_of_sm = {0, 0, 1}}},
                1);
  EXPECT_EQ(tlb.access(0, 0), 1u);
  EXPECT_EQ(tlb.access(1, 0), 0u);
  EXPECT_EQ(tlb.access(2, 0), 1u);
}

TEST(TlbLevels, NoneCostNothing) {
  TlbLevels tlb({}, 1);
  EXPECT_EQ(tlb.access(3, 1 << 30), 0u);
  EXPECT_EQ(tlb.cycles_of(0), 0);
}

}  // namespace
}  // namespace ladder::labs
