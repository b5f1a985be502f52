// SPDX-License-Identifier: MIT
/// \file  tests/emulator/emulator_global_shadow_test.cpp
/// \brief Which accesses to global memory race, and which loads read what nobody wrote. No kernel
///        runs here.
#include "emulator/trace/global_shadow.hpp"

#include <gtest/gtest.h>

#include <array>

namespace ladder::emulator {
namespace {

using Kind = GlobalConflict::Kind;

/// Blocks 0 to 2 of a grid; an access is one of a thread to the same word.
class EmulatorGlobalShadow : public testing::Test {
 protected:
  EmulatorGlobalShadow() {
    for (unsigned block = 0; block < orders.size(); ++block) {
      orders[block].start_grid(&grid, 64, 1);
      orders[block].start_block(block);
    }
    shadow.start_grid();
  }

  Kind load(unsigned block, GlobalAccess access) {
    return shadow.load(0, 8, 4, access, orders[block]).kind;
  }
  Kind store(unsigned block, GlobalAccess access) {
    return shadow.store(0, 8, 4, access, orders[block]).kind;
  }
  Kind update(unsigned block, GlobalAccess access) {
    access.is_strong = true;
    access.address = 64;
    return shadow.update(0, 8, 4, true, access, orders[block]).kind;
  }
  void barrier(unsigned block) { orders[block].pass_barrier(); }

