// SPDX-License-Identifier: MIT
/// \file  tests/bench/labs/page_size_test.cpp
/// \brief Pages come out of how steps grow with the stride, and only if strides lie on both sides.
#include "bench/labs/analysis/page_size.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>

#include "tests/bench/labs/made_up_curves.hpp"

namespace ladder::labs {
namespace {

struct MadeUpTlb {
  double entries;
  double page;
  double cycles;
};

/// Curves of some levels of TLB; x and pages in the same unit.
std::vector<StrideCurve> curves(const std::vector<MadeUpTlb>& levels, double low_stride,
                                double high_stride) {
  std::vector<StrideCurve> result;
  for (double stride = low_stride; stride <= high_stride; stride *= 2) {
    const auto latency = [&](double x) {
      double cycles = 250;
      for (const MadeUpTlb& tlb : levels) {
        const double reach = tlb.entries * std::max(tlb.page, stride);
        if (x > reach) cycles += tlb.cycles * std::min(1.0, stride / tlb.page);
      }
      return cycles;
    };
    const auto seed = static_cast<std::uint64_t>(stride * 16);
    result.push_back(
        {.stride_bytes = stride, .curve = measured(geometric(8, 4000, 1.05), latency, 9, seed)});
  }
  return result;
}

TEST(PageSize, IsWhereStepsStopToGrow) {
  const std::vector<TlbLevel> levels = find_tlb_levels(curves({{50, 2, 80}}, 0.25, 16));
  ASSERT_EQ(levels.size(), 1u);
  EXPECT_EQ(levels[0].page_bytes, 2.0);
  EXPECT_NEAR(*levels[0].entries, 50, 3);
  EXPECT_NEAR(levels[0].reach_bytes, 100, 6);
  EXPECT_NEAR(levels[0].penalty_cycles, 80, 3);
}

TEST(PageSize, IsNotToldByStridesAboveIt) {
  const std::vector<TlbLevel> levels = find_tlb_levels(curves({{50, 0.125, 80}}, 0.25, 4));
  ASSERT_EQ(levels.size(), 1u);
  EXPECT_FALSE(levels[0].page_bytes);
  ASSERT_TRUE(levels[0].entries) << "each place of the walk needs an entry of its own";
  EXPECT_NEAR(*levels[0].entries, 50, 3);
  EXPECT_NEAR(levels[0].penalty_cycles, 80, 3);
}

TEST(PageSize, IsNotToldByStridesBelowIt) {
  const std::vector<TlbLevel> levels = find_tlb_levels(curves({{20, 32, 160}}, 2, 16));
  ASSERT_EQ(levels.size(), 1u);
  EXPECT_FALSE(levels[0].page_bytes);
}

TEST(PageSize, OfTwoLevelsThatAreFullAtTheSamePlace) {
  // With a stride of 8, the first level is full at 128, where the second one is, too.
  const std::vector<TlbLevel> levels =
      find_tlb_levels(curves({{16, 2, 40}, {16, 8, 100}}, 0.5, 32));
  ASSERT_EQ(levels.size(), 2u);
  EXPECT_EQ(levels[0].page_bytes, 2.0);
  EXPECT_NEAR(*levels[0].entries, 16, 1);
  EXPECT_NEAR(levels[0].penalty_cycles, 40, 3);
  EXPECT_EQ(levels[1].page_bytes, 8.0);
  EXPECT_NEAR(*levels[1].entries, 16, 1);
  EXPECT_NEAR(levels[1].penalty_cycles, 100, 5);
}

TEST(PageSize, OfARiseThatPauses) {
  // Most sets of the TLB overflow at its reach, the others when the walk is a sixth longer.
  constexpr double kEntries = 50;
  constexpr double kPage = 2;
  std::vector<StrideCurve> paused;
  for (double stride = 0.25; stride <= 16; stride *= 2) {
    const auto latency = [&](double x) {
      const double reach = kEntries * std::max(kPage, stride);
      const double share = x <= reach ? 0.0 : x <= 1.17 * reach ? 0.6 : 1.0;
      return 250 + 80 * share * std::min(1.0, stride / kPage);
    };
    const auto seed = static_cast<std::uint64_t>(stride * 16);
    paused.push_back(
        {.stride_bytes = stride, .curve = measured(geometric(8, 4000, 1.03), latency, 9, seed)});
  }
  const std::vector<TlbLevel> levels = find_tlb_levels(paused);
  ASSERT_EQ(levels.size(), 1u);
  EXPECT_EQ(levels[0].page_bytes, kPage);
  EXPECT_NEAR(*levels[0].entries, kEntries, 3);
  EXPECT_NEAR(levels[0].penalty_cycles, 80, 3);
}

TEST(PageSize, OfNothingIsNothing) {
  EXPECT_TRUE(find_tlb_levels(curves({}, 1, 8)).empty());
}

TEST(PageSize, NeedsStridesThatDouble) {
  std::vector<StrideCurve> some = curves({}, 1, 8);
  some[1].stride_bytes = 3;
  EXPECT_THROW(find_tlb_levels(some), std::invalid_argument);
  some.resize(2);
  EXPECT_THROW(find_tlb_levels(some), std::invalid_argument);
}

}  // namespace
}  // namespace ladder::labs
