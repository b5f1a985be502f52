// SPDX-License-Identifier: MIT
/// \file  tests/emulator/emulator_block_wait_test.cpp
/// \brief Blocks that wait for blocks, started or not, on any number of CPU threads.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "emulator/run/settings.hpp"
#include "tests/emulator/async_probes.hpp"
#include "tests/emulator/expect_kernel_error.hpp"

namespace ladder::emulator {
namespace {

class EmulatorBlockWait : public testing::TestWithParam<unsigned> {
 protected:
  EmulatorBlockWait() { set_cpu_threads(GetParam()); }
  ~EmulatorBlockWait() override {
    set_cpu_threads(before_);
    set_multiprocessors(8);
  }

 private:
  unsigned before_ = cpu_threads();
};

INSTANTIATE_TEST_SUITE_P(CpuThreads, EmulatorBlockWait, testing::Values(1u, 2u, 3u));

TEST_P(EmulatorBlockWait, ForBlocksThatHaveNotStarted) {
  for (const unsigned blocks : {1u, 2u, 8u, 150u}) {
    std::vector<unsigned> flags(blocks, 0);
    std::vector<int> sums(blocks, -1);
    probes::sum_from_the_last(blocks, flags.data(), sums.data());
    int sum = 0;
    for (unsigned block = blocks; block-- > 0;) {
      sum += static_cast<int>(block);
      ASSERT_EQ(sums[block], sum) << "block " << block << " of " << blocks;
    }
  }
}

TEST_P(EmulatorBlockWait, GridMeetsAgainAndAgain) {
  constexpr unsigned kBlocks = 8;
  unsigned arrived = 0;
  unsigned phase = 0;
  std::vector<int> out(64 * kBlocks, -1);
  probes::meet_as_grid(kBlocks, 20, &arrived, &phase, out.data());
  EXPECT_EQ(phase, 20u);
  for (unsigned i = 0; i < out.size(); ++i)
    ASSERT_EQ(out[i], 20 * static_cast<int>(i / 64)) << i;
}

TEST_P(EmulatorBlockWait, LoopsOfAtomics) {
  constexpr unsigned kBlocks = 12;
  std::vector<int> flags(kBlocks, 0);
  std::vector<int> order(kBlocks, -1);
  probes::wait_by_atomic(kBlocks, flags.data(), order.data());
  for (unsigned block = 0; block < kBlocks; ++block)
    EXPECT_EQ(order[block], static_cast<int>(kBlocks - 1 - block));
}

TEST_P(EmulatorBlockWait, LoopThatEndsWithoutItsFlag) {
  const unsigned flag = 0;
  int looks = -1;
  probes::look_and_go_on(&flag, &looks);
  EXPECT_EQ(looks, 3000);
}

TEST_P(EmulatorBlockWait, FlagOfAnotherProcess) {
  constexpr unsigned kBlocks = 3;
  unsigned flag = 0;
  int theirs = 0;
  std::vector<int> out(64 * kBlocks);
  // Much later than a grid that waits for itself would be told that it hangs.
  std::thread other([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    theirs = 42;
    std::atomic_ref(flag).store(1, std::memory_order_release);
  });
  probes::wait_for_another_process(kBlocks, &flag, &theirs, out.data());
  other.join();
  EXPECT_EQ(out, std::vector<int>(out.size(), 42));
}

TEST_P(EmulatorBlockWait, FlagThatNoOtherProcessSets) {
  const unsigned flag = 0;
  const int theirs = 0;
  std::vector<int> out(64);
  const Seconds before = hang_limit();
  set_hang_limit(Seconds(0.5));
  const auto error =
      error_of([&] { probes::wait_for_another_process(1, &flag, &theirs, out.data()); });
  set_hang_limit(before);
  ASSERT_TRUE(error.has_value());
  EXPECT_EQ(error->kind(), FaultKind::kEndlessLoop) << error->what();
}

TEST_P(EmulatorBlockWait, CooperativeGridMustFit) {
  set_multiprocessors(5);
  EXPECT_EQ(probes::count_multiprocessors(), 5);
  struct Case {
    unsigned most;  ///< blocks that run together
    std::size_t shared_bytes;
  };
  // 32 blocks on an SM, or as many as its 228 KiB of shared memory have room for.
  for (const auto& [most, shared_bytes] : {Case{5 * 32, 256}, Case{5 * 2, 100 * 1024},
                                           Case{5 * 2, 113 * 1024}, Case{5, 113 * 1024 + 1}}) {
    unsigned arrived = 0;
    unsigned phase = 0;
    std::vector<int> out(64 * (most + 1), -1);
    probes::meet_as_grid(most, 2, &arrived, &phase, out.data(), shared_bytes);
    const auto error = error_of(
        [&] { probes::meet_as_grid(most + 1, 2, &arrived, &phase, out.data(), shared_bytes); });
    ASSERT_TRUE(error.has_value()) << most;
    EXPECT_EQ(error->kind(), FaultKind::kLaunchCooperativeTooLarge);
    EXPECT_EQ(error->fault().fields,
              (Fields{{"blocks", most + 1}, {"limit", most}, {"multiprocessors", 5}}));
  }
}

// 36,864 threads, and Linux has mappings for the stacks and guards of 30,000.
TEST(EmulatorMultiprocessors, MoreThreadsMayWaitThanHaveGuardedStacks) {
  constexpr unsigned kBlocks = 36;
  const ScopedMultiprocessors enough(kBlocks);
  unsigned arrived = 0;
  unsigned phase = 0;
  std::vector<int> out(1024 * kBlocks, -1);
  probes::meet_as_clusters(kBlocks, 2, &arrived, &phase, out.data());
  for (unsigned i = 0; i < out.size(); ++i)
    ASSERT_EQ(out[i], 2 * static_cast<int>(i / 1024)) << i;
}

TEST(EmulatorMultiprocessors, NumberIsChecked) {
  EXPECT_EQ(multiprocessors(), 8);
  EXPECT_THROW(set_multiprocessors(0), std::invalid_argument);
  EXPECT_THROW(set_multiprocessors(1025), std::invalid_argument);
  EXPECT_EQ(multiprocessors(), 8);
}

TEST(EmulatorMultiprocessors, AScopeGivesBackTheNumberBefore) {
  {
    const ScopedMultiprocessors few(3);
    EXPECT_EQ(multiprocessors(), 3);
    EXPECT_THROW(ScopedMultiprocessors(0), std::invalid_argument);
    EXPECT_EQ(multiprocessors(), 3);
  }
  EXPECT_EQ(multiprocessors(), 8);
}

}  // namespace
}  // namespace ladder::emulator