  std::array<float, 16> data = {};
  GridOrder grid;
  std::array<ThreadOrder, 3> orders;
  GlobalShadow shadow{{{.name = "C",
                        .data = data.data(),
                        .bytes = sizeof data,
                        .element_bytes = 4,
                        .columns = 16,
                        .written = false}}};
};

TEST_F(EmulatorGlobalShadow, WordsThatNobodyWrote) {
  EXPECT_EQ(load(0, {}), Kind::kUnwritten);
  EXPECT_EQ(update(0, {}), Kind::kUnwritten);
  shadow.start_grid();
  EXPECT_EQ(store(0, {}), Kind::kNone);
  EXPECT_EQ(load(0, {}), Kind::kNone);
}

TEST_F(EmulatorGlobalShadow, AtomicsOnNothingStoreNothing) {
  update(0, {});
  update(1, {});
  EXPECT_FALSE(shadow.was_stored_by_another(0, 8, 0)) << "both changed what nobody had stored";
  store(1, {});
  EXPECT_TRUE(shadow.was_stored_by_another(0, 8, 0));
  update(1, {});
  EXPECT_TRUE(shadow.was_stored_by_another(0, 8, 0)) << "it changed what had been stored";
  EXPECT_FALSE(shadow.was_stored_by_another(0, 8, 1)) << "it is no other block";
}

TEST_F(EmulatorGlobalShadow, TheLastPhaseIsSilent) {
  const std::uint32_t last = (1 << 20) - 1;
  store(0, {.phase = last});
  EXPECT_EQ(load(1, {.phase = last + 1}), Kind::kNone);
  EXPECT_EQ(store(2, {.phase = last + 7, .value = 7}), Kind::kNone);
}

TEST_F(EmulatorGlobalShadow, QuietAccessesAreRememberedLikeOthers) {
  load(0, {});
  EXPECT_FALSE(shadow.load_quietly(0, 8, 4, {}, orders[0])) << "nobody has stored it";
  EXPECT_TRUE(shadow.store_quietly(0, 8, 4, {.value = 1}, orders[0]));
  EXPECT_EQ(load(0, {.thread = 1}), Kind::kRace);
  EXPECT_FALSE(shadow.load_quietly(0, 8, 4, {.thread = 1}, orders[0]));
  barrier(0);
  EXPECT_TRUE(shadow.load_quietly(0, 8, 4, {.thread = 1}, orders[0]));
  EXPECT_FALSE(shadow.store_quietly(0, 8, 4, {.thread = 2, .value = 2}, orders[0]));
  EXPECT_FALSE(shadow.store_quietly(0, 8, 4, {.value = 2}, orders[1])) << "of another block";
  EXPECT_EQ(store(0, {.thread = 2, .value = 2}), Kind::kRace) << "with the quiet load";
}

TEST_F(EmulatorGlobalShadow, StoreAfterAnothersLoad) {
  store(0, {});
  barrier(0);
  EXPECT_EQ(load(0, {.thread = 1}), Kind::kNone);
  EXPECT_EQ(store(0, {.thread = 2, .value = 7}), Kind::kRace);
  barrier(0);
  EXPECT_EQ(store(0, {.thread = 3, .value = 8}), Kind::kNone);
}

TEST_F(EmulatorGlobalShadow, StoreAfterTwoThreadsLoads) {
  store(0, {});
  barrier(0);
  load(0, {.thread = 1});
  load(0, {.thread = 2});
  EXPECT_EQ(store(0, {.thread = 2, .value = 7}), Kind::kRace) << "with thread 1";
}

TEST_F(EmulatorGlobalShadow, BlocksWithoutOrder) {
  store(0, {});
  shadow.start_grid();
  EXPECT_EQ(load(1, {}), Kind::kNone) << "the store was in another launch";
  EXPECT_EQ(store(2, {.value = 7}), Kind::kBlocksRace);
}

TEST_F(EmulatorGlobalShadow, BlocksOnBothSidesOfABarrierOfTheGrid) {
  store(0, {});
  EXPECT_EQ(load(1, {.phase = 1}), Kind::kNone);
  EXPECT_EQ(store(2, {.phase = 1, .value = 7}), Kind::kBlocksRace) << "with the load";
  shadow.pass_grid_barrier(1);
  shadow.start_grid();
  EXPECT_EQ(store(1, {.value = 8}), Kind::kNone) << "phases of launches are apart";
}

TEST_F(EmulatorGlobalShadow, BlocksThatAFlagOrders) {
  store(0, {});
  orders[0].fence(0, Scope::kDevice);
  orders[0].release(0, 64, Scope::kDevice);
  orders[1].acquire(0, orders[1].news_of(0, 64));
  EXPECT_EQ(load(1, {}), Kind::kNone);
  EXPECT_EQ(load(1, {.thread = 1}), Kind::kBlocksRace);
  EXPECT_EQ(load(2, {}), Kind::kBlocksRace);
}

TEST_F(EmulatorGlobalShadow, TheSameValueIsNoRace) {
  store(0, {.value = 7});
  EXPECT_EQ(store(1, {.value = 7}), Kind::kNone);
  EXPECT_EQ(store(2, {.value = 8}), Kind::kBlocksRace);
}

TEST_F(EmulatorGlobalShadow, AtomicsRaceWithPlainStores) {
  store(0, {});
  EXPECT_EQ(update(0, {.thread = 1}), Kind::kRace);
  EXPECT_EQ(update(1, {}), Kind::kNone) << "with another atomic";
  EXPECT_EQ(store(2, {.value = 0}), Kind::kBlocksRace) << "also where the value is the same";
}

TEST_F(EmulatorGlobalShadow, APlainLoadBesideAtomicsIsAGuess) {
  update(0, {});
  EXPECT_EQ(load(1, {}), Kind::kNone);
  EXPECT_EQ(update(2, {}), Kind::kNone);
}

TEST_F(EmulatorGlobalShadow, AtomicsOfABlockRaceWithThoseOfAnother) {
  store(0, {});
  barrier(0);
  EXPECT_EQ(update(0, {.is_of_block = true}), Kind::kNone);
  EXPECT_EQ(update(0, {.thread = 1, .is_of_block = true}), Kind::kNone) << "of the same block";
  EXPECT_EQ(update(1, {}), Kind::kBlocksRace);
  EXPECT_EQ(update(2, {.is_of_block = true}), Kind::kBlocksRace);
}

TEST_F(EmulatorGlobalShadow, VolatileAccessesRaceWithPlainStores) {
  EXPECT_EQ(store(0, {.value = 1, .is_strong = true}), Kind::kNone);
  EXPECT_EQ(load(1, {.is_strong = true}), Kind::kNone);
  EXPECT_EQ(store(2, {.value = 2, .is_strong = true}), Kind::kNone);
  EXPECT_EQ(store(2, {.thread = 1, .value = 3}), Kind::kRace) << "with the last store";
  EXPECT_EQ(load(1, {.thread = 2, .is_strong = true}), Kind::kBlocksRace);
}

TEST_F(EmulatorGlobalShadow, ABlockThatOrdersItselfIsGivenTheBenefitOfTheDoubt) {
  store(0, {});
  EXPECT_EQ(load(0, {.thread = 1, .is_lenient = true}), Kind::kNone);
  EXPECT_EQ(load(1, {.thread = 1, .is_lenient = true}), Kind::kBlocksRace);
}

}  // namespace
}  // namespace ladder::emulator
