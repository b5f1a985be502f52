// SPDX-License-Identifier: MIT
/// \file  tests/emulator/emulator_shadow_test.cpp
/// \brief Which pairs of accesses to shared memory are races, and which loads read what nobody
///        wrote. No kernel runs here.
#include "emulator/trace/shared_shadow.hpp"

#include <gtest/gtest.h>

#include <initializer_list>

namespace ladder::emulator {
namespace {

using Kind = Conflict::Kind;

constexpr std::uint8_t kWholeWord = 0b1111;
constexpr std::uint8_t kLowHalf = 0b0011;
constexpr std::uint8_t kHighHalf = 0b1100;

/// Codes that tell accesses apart: what an instruction at this offset does to 4 bytes.
constexpr AccessCode load_code(unsigned offset) {
  return pack_access(offset, AccessType::kLoad, 4);
}
constexpr AccessCode store_code(unsigned offset) {
  return pack_access(offset, AccessType::kStore, 4);
}
constexpr AccessCode atomic_code(unsigned offset) {
  return pack_access(offset, AccessType::kAtomic, 4);
}

/// Shared memory of one block, written by thread 0 before the barrier it starts with.
class EmulatorShadow : public testing::Test {
 protected:
  static constexpr std::uint32_t kWord = 5;

  EmulatorShadow() {
    shadow.resize(64);
    shadow.start_block();
    store(0);
    shadow.pass_barrier();
  }

  static WordAccess access(std::uint16_t thread, std::uint8_t bytes, std::uint32_t sync,
                           AccessCode code, bool several = false) {
    return {.word = kWord,
            .bytes = bytes,
            .several = several,
            .thread = thread,
            .sync = sync,
            .code = code};
  }
  Conflict load(std::uint16_t thread, std::uint8_t bytes = kWholeWord, std::uint32_t sync = 0) {
    return shadow.load(access(thread, bytes, sync, load_code(1)));
  }
  Conflict store(std::uint16_t thread, std::uint8_t bytes = kWholeWord, std::uint32_t sync = 0) {
    return shadow.store(access(thread, bytes, sync, store_code(2)));
  }
  Conflict store_value(std::uint16_t thread, std::uint32_t value) {
    WordAccess one = access(thread, kWholeWord, 0, store_code(2));
    one.has_value = true;
    one.value = value;
    return shadow.store(one);
  }
  Conflict update(std::uint16_t thread, std::uint32_t sync = 0) {
    return shadow.update(access(thread, kWholeWord, sync, atomic_code(3)));
  }

  bool is_settled(std::uint32_t word = kWord) const {
    return shadow.settled_words(0, 1).contain(word);
  }

