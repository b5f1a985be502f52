// SPDX-License-Identifier: MIT
/// \file  tests/emulator/emulator_barrier_test.cpp
/// \brief __syncthreads and its votes; barriers that not all threads reach.
#include <gtest/gtest.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "emulator/run/settings.hpp"
#include "tests/emulator/expect_kernel_error.hpp"
#include "tests/emulator/probes.hpp"

namespace ladder::emulator {
namespace {

constexpr char kFile[] = "barrier_probes.cu";

TEST(EmulatorBarrier, OrdersSharedMemory) {
  for (const int threads : {1, 31, 32, 33, 256, 1000, 1024}) {
    std::vector<int> out(threads);
    probes::rotate_through_shared(threads, 7, out.data());
    for (int i = 0; i < threads; ++i)
      ASSERT_EQ(out[i], (i + 7) % threads);
    EXPECT_EQ(last_run().barriers_per_block, 14u);
  }
}

TEST(EmulatorBarrier, CountsVotes) {
  for (const int yes : {0, 1, 57, 100}) {
    std::vector<int> predicates(100, 0);
    for (int i = 0; i < yes; ++i)
      predicates[(i * 37) % 100] = i + 2;
    std::vector<int> count(100, -1);
    std::vector<int> all(100, -1);
    std::vector<int> any(100, -1);
    probes::vote_at_barriers(100, predicates.data(), count.data(), all.data(), any.data());
    EXPECT_EQ(count, std::vector<int>(100, yes));
    EXPECT_EQ(all, std::vector<int>(100, yes == 100));
    EXPECT_EQ(any, std::vector<int>(100, yes > 0));
  }
}

TEST(EmulatorBarrier, DifferentLinesAreAnError) {
  const Fault fault = expect_kernel_error(
      [] { probes::divergent_barrier(64); },
      {FaultKind::kDivergentBarrier, kFile, "even threads", {0, 0, 0}, {0, 0, 0}});
  ASSERT_EQ(fault.groups.size(), 2u);
  for (const ThreadGroup& group : fault.groups) {
    const bool even = group.threads.front() == 0;
    EXPECT_EQ(group.place.line, line_of(kFile, even ? "even threads" : "odd threads"));
    ASSERT_EQ(group.threads.size(), 32u);
    for (std::size_t i = 0; i < 32; ++i)
      EXPECT_EQ(group.threads[i], 2 * i + (even ? 0 : 1));
    EXPECT_EQ(group.wait, WaitKind::kSyncthreads);
  }
}

TEST(EmulatorBarrier, GoesOnWithoutThreadsThatHaveLeft) {
  // Behind the others, in front of them, in the middle of warps, and whole warps.
  const std::vector<std::pair<int, int>> left = {{0, 40}, {3, 128}, {32, 96}, {127, 128}};
  for (const auto& [first, end] : left) {
    std::vector<int> count(128, -1);
    std::vector<int> all(128, -1);
    probes::votes_of_who_is_left(128, first, end, count.data(), all.data());
    for (int t = 0; t < 128; ++t) {
      const bool stays = t >= first && t < end;
      EXPECT_EQ(count[t], stays ? end / 2 - first / 2 : -1) << t;
      EXPECT_EQ(all[t], stays ? 1 : -1) << t;
    }
    EXPECT_EQ(last_run().barriers_per_block, 2u);
  }
}

TEST(EmulatorBarrier, WarpsAtThreeLinesAreNamed) {
  const Fault fault =
      expect_kernel_error([] { probes::barrier_of_each_warp(128); },
                          {FaultKind::kDivergentBarrier, kFile, "of warp 0", {0, 0, 0}, {0, 0, 0}});
  std::vector<std::string> threads;
  for (const ThreadGroup& group : fault.groups)
    threads.push_back(threads_of(group));
  EXPECT_EQ(threads, (std::vector<std::string>{"0-31", "32-63", "64-127"}));
}

TEST(EmulatorBarrier, WhoSpinsForTheOthersDoesNotHideThem) {
  int flag = 0;
  const Fault fault = expect_kernel_error(
      [&] { probes::spin_for_a_missing_barrier(&flag); },
      {FaultKind::kMissingBarrier, kFile, "thread 1 has left", {0, 0, 0}, {2, 0, 0}});
  ASSERT_EQ(fault.groups.size(), 2u);
  EXPECT_EQ(threads_of(fault.groups[0]), "2-63");
  EXPECT_EQ(fault.groups[0].wait, WaitKind::kSyncthreads);
  EXPECT_EQ(threads_of(fault.groups[1]), "1");
  EXPECT_EQ(fault.groups[1].wait, WaitKind::kGone);
}

TEST(EmulatorBarrier, LoopsMayEndSoonerForSome) {
  std::vector<int> present(40, -1);
  probes::barrier_in_loop_of_unequal_length(40, present.data());
  for (int i = 0; i < 40; ++i)
    EXPECT_EQ(present[i], 40 - i);
}

TEST(EmulatorBarrier, LowestFailingBlockIsReported) {
  for (const unsigned workers : {1u, 2u, 8u}) {
    set_cpu_threads(workers);
    for (int run = 0; run < 10; ++run) {
      expect_kernel_error(
          [] { probes::divergent_in_block(200, 17); },
          {FaultKind::kDivergentBarrier, kFile, "thread 0 is elsewhere", {17, 0, 0}, {63, 0, 0}});
    }
  }
}

TEST(EmulatorBarrier, NextLaunchWorksAfterAnError) {
  for (int run = 0; run < 20; ++run) {
    EXPECT_THROW(probes::divergent_barrier(1024), KernelError);
    std::vector<int> out(1024);
    probes::rotate_through_shared(1024, 3, out.data());
    EXPECT_EQ(out[1022], 1);
  }
}

}  // namespace
}  // namespace ladder::emulator
