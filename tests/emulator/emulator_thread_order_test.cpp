// SPDX-License-Identifier: MIT
/// \file  tests/emulator/emulator_thread_order_test.cpp
/// \brief What barriers, fences and flags tell threads of each other, in a block and between
///        blocks. No kernel runs here.
#include "emulator/trace/thread_order.hpp"

#include <gtest/gtest.h>

#include <utility>

namespace ladder::emulator {
namespace {

/// Two blocks of 96 threads, three warps each. Flags are just numbers.
class EmulatorThreadOrder : public testing::Test {
 protected:
  static constexpr unsigned kThreads = 96;
  static constexpr std::uint64_t kFlag = 1024;
  static constexpr std::uint64_t kOther = 2048;

  EmulatorThreadOrder() {
    grid.start_grid();
    for (const auto& [order, block] : {std::pair(&one, 0u), std::pair(&two, 1u)}) {
      order->start_grid(&grid, kThreads, 2);
      order->start_block(block);
    }
  }

  /// What the thread does now.
  static OrderedAccess access(const ThreadOrder& order, std::uint16_t thread) {
    return {.block = order.block(), .epoch = order.epoch_of(thread), .thread = thread, .flag = 0};
  }
  static bool knows(const ThreadOrder& order, unsigned thread, const OrderedAccess& past) {
    return order.knows(thread, past, false);
  }
  void set(ThreadOrder& order, unsigned thread, std::uint64_t flag, Scope scope = Scope::kDevice) {
    if (order.has_fenced(thread)) order.release(thread, flag, scope);
  }
  /// Changes the flag atomically, as one who looks at it in turns does.
  void take(ThreadOrder& order, unsigned thread, std::uint64_t flag) {
    if (AcquiredFlags news = order.news_of(thread, flag)) order.acquire(thread, std::move(news));
  }

