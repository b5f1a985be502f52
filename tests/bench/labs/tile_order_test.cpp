// SPDX-License-Identifier: MIT
/// \file  tests/bench/labs/tile_order_test.cpp
/// \brief Orders of tiles, and what waves of them read: by the formula, and step by step.
#include "bench/labs/analysis/tile_order.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <random>

#include "bench/labs/simulator/lockstep.hpp"

namespace ladder::labs {
namespace {

void expect_each_tile_once(TileOrder order, const TileGrid& grid) {
  std::ranges::sort(order);
  TileOrder all(static_cast<std::size_t>(grid.rows) * grid.columns);
  std::iota(all.begin(), all.end(), 0);
  EXPECT_EQ(order, all);
}

TEST(TileOrderTest, TakesEachTileOnce) {
  for (const TileGrid& grid : {TileGrid{1, 1}, {4, 4}, {3, 7}, {16, 5}, {9, 9}}) {
    expect_each_tile_once(row_major_order(grid), grid);
    expect_each_tile_once(column_major_order(grid), grid);
    expect_each_tile_once(grouped_order(grid, 4), grid);
    expect_each_tile_once(hilbert_order(grid), grid);
  }
}

TEST(TileOrderTest, GroupsAreWalkedThroughRowByRow) {
  EXPECT_EQ(row_major_order({2, 3}), (TileOrder{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(column_major_order({2, 3}), (TileOrder{0, 3, 1, 4, 2, 5}));
  EXPECT_EQ(grouped_order({2, 3}, 2), (TileOrder{0, 1, 3, 4, 2, 5}));
}

TEST(TileOrderTest, HilbertsCurveGoesToANeighbour) {
  constexpr TileGrid kGrid = {16, 16};
  const TileOrder order = hilbert_order(kGrid);
  for (std::size_t i = 1; i < order.size(); ++i) {
    const int rows = std::abs(order[i] / 16 - order[i - 1] / 16);
    const int columns = std::abs(order[i] % 16 - order[i - 1] % 16);
    ASSERT_EQ(rows + columns, 1) << "step " << i;
  }
}

TEST(WaveTest, ARectangleOfTilesHitsAsItsSidesSay) {
  constexpr TileShape kTile = {128, 128, 8};
  EXPECT_NEAR(rectangle_hit_rate(11 * 128, 12 * 128, kTile), 0.913, 0.0005);
  EXPECT_NEAR(rectangle_hit_rate(128, 132 * 128, kTile), 0.496, 0.0005);
  EXPECT_NEAR(printed_hit_rate(11 * 128, 12 * 128, kTile), 0.999995, 1e-6);
  // One wave that is the whole grid.
  const TileGrid grid = {11, 12};
  const WaveReads reads = wave_reads(row_major_order(grid), grid, kTile, 64, 132);
  EXPECT_NEAR(reads.hit_rate(), rectangle_hit_rate(11 * 128, 12 * 128, kTile), 1e-12);
}

TEST(WaveTest, ATileBeyondAWaveCostsAWholeOne) {
  EXPECT_EQ(wave_efficiency(132, 132), 1.0);
  EXPECT_EQ(wave_efficiency(133, 132), 133.0 / 264.0);
  EXPECT_EQ(wave_efficiency(16, 264), 16.0 / 264.0);
  EXPECT_EQ(wave_efficiency(1024, 264), 1024.0 / 1056.0);
}

TEST(WaveTest, ALastWaveMayBeSmaller) {
  const TileGrid grid = {1, 3};
  const WaveReads reads = wave_reads(row_major_order(grid), grid, {32, 64, 8}, 10, 2);
  EXPECT_EQ(reads.requested_bytes, 4.0 * 10 * 3 * 96);
  EXPECT_EQ(reads.unique_bytes, 4.0 * 10 * (2 * 32 + 3 * 64));
}

TEST(LockstepTest, WavesInStepMissWhatTheFormulaSays) {
  std::mt19937 random(3);
  for (int trial = 0; trial < 12; ++trial) {
    const TileGrid grid = {2 + static_cast<int>(random() % 9), 2 + static_cast<int>(random() % 9)};
    const TileShape tile = {32 << random() % 2, 32 << random() % 2, 8};
    const int in_flight = 1 + static_cast<int>(random() % 20);
    TileOrder order = row_major_order(grid);
    std::ranges::shuffle(order, random);
    // As much as one step of the largest wave, many times over; far less than its panels.
    const CacheShape cache = {.bytes = 1 << 19};
    const LockstepReads in_step = lockstep_reads(order, grid, tile, 256, in_flight, cache);
    const WaveReads formula = wave_reads(order, grid, tile, 256, in_flight);
    EXPECT_EQ(static_cast<double>(in_step.requested_bytes), formula.requested_bytes);
    EXPECT_EQ(static_cast<double>(in_step.missed_bytes), formula.unique_bytes);
  }
}

TEST(LockstepTest, LinesMakeColumnsMissInBursts) {
  constexpr TileGrid kGrid = {16, 16};
  constexpr TileShape kTile = {32, 32, 8};
  CacheShape cache = {.bytes = 1 << 18};
  const TileOrder down = column_major_order(kGrid);
  EXPECT_NEAR(lockstep_reads(down, kGrid, kTile, 256, 16, cache).burst(), 1.0, 1e-9);
  cache.sector_bytes = 128;
  // Each fourth step brings 512 lines of A and 8 of B; the others bring 8 of B.
  EXPECT_NEAR(lockstep_reads(down, kGrid, kTile, 256, 16, cache).burst(),
              520.0 / ((512 + 4 * 8) / 4.0), 1e-9);
}

}  // namespace
}  // namespace ladder::labs