  WarpClocks clocks;
  SharedShadow shadow{clocks};
};

TEST_F(EmulatorShadow, LoadAfterAnotherThreadsStoreRaces) {
  EXPECT_EQ(store(3).kind, Kind::kNone);
  const Conflict conflict = load(4);
  EXPECT_EQ(conflict.kind, Kind::kRace);
  EXPECT_EQ(conflict.earlier, store_code(2));
  EXPECT_EQ(conflict.earlier_thread, 3);
}

TEST_F(EmulatorShadow, StoreAfterAnotherThreadsLoadRaces) {
  EXPECT_EQ(load(3).kind, Kind::kNone);
  const Conflict conflict = store(4);
  EXPECT_EQ(conflict.kind, Kind::kRace);
  EXPECT_EQ(conflict.earlier, load_code(1));
  EXPECT_EQ(conflict.earlier_thread, 3);
}

TEST_F(EmulatorShadow, StoreAfterAnotherThreadsStoreRaces) {
  EXPECT_EQ(store(40).kind, Kind::kNone);
  const Conflict conflict = store(4);
  EXPECT_EQ(conflict.kind, Kind::kRace);
  EXPECT_EQ(conflict.earlier, store_code(2));
  EXPECT_EQ(conflict.earlier_thread, 40);
}

TEST_F(EmulatorShadow, LoadsDoNotRaceWithLoads) {
  for (const std::uint16_t thread : {0, 1, 40, 1, 700})
    EXPECT_EQ(load(thread).kind, Kind::kNone);
}

TEST_F(EmulatorShadow, OneThreadIsInOrderWithItself) {
  EXPECT_EQ(store(9).kind, Kind::kNone);
  EXPECT_EQ(load(9).kind, Kind::kNone);
  EXPECT_EQ(store(9).kind, Kind::kNone);
  EXPECT_EQ(update(9).kind, Kind::kNone);
  EXPECT_EQ(load(9).kind, Kind::kNone);
}

TEST_F(EmulatorShadow, ABarrierPutsEverythingInOrder) {
  store(3);
  shadow.pass_barrier();
  EXPECT_EQ(load(40).kind, Kind::kNone);
  shadow.pass_barrier();
  EXPECT_EQ(store(4).kind, Kind::kNone);
  shadow.pass_barrier();
  EXPECT_EQ(store(5).kind, Kind::kNone);
}

TEST_F(EmulatorShadow, LanesOfOneStoreRaceWithEachOther) {
  EXPECT_EQ(shadow.store(access(3, kWholeWord, 0, store_code(2), true)).kind, Kind::kRace);
}

TEST_F(EmulatorShadow, AStoreOfSeveralLanesRacesWithALaterLoadOfTheFirst) {
  shadow.store(access(3, kWholeWord, 0, store_code(2), true));
  EXPECT_EQ(load(3).kind, Kind::kRace);
}

// -- Meetings of a warp -------------------------------------------------------------------------

TEST_F(EmulatorShadow, AMeetingPutsItsWarpInOrder) {
  store(3, kWholeWord, 0);
  EXPECT_EQ(load(4, kWholeWord, 1).kind, Kind::kNone);
  EXPECT_EQ(store(5, kWholeWord, 2).kind, Kind::kNone);
  EXPECT_EQ(store(6, kWholeWord, 3).kind, Kind::kNone);
}

TEST_F(EmulatorShadow, AMeetingOfOneWarpMeansNothingToAnother) {
  store(3, kWholeWord, 0);
  EXPECT_EQ(load(32, kWholeWord, 1).kind, Kind::kRace);
  shadow.pass_barrier();
  load(3, kWholeWord, 0);
  EXPECT_EQ(store(32, kWholeWord, 1).kind, Kind::kRace);
}

TEST_F(EmulatorShadow, LoadsOfBothWarpsOutliveAMeetingOfOne) {
  load(3, kWholeWord, 0);
  load(40, kWholeWord, 0);
  EXPECT_EQ(store(4, kWholeWord, 1).kind, Kind::kRace);
}

TEST_F(EmulatorShadow, ALoadBeforeTheMeetingIsForgottenWhenTheStorersOwnFollows) {
  load(3, kWholeWord, 0);
  load(4, kWholeWord, 0);
  load(5, kWholeWord, 1);
  EXPECT_EQ(store(5, kWholeWord, 1).kind, Kind::kNone);
}

TEST_F(EmulatorShadow, ALoadAfterTheMeetingIsNotForgotten) {
  load(3, kWholeWord, 0);
  load(4, kWholeWord, 1);
  const Conflict conflict = store(5, kWholeWord, 1);
  EXPECT_EQ(conflict.kind, Kind::kRace);
  EXPECT_EQ(conflict.earlier_thread, 4);
}

TEST_F(EmulatorShadow, AnotherWarpStillRacesWithLoadsBeforeTheMeeting) {
  load(3, kLowHalf, 0);
  load(4, kHighHalf, 1);
  EXPECT_EQ(store(40, kLowHalf, 0).kind, Kind::kRace);
}

// -- Bytes --------------------------------------------------------------------------------------

TEST_F(EmulatorShadow, TwoHalvesOfAWordAreTwoPlaces) {
  EXPECT_EQ(store(3, kLowHalf).kind, Kind::kNone);
  EXPECT_EQ(store(4, kHighHalf).kind, Kind::kNone);
  EXPECT_EQ(load(4, kHighHalf).kind, Kind::kNone);
}

TEST_F(EmulatorShadow, OneCommonByteIsEnoughForARace) {
  store(3, 0b0111);
  EXPECT_EQ(load(4, 0b1000).kind, Kind::kNone);
  EXPECT_EQ(load(4, 0b0100).kind, Kind::kRace);
}

TEST_F(EmulatorShadow, LoadsOfHalvesAddUp) {
  load(3, kLowHalf);
  load(3, kHighHalf);
  EXPECT_EQ(store(4, kLowHalf).kind, Kind::kRace);
}

// -- Atomics ------------------------------------------------------------------------------------

TEST_F(EmulatorShadow, AtomicsAreInOrderWithAtomics) {
  for (const std::uint16_t thread : {3, 4, 40})
    EXPECT_EQ(update(thread).kind, Kind::kNone);
}

TEST_F(EmulatorShadow, AtomicsRaceWithPlainAccesses) {
  update(3);
  EXPECT_EQ(load(4).kind, Kind::kRace);
  shadow.pass_barrier();
  update(3);
  EXPECT_EQ(store(4).kind, Kind::kRace);
  shadow.pass_barrier();
  store(3);
  EXPECT_EQ(update(4).kind, Kind::kRace);
  shadow.pass_barrier();
  load(3);
  EXPECT_EQ(update(4).kind, Kind::kRace);
}

// -- What nobody wrote --------------------------------------------------------------------------

TEST_F(EmulatorShadow, BytesAreUninitialisedUntilTheyAreWritten) {
  shadow.start_block();
  EXPECT_EQ(load(3, kLowHalf).kind, Kind::kUninitialised);
  store(3, kLowHalf);
  EXPECT_EQ(load(3, kLowHalf).kind, Kind::kNone);
  EXPECT_EQ(load(3, kWholeWord).kind, Kind::kUninitialised);
  store(3, kHighHalf);
  EXPECT_EQ(load(3, kWholeWord).kind, Kind::kNone);
  shadow.pass_barrier();
  EXPECT_EQ(load(3, kWholeWord).kind, Kind::kNone);
}

TEST_F(EmulatorShadow, AnAtomicReadsWhatItChanges) {
  shadow.start_block();
  EXPECT_EQ(update(3).kind, Kind::kUninitialised);
  EXPECT_EQ(update(4).kind, Kind::kNone);
  shadow.pass_barrier();
  EXPECT_EQ(load(5).kind, Kind::kNone);
}

TEST_F(EmulatorShadow, ABlockKnowsNothingOfTheOneBefore) {
  store(3);
  shadow.start_block();
  EXPECT_EQ(store(4).kind, Kind::kNone);  // no race with the other block's thread 3
  shadow.start_block();
  EXPECT_EQ(load(4).kind, Kind::kUninitialised);
}

// -- Settled words ------------------------------------------------------------------------------

TEST_F(EmulatorShadow, AWordSettlesWhenTwoWarpsHaveReadIt) {
  EXPECT_FALSE(is_settled());
  load(3);
  EXPECT_FALSE(is_settled());
  load(4);
  EXPECT_FALSE(is_settled());
  load(40);
  EXPECT_TRUE(is_settled());
  EXPECT_FALSE(is_settled(kWord + 1));
}

TEST_F(EmulatorShadow, ABarrierAndAStoreUnsettleAWord) {
  load(3);
  load(40);
  shadow.pass_barrier();
  EXPECT_FALSE(is_settled());
  load(3);
  load(40);
  EXPECT_EQ(store(3).kind, Kind::kRace);
  EXPECT_FALSE(is_settled());
  EXPECT_EQ(load(40).kind, Kind::kRace);
  shadow.pass_barrier();
  load(3);
  load(40);
  update(3);
  EXPECT_FALSE(is_settled());
}

TEST_F(EmulatorShadow, WhatCouldStillBeReportedDoesNotSettle) {
  load(3, kLowHalf);
  load(40, kLowHalf);
  EXPECT_FALSE(is_settled());  // nobody has read the high half
  store(3);
  load(3);
  load(3);
  EXPECT_FALSE(is_settled());  // stored since the last barrier
  shadow.start_block();
  load(3);
  load(40);
  EXPECT_FALSE(is_settled());  // not written at all
}

// -- The same value -----------------------------------------------------------------------------

TEST_F(EmulatorShadow, StoresOfTheSameValueDoNotRace) {
  EXPECT_EQ(store_value(3, 7).kind, Kind::kNone);
  EXPECT_EQ(store_value(4, 7).kind, Kind::kNone);
  EXPECT_EQ(store_value(70, 7).kind, Kind::kNone);
  EXPECT_EQ(store_value(5, 8).kind, Kind::kRace);
}

TEST_F(EmulatorShadow, ALoadOfTheSameValueRacesUnlessItsThreadStoredIt) {
  store_value(3, 7);
  EXPECT_EQ(load(3).kind, Kind::kNone);
  EXPECT_EQ(load(4).kind, Kind::kRace);
}

TEST_F(EmulatorShadow, AStoreBeforeTheBarrierHasNothingToDoWithTheSameValue) {
  store_value(3, 7);
  shadow.pass_barrier();
  load(4);
  EXPECT_EQ(store_value(5, 7).kind, Kind::kRace);
}

TEST_F(EmulatorShadow, LanesOfOneStoreThatDifferRace) {
  WordAccess one = access(0, kWholeWord, 0, store_code(2), true);
  one.lanes = 0b11;
  one.has_value = true;
  EXPECT_EQ(shadow.store(one).kind, Kind::kRace);
}

}  // namespace
}  // namespace ladder::emulator
