// SPDX-License-Identifier: MIT
/// \file  tests/emulator/emulator_order_test.cpp
/// \brief When the tiles of a block were loaded, stored and read, as EventOrder sees it. No kernel
///        runs here.
#include "emulator/trace/event_order.hpp"

#include <gtest/gtest.h>

#include <string>
#include <tuple>
#include <vector>

namespace ladder::emulator {
namespace {

/// Two arrays of 64 bytes.
std::vector<SharedArray> two_arrays() {
  return {{.name = "sA", .offset = 0, .bytes = 64}, {.name = "sB", .offset = 64, .bytes = 64}};
}

EventOrder started(const std::vector<SharedArray>& arrays = two_arrays()) {
  EventOrder order;
  order.start(arrays);
  return order;
}

using Times = std::tuple<std::string, unsigned, int, int, int, int>;

std::vector<Times> times_of(const EventOrder& order) {
  std::vector<Times> times;
  for (const TileTimes& tile : order.result().tiles)
    times.emplace_back(tile.array, tile.tile, tile.loaded, tile.stored, tile.first_read,
                       tile.last_read);
  return times;
}

TEST(EmulatorOrder, NothingHappens) {
  const OrderOfEvents order = started().result();
  EXPECT_TRUE(order.tiles.empty());
  EXPECT_EQ(order.barriers_per_tile, 0);
  EXPECT_EQ(order.hidden(), 0);
}

TEST(EmulatorOrder, OneBufferTakesTwoBarriersPerTile) {
  EventOrder order = started();
  for (int tile = 0; tile < 3; ++tile) {
    order.global_load(0);
    order.shared_store(0, 0, 64);
    order.global_load(0);
    order.shared_store(0, 64, 128);
    order.pass_barrier();
    order.shared_load(0, 0);
    order.shared_load(0, 64);
    order.pass_barrier();
  }
  EXPECT_EQ(times_of(order), (std::vector<Times>{{"sA", 0, 0, 0, 1, 1},
                                                 {"sB", 0, 0, 0, 1, 1},
                                                 {"sA", 1, 2, 2, 3, 3},
                                                 {"sB", 1, 2, 2, 3, 3},
                                                 {"sA", 2, 4, 4, 5, 5},
                                                 {"sB", 2, 4, 4, 5, 5}}));
  const OrderOfEvents result = order.result();
  EXPECT_EQ(result.barriers_per_tile, 2);
  EXPECT_EQ(result.shared_loads_per_tile, 2);
  EXPECT_EQ(result.shared_loads_in_flight, 0);
  EXPECT_EQ(result.hidden(), 0);
}

// Loads of the next tile are issued, then this one is computed with, then the next is stored.
TEST(EmulatorOrder, LoadsInFlightAreHiddenByComputing) {
  EventOrder order = started();
  order.global_load(0);
  order.shared_store(0, 0, 32);
  order.pass_barrier();
  for (int tile = 1; tile < 4; ++tile) {
    const std::size_t begin = tile % 2 * 32;
    order.global_load(0);
    for (int k = 0; k < 8; ++k)
      order.shared_load(0, 32 - begin);
    order.shared_store(0, begin, begin + 32);
    order.pass_barrier();
  }
  for (int k = 0; k < 8; ++k)
    order.shared_load(0, 32);
  EXPECT_EQ(times_of(order), (std::vector<Times>{{"sA", 0, 0, 0, 1, 1},
                                                 {"sA", 1, 1, 1, 2, 2},
                                                 {"sA", 2, 2, 2, 3, 3},
                                                 {"sA", 3, 3, 3, 4, 4}}));
  const OrderOfEvents result = order.result();
  EXPECT_EQ(result.barriers_per_tile, 1);
  EXPECT_EQ(result.shared_loads_per_tile, 8);
  EXPECT_EQ(result.shared_loads_in_flight, 8);
  EXPECT_EQ(result.hidden(), 1);
}

TEST(EmulatorOrder, HalfOfTheComputingHidesTheLoads) {
  EventOrder order = started();
  order.global_load(0);
  order.shared_store(0, 0, 32);
  order.pass_barrier();
  order.shared_load(0, 0);
  order.shared_load(0, 4);
  order.global_load(0);
  order.shared_load(0, 8);
  order.shared_load(0, 12);
  order.shared_store(0, 32, 64);
  order.pass_barrier();
  for (int k = 0; k < 4; ++k)
    order.shared_load(0, 32);
  const OrderOfEvents result = order.result();
  EXPECT_EQ(result.shared_loads_per_tile, 4);
  EXPECT_EQ(result.shared_loads_in_flight, 2);
  EXPECT_EQ(result.hidden(), 0.5);
}

TEST(EmulatorOrder, AllWarpsFillOneTile) {
  EventOrder order = started();
  for (unsigned warp = 0; warp < 4; ++warp) {
    order.global_load(warp);
    order.shared_store(warp, 16 * warp, 16 * warp + 16);
  }
  order.pass_barrier();
  for (unsigned warp = 0; warp < 4; ++warp)
    order.shared_load(warp, 48 - 16 * warp);
  EXPECT_EQ(times_of(order), (std::vector<Times>{{"sA", 0, 0, 0, 1, 1}}));
  // A warp's loads, not the block's.
  EXPECT_EQ(order.result().shared_loads_per_tile, 1);
}

TEST(EmulatorOrder, AReadBelongsToTheNewestTileThere) {
  EventOrder order = started();
  order.shared_store(0, 0, 32);
  order.pass_barrier();
  order.shared_store(0, 32, 64);
  order.pass_barrier();
  order.shared_load(0, 0);
  order.pass_barrier();
  order.shared_store(0, 0, 32);
  order.pass_barrier();
  order.shared_load(0, 28);
  order.pass_barrier();
  order.shared_load(0, 0);
  EXPECT_EQ(times_of(order),
            (std::vector<Times>{
                {"sA", 0, -1, 0, 2, 2}, {"sA", 1, -1, 1, -1, -1}, {"sA", 2, -1, 3, 4, 5}}));
}

TEST(EmulatorOrder, StoresOutsideOfAllArraysMakeNoTile) {
  EventOrder order = started();
  order.shared_store(0, 128, 132);
  order.shared_load(0, 128);
  EXPECT_TRUE(order.result().tiles.empty());
}

TEST(EmulatorOrder, StartForgetsTheGridBefore) {
  EventOrder order = started();
  order.global_load(0);
  order.shared_store(0, 0, 64);
  order.pass_barrier();
  order.shared_load(0, 0);
  order.start({{.name = "other", .offset = 0, .bytes = 32}});
  EXPECT_TRUE(order.result().tiles.empty());
  order.shared_store(0, 0, 32);
  EXPECT_EQ(times_of(order), (std::vector<Times>{{"other", 0, -1, 0, -1, -1}}));
  EXPECT_EQ(order.result().shared_loads_per_tile, 0);
}

}  // namespace
}  // namespace ladder::emulator
