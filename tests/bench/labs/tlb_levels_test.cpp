// SPDX-License-Identifier: MIT
/// \file  tests/bench/labs/tlb_levels_test.cpp
/// \brief Pages and entries of TLBs come out of walks with several strides; what they do not show
///        is not told.
#include "bench/labs/analysis/tlb_levels.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "bench/labs/simulator/noise.hpp"

namespace ladder::labs {
namespace {

constexpr std::uint64_t kKiB = 1 << 10;
constexpr std::uint64_t kMiB = 1 << 20;

struct MadeUpTlb {
  double entries;
  double page;
  double cycles;
  double ways = 0;  ///< 0: any entry holds any page
};

/// What misses in a level that forgets what was used longest ago, on a walk in circles.
double missing(const MadeUpTlb& tlb, double pages) {
  if (pages <= tlb.entries) return 0;
  if (tlb.ways == 0) return 1;
  return std::min(1.0, (tlb.ways + 1) * (pages - tlb.entries) / pages);
}

/// \param  also  cycles that come on top, by stride and places
TlbSearch search(const std::vector<MadeUpTlb>& levels, const WalkLimits& limits,
                 const std::function<double(double, double)>& also = nullptr) {
  Noise noise({}, 7);
  return find_tlb_levels(limits, [&](std::uint64_t stride, std::uint64_t places, std::uint64_t) {
    const auto bytes = static_cast<double>(stride);
    const auto count = static_cast<double>(places);
    double cycles = 250;
    for (const MadeUpTlb& tlb : levels) {
      const double pages = std::ceil(count * std::min(1.0, bytes / tlb.page));
      cycles += tlb.cycles * missing(tlb, pages) * std::min(1.0, bytes / tlb.page);
    }
    return noise.cycles(cycles + (also ? also(bytes, count) : 0));
  });
}

WalkLimits limits(std::uint64_t most_bytes = 4096 * kMiB) {
  return {.most_stride = 32 * kMiB, .most_bytes = most_bytes, .most_places = 4096};
}

void expect_holds(const std::optional<Estimate>& found, double truth, double most_width) {
  ASSERT_TRUE(found);
  EXPECT_LE(found->low, truth);
  EXPECT_GE(found->high, truth);
  EXPECT_LE(found->high - found->low, most_width);
}

TEST(TlbLevels, AreFoundWithTheirPagesAndEntries) {
  const TlbSearch found = search({{16, 128.0 * kKiB, 12}, {65, 2.0 * kMiB, 80}}, limits());
  ASSERT_EQ(found.levels.size(), 2u);
  EXPECT_TRUE(found.unresolved.empty());
  EXPECT_EQ(found.levels[0].page_bytes, 128 * kKiB);
  EXPECT_EQ(found.levels[1].page_bytes, 2 * kMiB);
  expect_holds(found.levels[0].entries, 16, 1);
  expect_holds(found.levels[1].entries, 65, 1);
  expect_holds(found.levels[0].reach_bytes, 2.0 * kMiB, 128.0 * kKiB);
  expect_holds(found.levels[1].reach_bytes, 130.0 * kMiB, 2.0 * kMiB);
  expect_holds(found.levels[0].penalty_cycles, 12, 4);
  expect_holds(found.levels[1].penalty_cycles, 80, 6);
}

TEST(TlbLevels, OfSetsRiseOverAShareOfTheirReach) {
  const TlbSearch found = search({{128, 1.0 * kMiB, 60, 8}}, limits());
  ASSERT_EQ(found.levels.size(), 1u);
  EXPECT_EQ(found.levels[0].page_bytes, kMiB);
  expect_holds(found.levels[0].entries, 128, 6);
  expect_holds(found.levels[0].penalty_cycles, 60, 6);
}

TEST(TlbLevels, OfPagesBelowAllStridesAreNotResolved) {
  const TlbSearch found = search({{50, 4.0 * kKiB, 80}}, limits());
  EXPECT_TRUE(found.levels.empty());
  EXPECT_FALSE(found.unresolved.empty());
}

TEST(TlbLevels, OfPagesAboveAllStridesHaveAReachOnly) {
  const TlbSearch found = search({{20, 128.0 * kMiB, 160}}, limits());
  ASSERT_EQ(found.levels.size(), 1u);
  expect_holds(found.levels[0].reach_bytes, 2560.0 * kMiB, 64.0 * kMiB);
  EXPECT_FALSE(found.levels[0].page_bytes);
  EXPECT_FALSE(found.levels[0].entries);
  EXPECT_FALSE(found.levels[0].penalty_cycles);
  EXPECT_FALSE(found.levels[0].why_not.empty());
}

TEST(TlbLevels, ACliffJustBeforeTheEndIsNotDenied) {
  // The walks end a fortieth beyond the reach.
  const TlbSearch found = search({{65, 2.0 * kMiB, 80}}, limits(134 * kMiB));
  EXPECT_EQ(found.levels.size() + found.unresolved.size(), 1u);
  for (const TlbLevel& level : found.levels)
    expect_holds(level.reach_bytes, 130.0 * kMiB, 6.0 * kMiB);
  for (const UnresolvedCliff& cliff : found.unresolved)
    expect_holds(cliff.begin_bytes, 130.0 * kMiB, 130.0 * kMiB);
}

TEST(TlbLevels, ARiseThatIsCutOffHasNoPenalty) {
  // Its sets fill up to 18 MiB, and the walks end at 17.
  const TlbSearch found = search({{128, 128.0 * kKiB, 90, 8}}, limits(17 * kMiB));
  ASSERT_EQ(found.levels.size(), 1u)
      << (found.unresolved.empty() ? "" : found.unresolved[0].why_not);
  expect_holds(found.levels[0].reach_bytes, 16.0 * kMiB, 1.0 * kMiB);
  EXPECT_FALSE(found.levels[0].penalty_cycles);
  EXPECT_NE(found.levels[0].why_not.find("walks end"), std::string::npos);
}

TEST(TlbLevels, ARiseInNoiseIsNotSaidToBeCutOff) {
  // The walks go on to sixteen times the reach; where the rise ends is lost in what lines differ
  // by.
  const TlbSearch found =
      search({{16, 1.0 * kMiB, 10}}, limits(256 * kMiB), [](double stride, double places) {
        const double pages = places * std::min(1.0, stride / kMiB);
        return pages > 16 ? 2.0 * std::sin(places * 7919) : 0.0;
      });
  for (const TlbLevel& level : found.levels) {
    if (level.penalty_cycles) continue;
    EXPECT_EQ(level.why_not.find("walks end"), std::string::npos) << level.why_not;
  }
}

TEST(TlbLevels, ALevelThatAnotherOneHidesKeepsItsPage) {
  // With strides of 2 MiB, the first level holds 40 places, and the second one 20 only.
  const TlbSearch found =
      search({{40, 256.0 * kKiB, 12}}, limits(), [](double stride, double places) {
        const double page = 2.0 * kMiB;
        const double pages = std::ceil(places * std::min(1.0, stride / page));
        return pages > 20 && places * std::min(1.0, stride / (256.0 * kKiB)) > 40
                   ? 70 * std::min(1.0, stride / page)
                   : 0.0;
      });
  for (const TlbLevel& level : found.levels) {
    if (level.reach_bytes.value < 11.0 * kMiB) continue;
    expect_holds(level.reach_bytes, 40.0 * kMiB, 4.0 * kMiB);
    EXPECT_FALSE(level.page_bytes);
  }
  EXPECT_GE(found.levels.size() + found.unresolved.size(), 2u);
}

TEST(TlbLevels, ACacheIsNone) {
  // 2000 lines fit, whatever lies between them: no page explains that.
  const TlbSearch found =
      search({}, limits(), [](double, double places) { return places > 2000 ? 200.0 : 0.0; });
  EXPECT_TRUE(found.levels.empty());
  EXPECT_FALSE(found.unresolved.empty());
}

TEST(TlbLevels, ASlopeIsNone) {
  const TlbSearch found =
      search({}, limits(), [](double, double places) { return 40 * std::log2(places); });
  EXPECT_TRUE(found.levels.empty());
}

TEST(TlbLevels, OfNothingAreNone) {
  const TlbSearch found = search({}, limits());
  EXPECT_TRUE(found.levels.empty());
  EXPECT_TRUE(found.unresolved.empty());
  EXPECT_EQ(found.farthest_bytes, 4096.0 * kMiB);
  EXPECT_LT(found.least_rise_cycles, 6);
}

TEST(TlbLevels, NeedSomethingToWalk) {
  const PageWalk walk = [](std::uint64_t, std::uint64_t, std::uint64_t) { return 250.0; };
  EXPECT_THROW(find_tlb_levels({.most_bytes = kKiB, .most_places = 100}, walk),
               std::invalid_argument);
  EXPECT_THROW(find_tlb_levels({.least_stride = 3000, .most_bytes = kMiB, .most_places = 9}, walk),
               std::invalid_argument);
  EXPECT_THROW(find_tlb_levels({.most_bytes = kMiB, .most_places = 9, .samples = 0}, walk),
               std::invalid_argument);
}

}  // namespace
}  // namespace ladder::labs
