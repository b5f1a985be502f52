// SPDX-License-Identifier: MIT
/// \file  tests/common/emulator/emulator_barrier_test.cpp
/// \brief __syncthreads and its votes; barriers that not all threads reach.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "common/emulator/run/settings.hpp"
#include "tests/common/emulator/expect_kernel_error.hpp"
#include "tests/common/emulator/probes.hpp"

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
  const std::string text = expect_kernel_error(
      [] { probes::divergent_barrier(64); },
      {KernelErrorKind::kDivergentBarrier, kFile, "even threads", {0, 0, 0}, {0, 0, 0}});
  const std::string even = std::to_string(line_of(kFile, "even threads"));
  const std::string odd = std::to_string(line_of(kFile, "odd threads"));
  EXPECT_TRUE(contains(text, "threads 0, 2, ..., 62 wait at the barrier of line " + even)) << text;
  EXPECT_TRUE(contains(text, "threads 1, 3, ..., 63 wait at the barrier of line " + odd)) << text;
}

TEST(EmulatorBarrier, ThreadsThatLeftLaterAreMissed) {
  const std::string text = expect_kernel_error(
      [] { probes::missing_barrier(64); },
      {KernelErrorKind::kMissingBarrier, kFile, "the others have left", {0, 0, 0}, {0, 0, 0}});
  EXPECT_TRUE(contains(text, "threads 0-39 wait")) << text;
  EXPECT_TRUE(contains(text, "threads 40-63 have left the kernel")) << text;
  const std::string line = std::to_string(line_of(kFile, "the others have left") - 1);
  EXPECT_TRUE(contains(text, "see the return in line " + line)) << text;
}

TEST(EmulatorBarrier, ThreadsThatLeftBeforeAreMissed) {
  const std::string text = expect_kernel_error(
      [] { probes::left_before_barrier(64); },
      {KernelErrorKind::kMissingBarrier, kFile, "the first have left", {0, 0, 0}, {3, 0, 0}});
  EXPECT_TRUE(contains(text, "threads 0-2 have left the kernel")) << text;
}

TEST(EmulatorBarrier, WholeWarpsAreNamed) {
  const std::string text = expect_kernel_error(
      [] { probes::left_before_barrier_of_warps(128); },
      {KernelErrorKind::kMissingBarrier, kFile, "two warps have left", {0, 0, 0}, {32, 0, 0}});
  EXPECT_TRUE(contains(text, "warps 1 and 2 (threads 32-95) wait at the barrier of line")) << text;
  EXPECT_TRUE(contains(text, "warps 0 and 3 (threads 0-31, 96-127) have left the kernel")) << text;
  EXPECT_FALSE(contains(text, "see the return")) << text;  // it has two
}

TEST(EmulatorBarrier, WarpsAtThreeLinesAreNamed) {
  const std::string text = expect_kernel_error(
      [] { probes::barrier_of_each_warp(128); },
      {KernelErrorKind::kDivergentBarrier, kFile, "of warp 0", {0, 0, 0}, {0, 0, 0}});
  EXPECT_TRUE(contains(text, "warp 0 (threads 0-31) waits at the barrier of line")) << text;
  EXPECT_TRUE(contains(text, "and warps 2 and 3 (threads 64-127) wait at the barrier")) << text;
}

TEST(EmulatorBarrier, WhoSpinsForTheOthersDoesNotHideThem) {
  int flag = 0;
  const std::string text = expect_kernel_error(
      [&] { probes::spin_for_a_missing_barrier(&flag); },
      {KernelErrorKind::kMissingBarrier, kFile, "thread 1 has left", {0, 0, 0}, {2, 0, 0}});
  EXPECT_TRUE(contains(text, "threads 2-63 wait")) << text;
  EXPECT_TRUE(contains(text, "thread 1 has left the kernel")) << text;
}

TEST(EmulatorBarrier, UnequalTripCountsAreMissed) {
  const std::string text = expect_kernel_error(
      [] { probes::barrier_in_loop_of_unequal_length(4); },
      {KernelErrorKind::kMissingBarrier, kFile, "as often as the thread's number", {}, {3, 0, 0}});
  EXPECT_TRUE(contains(text, "thread 0 has left the kernel")) << text;
}

TEST(EmulatorBarrier, LowestFailingBlockIsReported) {
  for (const unsigned workers : {1u, 2u, 8u}) {
    set_cpu_threads(workers);
    for (int run = 0; run < 10; ++run) {
      expect_kernel_error([] { probes::divergent_in_block(200, 17); },
                          {KernelErrorKind::kMissingBarrier,
                           kFile,
                           "a block without thread 0",
                           {17, 0, 0},
                           {63, 0, 0}});
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