  GridOrder grid;
  ThreadOrder one;
  ThreadOrder two;
};

// -- In a block -----------------------------------------------------------------------------------

TEST_F(EmulatorThreadOrder, ABarrierOrdersTheBlock) {
  const OrderedAccess past = access(one, 0);
  EXPECT_TRUE(knows(one, 0, past)) << "its own";
  EXPECT_FALSE(knows(one, 1, past));
  one.pass_barrier();
  EXPECT_TRUE(knows(one, 1, past));
  EXPECT_TRUE(knows(one, 95, past));
  EXPECT_FALSE(knows(one, 1, access(one, 0))) << "what comes behind the barrier";
  EXPECT_FALSE(knows(two, 1, past)) << "another block";
}

TEST_F(EmulatorThreadOrder, AMeetingOrdersItsWarp) {
  const OrderedAccess past = access(one, 0);
  one.meet(0);
  EXPECT_TRUE(knows(one, 31, past));
  EXPECT_FALSE(knows(one, 32, past));
  EXPECT_FALSE(knows(one, 31, access(one, 0)));
}

TEST_F(EmulatorThreadOrder, LanesThatMeetKnowWhatTheyKnewOfOthers) {
  const OrderedAccess past = access(one, 0);
  one.meet_lanes(0, 0b0011);
  EXPECT_TRUE(knows(one, 1, past));
  EXPECT_FALSE(knows(one, 2, past));
  one.meet_lanes(0, 0b0110);
  EXPECT_TRUE(knows(one, 2, past));
  EXPECT_FALSE(knows(one, 3, past));
  one.pass_barrier();
  EXPECT_TRUE(knows(one, 3, past));
  EXPECT_FALSE(knows(one, 1, access(one, 0))) << "the meeting was before";
}

TEST_F(EmulatorThreadOrder, AnExchangeOrdersNothing) {
  const OrderedAccess past = access(one, 0);
  one.exchange(0);
  EXPECT_FALSE(knows(one, 1, past));
}

TEST_F(EmulatorThreadOrder, AFenceAloneOrdersNothing) {
  const OrderedAccess past = access(one, 0);
  one.fence(0, Scope::kDevice);
  one.fence(1, Scope::kDevice);
  EXPECT_FALSE(knows(one, 1, past));
}

// -- Flags ----------------------------------------------------------------------------------------

TEST_F(EmulatorThreadOrder, AFlagBehindAFenceTellsAnotherBlock) {
  const OrderedAccess past = access(one, 0);
  one.fence(0, Scope::kDevice);
  const OrderedAccess later = access(one, 0);
  set(one, 0, kFlag);
  EXPECT_FALSE(knows(two, 5, past));
  take(two, 5, kFlag);
  EXPECT_TRUE(knows(two, 5, past));
  EXPECT_FALSE(knows(two, 5, later)) << "between the fence and the flag";
  EXPECT_FALSE(knows(two, 6, past)) << "has not seen the flag";
  two.pass_barrier();
  EXPECT_TRUE(knows(two, 6, past));
}

TEST_F(EmulatorThreadOrder, AFlagWithoutAFenceTellsNothing) {
  const OrderedAccess past = access(one, 0);
  set(one, 0, kFlag);
  take(two, 5, kFlag);
  EXPECT_FALSE(knows(two, 5, past));
}

TEST_F(EmulatorThreadOrder, AnotherFlagTellsNothing) {
  const OrderedAccess past = access(one, 0);
  one.fence(0, Scope::kDevice);
  set(one, 0, kFlag);
  take(two, 5, kOther);
  EXPECT_FALSE(knows(two, 5, past));
}

TEST_F(EmulatorThreadOrder, WhatWasReleasedAfterwardsIsNotKnown) {
  one.fence(0, Scope::kDevice);
  set(one, 0, kFlag);
  take(two, 5, kFlag);
  const OrderedAccess past = access(one, 0);
  one.fence(0, Scope::kDevice);
  set(one, 0, kFlag);
  EXPECT_FALSE(knows(two, 5, past));
  take(two, 5, kFlag);
  EXPECT_TRUE(knows(two, 5, past));
}

TEST_F(EmulatorThreadOrder, ALoadedFlagTellsBehindAFence) {
  const OrderedAccess past = access(one, 0);
  one.fence(0, Scope::kDevice);
  set(one, 0, kFlag);
  two.acquire_later(5, kFlag);
  EXPECT_FALSE(knows(two, 5, past));
  EXPECT_TRUE(two.knows(5, past, true)) << "to a volatile load";
  two.fence(5, Scope::kBlock);
  EXPECT_TRUE(knows(two, 5, past));
}

TEST_F(EmulatorThreadOrder, ABarrierBehindALoadedFlagTellsAll) {
  const OrderedAccess past = access(one, 0);
  one.fence(0, Scope::kDevice);
  set(one, 0, kFlag);
  two.acquire_later(5, kFlag);
  two.pass_barrier();
  EXPECT_TRUE(knows(two, 77, past));
}

TEST_F(EmulatorThreadOrder, ALaneTellsItsWarpOfAFlag) {
  const OrderedAccess past = access(one, 0);
  one.fence(0, Scope::kDevice);
  set(one, 0, kFlag);
  take(two, 0, kFlag);
  two.exchange(0);
  EXPECT_TRUE(knows(two, 9, past));
  EXPECT_FALSE(knows(two, 40, past));
}

TEST_F(EmulatorThreadOrder, AFenceTellsOfTheBlockBeforeItsBarrier) {
  const OrderedAccess past = access(one, 70);
  one.pass_barrier();
  const OrderedAccess behind = access(one, 70);
  one.fence(0, Scope::kDevice);
  set(one, 0, kFlag);
  take(two, 5, kFlag);
  EXPECT_TRUE(knows(two, 5, past));
  EXPECT_FALSE(knows(two, 5, behind));
}

TEST_F(EmulatorThreadOrder, FencesBeforeABarrierCountForWhoSetsTheFlagBehindIt) {
  const OrderedAccess fenced = access(one, 70);
  const OrderedAccess unfenced = access(one, 71);
  one.fence(70, Scope::kDevice);
  one.pass_barrier();
  set(one, 0, kFlag);
  take(two, 5, kFlag);
  EXPECT_TRUE(knows(two, 5, fenced));
  EXPECT_FALSE(knows(two, 5, unfenced));
}

TEST_F(EmulatorThreadOrder, KnowledgePassesThroughOthers) {
  const OrderedAccess past = access(one, 0);
  one.fence(0, Scope::kDevice);
  set(one, 0, kFlag);
  take(two, 5, kFlag);
  two.fence(5, Scope::kDevice);
  set(two, 5, kOther);
  ThreadOrder three;
  three.start_grid(&grid, kThreads, 1);
  three.start_block(2);
  take(three, 8, kOther);
  EXPECT_TRUE(knows(three, 8, past));
}

TEST_F(EmulatorThreadOrder, AnAtomicPassesOnWhatWasReleasedBefore) {
  const OrderedAccess past = access(one, 0);
  one.fence(0, Scope::kDevice);
  set(one, 0, kFlag);
  set(two, 5, kFlag);  // without a fence
  ThreadOrder three;
  three.start_grid(&grid, kThreads, 1);
  three.start_block(2);
  take(three, 8, kFlag);
  EXPECT_TRUE(knows(three, 8, past));
}

// -- Scopes ---------------------------------------------------------------------------------------

TEST_F(EmulatorThreadOrder, AFenceOfTheBlockTellsTheBlock) {
  const OrderedAccess past = access(one, 0);
  one.fence(0, Scope::kBlock);
  set(one, 0, kFlag);
  take(one, 40, kFlag);
  take(two, 5, kFlag);
  EXPECT_TRUE(knows(one, 40, past));
  EXPECT_FALSE(knows(two, 5, past));
}

TEST_F(EmulatorThreadOrder, AnAtomicOfTheBlockTellsTheBlock) {
  const OrderedAccess past = access(one, 0);
  one.fence(0, Scope::kDevice);
  set(one, 0, kFlag, Scope::kBlock);
  take(one, 40, kFlag);
  take(two, 5, kFlag);
  EXPECT_TRUE(knows(one, 40, past));
  EXPECT_FALSE(knows(two, 5, past));
}

TEST_F(EmulatorThreadOrder, FlagsInSharedMemoryAreThoseOfTheirBlock) {
  EXPECT_NE(ThreadOrder::key_of_shared(0, 64), ThreadOrder::key_of_shared(1, 64));
  EXPECT_NE(ThreadOrder::key_of_shared(0, 64), ThreadOrder::key_of_shared(0, 68));
}

// -- Clusters -------------------------------------------------------------------------------------

TEST_F(EmulatorThreadOrder, TheBarrierOfAClusterOrdersItsBlocks) {
  const OrderedAccess past = access(one, 70);
  one.arrive_at_cluster();
  const OrderedAccess behind = access(one, 70);
  two.arrive_at_cluster();
  two.pass_cluster();
  EXPECT_TRUE(knows(two, 5, past));
  EXPECT_FALSE(knows(two, 5, behind));
  ThreadOrder of_another_cluster;
  of_another_cluster.start_grid(&grid, kThreads, 2);
  of_another_cluster.start_block(2);
  of_another_cluster.arrive_at_cluster();
  of_another_cluster.pass_cluster();
  EXPECT_FALSE(knows(of_another_cluster, 5, past));
}

TEST_F(EmulatorThreadOrder, TheBarrierOfAClusterPassesOnWhatABlockHadAcquired) {
  ThreadOrder three;
  three.start_grid(&grid, kThreads, 2);
  three.start_block(2);
  const OrderedAccess past = access(three, 0);
  three.fence(0, Scope::kDevice);
  set(three, 0, kFlag);
  take(one, 8, kFlag);
  one.arrive_at_cluster();
  two.arrive_at_cluster();
  two.pass_cluster();
  EXPECT_TRUE(knows(two, 5, past));
}

TEST_F(EmulatorThreadOrder, WhatComesBehindTheNextBarrierOfAClusterIsNotKnown) {
  one.arrive_at_cluster();
  two.arrive_at_cluster();
  const OrderedAccess past = access(one, 70);
  one.arrive_at_cluster();
  two.pass_cluster();  // the first one
  EXPECT_FALSE(knows(two, 5, past));
  two.arrive_at_cluster();
  two.pass_cluster();
  EXPECT_TRUE(knows(two, 5, past));
}

// -- Barriers of some warps -----------------------------------------------------------------------

TEST_F(EmulatorThreadOrder, ABlockWithBarriersThatAreNotFollowedTellsAndLearnsAsOne) {
  const OrderedAccess past = access(one, 70);
  one.be_lenient();
  two.be_lenient();
  one.fence(0, Scope::kDevice);
  set(one, 0, kFlag);
  EXPECT_FALSE(knows(two, 77, past));
  take(two, 5, kFlag);
  EXPECT_TRUE(knows(two, 77, past));
}

// -- Much
// ------------------------------------------------------------------------------------------

TEST_F(EmulatorThreadOrder, ManyReleasesAreForgottenButNeverDenied) {
  std::vector<OrderedAccess> past;
  for (unsigned round = 0; round < 100; ++round) {
    const auto thread = static_cast<std::uint16_t>(round % kThreads);
    past.push_back(access(one, thread));
    one.fence(thread, Scope::kDevice);
    set(one, thread, kFlag);
  }
  take(two, 5, kFlag);
  for (const OrderedAccess& one_of_them : past)
    EXPECT_TRUE(knows(two, 5, one_of_them));
  EXPECT_FALSE(knows(two, 5, access(one, 95))) << "the last one";
}

TEST_F(EmulatorThreadOrder, ManyFlagsAreForgottenButNeverDenied) {
  const OrderedAccess past = access(one, 0);
  one.fence(0, Scope::kDevice);
  set(one, 0, kFlag);
  take(two, 5, kFlag);
  for (std::uint64_t flag = 1; flag < 6000; ++flag) {
    set(one, 0, 8192 + flag);
    take(two, 5, 8192 + flag);
  }
  EXPECT_TRUE(knows(two, 5, past));
}

TEST_F(EmulatorThreadOrder, ABlockStartsKnowingNothing) {
  one.fence(0, Scope::kDevice);
  set(one, 0, kFlag);
  const OrderedAccess past = access(one, 40);
  take(two, 5, kFlag);
  two.start_block(3);
  EXPECT_FALSE(knows(two, 5, {.block = 0, .epoch = 1, .thread = 0, .flag = 0}));
  EXPECT_FALSE(two.has_fenced(5));
  EXPECT_FALSE(knows(two, 40, past));
}

}  // namespace
}  // namespace ladder::emulator
