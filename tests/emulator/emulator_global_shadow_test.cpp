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

class EmulatorGlobalShadow : public testing::Test {
 protected:
  EmulatorGlobalShadow() { shadow.start_grid(); }

  Kind load(GlobalAccess access) { return shadow.load(0, 8, 4, access).kind; }
  Kind store(GlobalAccess access) { return shadow.store(0, 8, 4, access).kind; }

  std::array<float, 16> data = {};
  GlobalShadow shadow{{{.name = "C",
                        .data = data.data(),
                        .bytes = sizeof data,
                        .element_bytes = 4,
                        .columns = 16,
                        .written = false}}};
};

TEST_F(EmulatorGlobalShadow, WordsThatNobodyWrote) {
  EXPECT_EQ(load({}), Kind::kUnwritten);
  EXPECT_EQ(store({}), Kind::kNone);
  EXPECT_EQ(load({}), Kind::kNone);
}

TEST_F(EmulatorGlobalShadow, StoreAfterAnothersLoad) {
  store({});
  EXPECT_EQ(load({.thread = 1, .barriers = 1}), Kind::kNone);
  EXPECT_EQ(store({.thread = 2, .barriers = 1, .value = 7}), Kind::kRace);
  EXPECT_EQ(store({.thread = 3, .barriers = 2, .value = 8}), Kind::kNone);
}

TEST_F(EmulatorGlobalShadow, StoreAfterTwoThreadsLoads) {
  store({});
  load({.thread = 1, .barriers = 1});
  load({.thread = 2, .barriers = 1});
  EXPECT_EQ(store({.thread = 2, .barriers = 1, .value = 7}), Kind::kRace) << "with thread 1";
}

TEST_F(EmulatorGlobalShadow, BlocksWithoutOrder) {
  store({});
  shadow.start_grid();
  EXPECT_EQ(load({.block = 1}), Kind::kNone) << "the store was in another launch";
  EXPECT_EQ(store({.block = 2, .value = 7}), Kind::kBlocksRace);
}

TEST_F(EmulatorGlobalShadow, LoadsOfBlocksThatAreInOrder) {
  shadow.may_order_blocks();
  store({});
  EXPECT_EQ(load({.block = 1, .orders_itself = true}), Kind::kNone);
  EXPECT_EQ(store({.block = 2, .value = 7}), Kind::kNone);
}

TEST_F(EmulatorGlobalShadow, ABlockThatDoesNotOrderItselfRacesWithItself) {
  shadow.may_order_blocks();
  store({});
  load({.block = 1, .thread = 1});
  EXPECT_EQ(store({.block = 1, .thread = 2, .value = 7}), Kind::kRace);
}

}  // namespace
}  // namespace ladder::emulator
