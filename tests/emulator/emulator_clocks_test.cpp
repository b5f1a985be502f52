// SPDX-License-Identifier: MIT
/// \file  tests/emulator/emulator_clocks_test.cpp
/// \brief What the warps of a block know of each other, and what SharedShadow makes of it. No
///        kernel runs here.
#include <gtest/gtest.h>

#include "emulator/trace/shared_shadow.hpp"
#include "emulator/trace/warp_clocks.hpp"

namespace ladder::emulator {
namespace {

using Kind = Conflict::Kind;

constexpr AccessCode kLoadCode = pack_access(1, AccessType::kLoad, 4);
constexpr AccessCode kStoreCode = pack_access(2, AccessType::kStore, 4);
constexpr AccessCode kCopyCode = pack_access(3, AccessType::kCopyTarget, 4);
constexpr AccessCode kBoxCode = pack_access(4, AccessType::kBox, 16);

/// Three warps; their first threads are 0, 32 and 64. One word that thread 0 wrote before a
/// barrier.
class EmulatorClocks : public testing::Test {
 protected:
  static constexpr std::uint32_t kWord = 5;

  EmulatorClocks() {
    clocks.activate();
    shadow.resize(64);
    clocks.start_block(96);
    shadow.start_block();
    store(0);
    pass_barrier();
  }

  void pass_barrier() {
    shadow.pass_barrier();
    clocks.pass_barrier();
  }
  WordAccess access(std::uint16_t thread, AccessCode code) const {
    const Epoch epoch = clocks.epoch_of(thread);
    return {.word = kWord,
            .bytes = 15,
            .several = false,
            .thread = thread,
            .sync = 0,
            .code = code,
            .epoch = epoch,
            .knows = epoch};
  }
  Conflict load(std::uint16_t thread) { return shadow.load(access(thread, kLoadCode)); }
  Conflict store(std::uint16_t thread) { return shadow.store(access(thread, kStoreCode)); }
  Conflict start_copy(std::uint16_t thread) { return shadow.start_copy(access(thread, kCopyCode)); }
  void land_copy(std::uint16_t thread) { shadow.land_copy(access(thread, kCopyCode)); }
  /// Starts a box that counts on `barrier`; its number is the last.
  Conflict start_box(std::uint16_t thread, const void* barrier) {
    box = shadow.start_box({.copy_barrier = clocks.copy_barrier(barrier),
                            .code = kBoxCode,
                            .epoch = clocks.epoch_of(thread),
                            .thread = thread});
    clocks.advance(thread);
    return shadow.fill(kWord, box);
  }
  void land_box(const void* barrier) { shadow.land_box(box, clocks.landed(barrier)); }
  /// One thread arrives, which completes the barrier, and another one has waited for it.
  void hand_over(std::uint16_t from, std::uint16_t to, const void* barrier) {
    clocks.arrive(from, barrier);
    clocks.complete(barrier);
    clocks.acquire(to, barrier);
  }

