// SPDX-License-Identifier: MIT
/// \file  tests/ladder/plan_test.cpp
/// \brief The model that picks rung 14's configuration, with made-up ones whose sums can be done by
///        hand.
#include "ladder/14_every_shape/plan.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <random>
#include <vector>

namespace ladder::every_shape {
namespace {

/// Stream-K with tiles of 10 x 10 x 10, where multiplying a k tile takes 1 us and nothing else any.
Configuration splitting() {
  return {.name = "splitting",
          .cluster = 1,
          .BM = 10,
          .BN = 10,
          .BK = 10,
          .blocks = 1,
          .start_us = 0,
          .tile_us = 0,
          .step_us = 1,
          .wait_us = 0,
          .part_us = 0,
          .fan_in = 1,
          .launch = nullptr};
}

/// A block for each tile of 10 x 10 x 10.
Configuration whole() {
  Configuration configuration = splitting();
  configuration.name = "whole";
  configuration.cluster = 1;
  configuration.fan_in = 0;
  return configuration;
}

/// DRAM of 1e6 bytes per microsecond, as far as kernels reach it.
Card card_with(int sms) {
  return {sms, 1e6 / kDramShare};
}

/// DRAM takes next to nothing for matrices this small, but not nothing.
constexpr double kDramUs = 2e-4;

/// From the first block's start to that of the last one, of so many on SMs of their own.
double begin_us(int blocks) {
  return kSpreadUs * std::log2(blocks);
}

void expect_split(const Plan& plan, const Decomposition& expected) {
  EXPECT_EQ(plan.split.k_tiles, expected.k_tiles);
  EXPECT_EQ(plan.split.first_split, expected.first_split);
  EXPECT_EQ(plan.split.ranks, expected.ranks);
  EXPECT_EQ(plan.split.share, expected.share);
  EXPECT_EQ(plan.split.longer, expected.longer);
}

// -- Picking -------------------------------------------------------------------------------------

TEST(PlanTest, TheQuickestIsPickedAndOfEqualsTheFirst) {
  std::array<Configuration, 4> configurations = {whole(), whole(), whole(), whole()};
  configurations[0].step_us = 3;
  configurations[1].step_us = 2;
  configurations[2].step_us = 2;
  const std::vector<Plan> plans = plans_for(configurations, {10, 10, 100}, card_with(4));
  ASSERT_EQ(plans.size(), 4u);
  for (std::size_t i = 0; i < plans.size(); ++i) {
    EXPECT_EQ(plans[i].configuration, &configurations[i]) << "in their order";
  }
  EXPECT_EQ(&quickest(plans), &plans[3]);
  EXPECT_EQ(&quickest(std::span(plans).first(3)), &plans[1]) << "two are as fast as each other";
  EXPECT_EQ(&quickest(std::span(plans).first(1)), &plans[0]);
}

TEST(PlanTest, MoreTilesThanAnIntCountsTakeTheirTime) {
  constexpr int kHuge = 1 << 20;
  constexpr long long kTiles = 1LL << 36;
  for (Configuration configuration : {splitting(), whole()}) {
    configuration.BM = configuration.BN = 4;
    configuration.step_us = 1e3;  // longer than DRAM takes
    const Plan plan = plan_for(configuration, {kHuge, kHuge, 10}, card_with(128));
    EXPECT_EQ(plan.tiles, kTiles) << configuration.name;
    EXPECT_NEAR(plan.us, kTiles / 128 * 1e3, kTiles / 128) << configuration.name;
  }
}

// -- Whole tiles ---------------------------------------------------------------------------------

TEST(PlanTest, ABlockPerTileGoesInWaves) {
  Configuration configuration = whole();
  configuration.blocks = 2;
  configuration.start_us = 7;
  configuration.tile_us = 3;
  configuration.step_us = 2;
  configuration.wait_us = 0.5;
  // 9 tiles, edges included: up to 3 on one of 4 SMs, in 2 turns of 2.
  const Plan plan = plan_for(configuration, {30, 25, 15}, card_with(4));
  EXPECT_EQ(plan.tiles, 9);
  EXPECT_EQ(plan.k_tiles, 2);
  EXPECT_EQ(plan.split_tiles, 0);
  // K is one and a half k tiles: the second one is waited for, but half of it is no work.
  EXPECT_NEAR(plan.us, 7 + begin_us(4) + 3 * (1.5 * 2 + 3) + 2 * 2 * 0.5, kDramUs);
  EXPECT_EQ(plan.cluster, 1);
}

// -- Clusters ------------------------------------------------------------------------------------

TEST(PlanTest, AClusterHasAsManyBlocksAsFinishSoonest) {
  Configuration configuration = whole();
  configuration.cluster = 8;
  configuration.part_us = 0.25;
  // One tile of 12 k tiles on 132 SMs: 12 / 8 and 7 parts, 12 / 4 and 3, 12 / 2 and 1.
  const Plan plan = plan_for(configuration, {10, 10, 120}, card_with(132));
  EXPECT_EQ(plan.cluster, 8);
  EXPECT_EQ(plan.k_tiles, 2) << "of 80 of K";
  EXPECT_EQ(plan.split_tiles, 0);
  EXPECT_NEAR(plan.us, begin_us(8) + 12.0 / 8 + 7 * 0.25, kDramUs);
  configuration.part_us = 100;
  EXPECT_EQ(plan_for(configuration, {10, 10, 120}, card_with(132)).cluster, 2)
      << "no cluster has one block";
}

TEST(PlanTest, ClustersThatFitNoTwiceOnAnSmAreWorthLess) {
  Configuration configuration = whole();
  configuration.cluster = 8;
  configuration.tile_us = 1;
  // 32 tiles on 64 SMs: two blocks each fill them once, three would fill half of them twice.
  EXPECT_EQ(plan_for(configuration, {80, 40, 120}, card_with(64)).cluster, 2);
}

TEST(PlanTest, FasterDramMayTurnTheChoice) {
  // One is bound by DRAM alone, the other by its start.
  std::array<Configuration, 2> configurations = {whole(), whole()};
  configurations[0].step_us = 0;
  configurations[1].step_us = 0.5;
  configurations[1].start_us = -0.4;
  const Shape shape = {10, 10, 10};
  const auto taken = [&](double dram) {
    const std::vector<Plan> plans = plans_for(configurations, shape, {4, dram});
    return quickest(plans).configuration - configurations.data();
  };
  EXPECT_EQ(taken(1e9), 0);
  EXPECT_EQ(taken(100), 1);
}

TEST(PlanTest, DramAndMultiplicationsAddUpAsCubes) {
  const Shape shape = {1000, 2000, 10};
  const double in_us = 4.0 * (1000 * 10 + 10 * 2000) / 1e6;
  const double out_us = 4.0 * 1000 * 2000 / 1e6;
  Configuration configuration = whole();
  configuration.start_us = 2;
  configuration.step_us = 0;
  EXPECT_DOUBLE_EQ(plan_for(configuration, shape, card_with(132)).us,
                   2 + begin_us(132) + in_us + out_us);
  configuration.step_us = (in_us + out_us) / 152;  // 20,000 tiles: up to 152 on an SM
  EXPECT_NEAR(plan_for(configuration, shape, card_with(132)).us,
              2 + begin_us(132) + std::cbrt(2) * (in_us + out_us), 1e-9);
  // A block that is alone on its SM stores C while nobody loads.
  configuration = splitting();
  configuration.step_us = 0;
  EXPECT_DOUBLE_EQ(plan_for(configuration, shape, card_with(132)).us,
                   begin_us(132) + in_us + 2 * out_us);
}

// -- Tiles that are split ------------------------------------------------------------------------

TEST(PlanTest, FullWavesAreNotSplit) {
  const Plan plan = plan_for(splitting(), {20, 40, 100}, card_with(4));
  expect_split(plan, {10, 8, 0, 0, 0});
  EXPECT_EQ(plan.split_tiles, 0);
  EXPECT_NEAR(plan.us, begin_us(4) + 2 * 10, kDramUs);
}

TEST(PlanTest, TheLastWaveIsSplitAmongAllWhoHaveTime) {
  Configuration configuration = splitting();
  configuration.tile_us = 2;
  configuration.part_us = 1;
  // 6 tiles of 10 k tiles for 4 SMs: one each, and 20 k tiles for 2, 3 or 4 ranks.
  const Plan plan = plan_for(configuration, {20, 30, 100}, card_with(4));
  expect_split(plan, {10, 4, 4, 5, 0});
  EXPECT_EQ(plan.split_tiles, 2);
  EXPECT_NEAR(plan.us, begin_us(4) + (10 + 2) + (5 + 2 + 1), kDramUs);
}

TEST(PlanTest, WherePartialTilesAreDearEachTileHasABlock) {
  Configuration configuration = splitting();
  configuration.part_us = 5;  // what a second rank saves
  const Plan plan = plan_for(configuration, {20, 30, 100}, card_with(4));
  expect_split(plan, {10, 4, 2, 10, 0});
  EXPECT_EQ(plan.split_tiles, 0);
  EXPECT_NEAR(plan.us, begin_us(4) + 10 + 10, kDramUs);
  configuration.part_us = 4.99;
  EXPECT_EQ(plan_for(configuration, {20, 30, 100}, card_with(4)).split.ranks, 4);
}

TEST(PlanTest, OfEqualSplitsTheOneWithFewerRanksIsTaken) {
  Configuration configuration = splitting();
  configuration.part_us = 1;
  // One tile of 10 k tiles: 5 + 1 in two, 4 + 2 in three, 3 + 3 in four.
  EXPECT_EQ(plan_for(configuration, {10, 10, 100}, card_with(4)).split.ranks, 2);
}

TEST(PlanTest, ATreeAddsManyPartsInFewTurns) {
  EXPECT_EQ(parts_in_turn(1, 1), 0);
  EXPECT_EQ(parts_in_turn(1, 64), 63);
  EXPECT_EQ(parts_in_turn(8, 1), 0);
  EXPECT_EQ(parts_in_turn(8, 2), 1);
  EXPECT_EQ(parts_in_turn(8, 8), 7);
  EXPECT_EQ(parts_in_turn(8, 9), 7 + 1);
  EXPECT_EQ(parts_in_turn(8, 64), 7 + 7);
  EXPECT_EQ(parts_in_turn(8, 65), 7 + 7 + 1);
  Configuration configuration = splitting();
  configuration.part_us = 1;
  const int in_a_row = plan_for(configuration, {10, 10, 10'000}, card_with(132)).split.ranks;
  configuration.fan_in = 8;
  const Plan tree = plan_for(configuration, {10, 10, 10'000}, card_with(132));
  EXPECT_GT(tree.split.ranks, in_a_row);
  EXPECT_NEAR(tree.us,
              (1000 + tree.split.ranks - 1) / tree.split.ranks + parts_in_turn(8, tree.split.ranks),
              2 * kDramUs);
}

TEST(PlanTest, RanksSharesAndTilesFitTogether) {
  std::mt19937 random(1);
  const auto up_to = [&](int most) { return static_cast<int>(1 + random() % most); };
  int split = 0;
  for (int i = 0; i < 2000; ++i) {
    Configuration configuration = splitting();
    configuration.part_us = up_to(400) / 100.0;
    configuration.fan_in = i % 2 == 0 ? 1 : 8;
    const int sms = up_to(140);
    const Shape shape = {up_to(300), up_to(300), up_to(1000)};
    SCOPED_TRACE(testing::Message()
                 << shape.M << " x " << shape.N << " x " << shape.K << " on " << sms << " SMs");
    const Plan plan = plan_for(configuration, shape, card_with(sms));
    const Decomposition& d = plan.split;
    ASSERT_EQ(d.k_tiles, (shape.K + 9) / 10);
    ASSERT_EQ(d.first_split % sms, 0);
    const int left = static_cast<int>(plan.tiles) - d.first_split;
    ASSERT_LT(left, sms);
    if (left == 0) continue;
    split += plan.split_tiles > 0 ? 1 : 0;
    ASSERT_LE(d.ranks, sms);
    ASSERT_LE(d.share + (d.longer > 0 ? 1 : 0), d.k_tiles) << "two tiles for a rank, at most";
    ASSERT_EQ(d.start_of(0), 0);
    ASSERT_EQ(d.start_of(d.ranks), left * d.k_tiles) << "no k tile is left out";
    for (int rank = 0; rank < d.ranks; ++rank) {
      ASSERT_LT(d.start_of(rank), d.start_of(rank + 1));
      ASSERT_EQ(d.rank_of(d.start_of(rank)), rank);
      ASSERT_EQ(d.rank_of(d.start_of(rank + 1) - 1), rank);
    }
  }
  EXPECT_GT(split, 500);
}

}  // namespace
}  // namespace ladder::every_shape