  WarpClocks clocks;
  SharedShadow shadow{clocks};
  std::uint32_t box = 0;
  int full = 0;
  int empty = 0;
};

// -- Warps --------------------------------------------------------------------------------------

TEST_F(EmulatorClocks, WhoAcquiresKnowsWhatWasReleased) {
  EXPECT_EQ(store(0).kind, Kind::kNone);
  hand_over(0, 32, &full);
  EXPECT_EQ(load(32).kind, Kind::kNone);
  EXPECT_EQ(load(64).kind, Kind::kRace);
}

TEST_F(EmulatorClocks, WhatComesAfterTheReleaseIsNotKnown) {
  hand_over(0, 32, &full);
  EXPECT_EQ(store(0).kind, Kind::kNone);
  const Conflict conflict = load(32);
  EXPECT_EQ(conflict.kind, Kind::kRace);
  EXPECT_EQ(conflict.earlier, kStoreCode);
  EXPECT_EQ(conflict.earlier_thread, 0);
}

TEST_F(EmulatorClocks, KnowledgePassesThroughOthers) {
  store(0);
  hand_over(0, 32, &full);
  hand_over(32, 64, &empty);
  EXPECT_EQ(load(64).kind, Kind::kNone);
}

TEST_F(EmulatorClocks, ArrivalsCountWhenTheBarrierIsComplete) {
  store(0);
  clocks.arrive(0, &full);
  clocks.acquire(32, &full);  // an earlier phase
  EXPECT_EQ(load(32).kind, Kind::kRace);
}

TEST_F(EmulatorClocks, EachReaderMustBeKnownToWhoWrites) {
  load(32);
  load(64);
  hand_over(32, 0, &empty);
  const Conflict conflict = store(0);
  EXPECT_EQ(conflict.kind, Kind::kRace);
  EXPECT_EQ(conflict.earlier_thread, 64);
  pass_barrier();
  load(32);
  load(64);
  hand_over(32, 0, &empty);
  hand_over(64, 0, &full);
  EXPECT_EQ(store(0).kind, Kind::kNone);
}

TEST_F(EmulatorClocks, LanesThatDoTheSameAreInTheSameEpochs) {
  const Epoch before = clocks.epoch_of(0);
  clocks.arrive(0, &full);
  EXPECT_EQ(clocks.epoch_of(0), before + 1);
  clocks.arrive(1, &full);
  EXPECT_EQ(clocks.epoch_of(1), before + 1);
  EXPECT_EQ(clocks.epoch_of(2), before);
  clocks.meet(0);
  EXPECT_EQ(clocks.epoch_of(1), clocks.epoch_of(2));
}

// Lane 1 has waited for something that lane 0 had not, and so is ahead of it in its warp's epochs.
TEST_F(EmulatorClocks, ALaneOutOfStepReleasesWhatItDidItself) {
  clocks.release(64, &empty);
  clocks.arrive(0, &full);
  clocks.acquire(1, &empty);
  ASSERT_GE(clocks.epoch_of(1), clocks.epoch_of(0));
  store(1);
  clocks.arrive(1, &full);
  clocks.complete(&full);
  clocks.acquire(32, &full);
  EXPECT_EQ(load(32).kind, Kind::kNone);
}

// The log of the reading warp is looked at when the writing warp has gone on long since.
TEST_F(EmulatorClocks, AccessesMayComeInAnotherOrder) {
  const WordAccess late = access(32, kLoadCode);
  hand_over(32, 0, &empty);
  EXPECT_EQ(store(0).kind, Kind::kNone);
  EXPECT_EQ(shadow.load(late).kind, Kind::kNone);
}

TEST_F(EmulatorClocks, AWordIsSettledForAWarpUntilItsNextEpoch) {
  load(32);
  EXPECT_TRUE(shadow.settled_words(1, clocks.epoch_of(32)).contain(kWord));
  EXPECT_FALSE(shadow.settled_words(2, clocks.epoch_of(64)).contain(kWord));
  clocks.arrive(32, &empty);
  EXPECT_FALSE(shadow.settled_words(1, clocks.epoch_of(32)).contain(kWord));
  load(32);
  store(0);
  EXPECT_FALSE(shadow.settled_words(1, clocks.epoch_of(32)).contain(kWord));
}

// -- Copies of threads --------------------------------------------------------------------------

TEST_F(EmulatorClocks, ACopyIsInFlightUntilItsThreadHasWaited) {
  EXPECT_EQ(start_copy(0).kind, Kind::kNone);
  EXPECT_EQ(load(0).kind, Kind::kInFlight);
  EXPECT_EQ(load(32).kind, Kind::kInFlight);
  EXPECT_EQ(load(32).earlier, kCopyCode);
  pass_barrier();
  EXPECT_EQ(load(32).kind, Kind::kInFlight);  // a barrier is no wait
  land_copy(0);
  EXPECT_EQ(load(0).kind, Kind::kNone);
  EXPECT_EQ(load(32).kind, Kind::kRace);  // and a wait is no barrier
  pass_barrier();
  EXPECT_EQ(load(32).kind, Kind::kNone);
}

TEST_F(EmulatorClocks, TwoCopiesToOneWord) {
  start_copy(0);
  EXPECT_EQ(start_copy(0).kind, Kind::kInFlight);
}

TEST_F(EmulatorClocks, ABlockKnowsNothingOfTheCopiesOfTheOneBefore) {
  start_copy(0);
  clocks.start_block(96);
  shadow.start_block();
  EXPECT_EQ(start_copy(0).kind, Kind::kNone);
  clocks.start_block(96);
  shadow.start_block();
  clocks.fence(0);
  EXPECT_EQ(start_box(0, &full).kind, Kind::kNone);
  clocks.start_block(96);
  shadow.start_block();
  EXPECT_EQ(store(0).kind, Kind::kNone);
}

TEST_F(EmulatorClocks, ACopyOverWhatOthersRead) {
  load(32);
  EXPECT_EQ(start_copy(0).kind, Kind::kRace);
}

// -- Boxes --------------------------------------------------------------------------------------

TEST_F(EmulatorClocks, ABoxIsThereForWhoAcquiresItsBarrier) {
  clocks.fence(0);
  EXPECT_EQ(start_box(0, &full).kind, Kind::kNone);
  EXPECT_EQ(load(32).kind, Kind::kInFlight);
  land_box(&full);
  clocks.complete(&full);
  EXPECT_EQ(load(32).kind, Kind::kInFlight);
  clocks.acquire(32, &full);
  EXPECT_EQ(load(32).kind, Kind::kNone);
  EXPECT_EQ(load(0).kind, Kind::kInFlight);
  hand_over(32, 0, &empty);
  EXPECT_EQ(load(0).kind, Kind::kNone);
}

TEST_F(EmulatorClocks, ABoxOverStoresNeedsAFence) {
  EXPECT_EQ(start_box(0, &full).kind, Kind::kUnfenced);
}

TEST_F(EmulatorClocks, ABoxOverABoxThatNobodyWaitedFor) {
  clocks.fence(0);
  start_box(0, &full);
  EXPECT_EQ(start_box(0, &full).kind, Kind::kInFlight);
  land_box(&full);
  EXPECT_EQ(start_box(0, &full).kind, Kind::kInFlight);
}

TEST_F(EmulatorClocks, ABoxOverWhatAWarpMayStillRead) {
  clocks.fence(0);
  load(32);
  EXPECT_EQ(start_box(0, &full).kind, Kind::kRace);
  land_box(&full);
  clocks.complete(&full);
  clocks.acquire(32, &full);
  load(32);
  hand_over(32, 0, &empty);
  EXPECT_EQ(start_box(0, &full).kind, Kind::kNone);
}

TEST_F(EmulatorClocks, WhatHappenedBeforeTheBoxMayBeLookedAtLater) {
  clocks.fence(0);
  const WordAccess late = access(32, kLoadCode);
  hand_over(32, 0, &empty);
  start_box(0, &full);
  EXPECT_EQ(shadow.load(late).kind, Kind::kNone);
  EXPECT_EQ(load(32).kind, Kind::kInFlight);
}

TEST_F(EmulatorClocks, PhasesAreCountedByWhoKnowsThem) {
  EXPECT_EQ(clocks.phases_known(1, clocks.epoch_of(32)), 0u);
  clocks.fence(0);
  for (unsigned phase = 1; phase <= 3; ++phase) {
    start_box(0, &full);
    land_box(&full);
    clocks.complete(&full);
    clocks.acquire(32, &full);
    EXPECT_EQ(clocks.phases_known(1, clocks.epoch_of(32)), phase);
    clocks.meet(1);
  }
  EXPECT_EQ(clocks.phases_known(2, clocks.epoch_of(64)), 0u);
}

// -- Some lanes of a warp -----------------------------------------------------------------------

TEST_F(EmulatorClocks, LanesThatMeetAreInOrderAndNoOthers) {
  EXPECT_EQ(store(0).kind, Kind::kNone);
  clocks.meet_lanes(0, 0xFFFF);
  EXPECT_EQ(load(1).kind, Kind::kNone);
  EXPECT_EQ(load(16).kind, Kind::kRace);
  EXPECT_EQ(load(32).kind, Kind::kRace);  // of another warp
}

TEST_F(EmulatorClocks, WhatAMeetingTellsIsPassedOn) {
  store(0);
  clocks.meet_lanes(0, 0b011);
  clocks.meet_lanes(0, 0b110);
  EXPECT_EQ(load(2).kind, Kind::kNone);
  clocks.meet_lanes(0, 0b11000);
  EXPECT_EQ(load(3).kind, Kind::kRace);
}

TEST_F(EmulatorClocks, AMeetingSaysNothingOfWhatComesAfterIt) {
  clocks.meet_lanes(0, 0b11);
  store(0);
  EXPECT_EQ(load(1).kind, Kind::kRace);
}

TEST_F(EmulatorClocks, AStoreRacesWithTheReadsOfLanesThatHaveNotMet) {
  load(1);
  load(20);
  clocks.meet_lanes(0, 0xFFFF);
  EXPECT_EQ(store(2).kind, Kind::kRace);
}

// -- Fences and flags ---------------------------------------------------------------------------

TEST_F(EmulatorClocks, AFlagBetweenFencesPutsWarpsInOrder) {
  store(0);
  clocks.fence_thread(0);
  clocks.store_flag(0, &full);
  clocks.load_flag(32, &full);
  EXPECT_EQ(load(32).kind, Kind::kRace) << "before its fence";
  clocks.load_flag(64, &full);
  clocks.fence_thread(64);
  EXPECT_EQ(load(64).kind, Kind::kNone);
}

TEST_F(EmulatorClocks, AFlagWithoutAFenceTellsNothing) {
  store(0);
  clocks.store_flag(0, &full);
  clocks.load_flag(32, &full);
  clocks.fence_thread(32);
  EXPECT_EQ(load(32).kind, Kind::kRace);
}

TEST_F(EmulatorClocks, AFlagTellsNothingOfWhatComesBehindItsFence) {
  clocks.fence_thread(0);
  store(0);
  clocks.store_flag(0, &full);
  clocks.load_flag(32, &full);
  clocks.fence_thread(32);
  EXPECT_EQ(load(32).kind, Kind::kRace);
}

TEST_F(EmulatorClocks, AFlagPutsLanesOfOneWarpInOrder) {
  store(0);
  clocks.fence_thread(0);
  clocks.store_flag(0, &full);
  EXPECT_EQ(load(7).kind, Kind::kRace);
  clocks.load_flag(9, &full);
  clocks.fence_thread(9);
  EXPECT_EQ(load(9).kind, Kind::kNone);
}

}  // namespace
}  // namespace ladder::emulator
