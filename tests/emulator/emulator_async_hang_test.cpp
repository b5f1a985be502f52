// SPDX-License-Identifier: MIT
/// \file  tests/emulator/emulator_async_hang_test.cpp
/// \brief When nobody can go on, all that wait are named at once.
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "emulator/run/settings.hpp"
#include "tests/emulator/async_probes.hpp"
#include "tests/emulator/expect_kernel_error.hpp"

namespace ladder::emulator {
namespace {

constexpr char kBarriers[] = "mbarrier_probes.cu";
constexpr char kBlocks[] = "block_wait_probes.cu";

class EmulatorAsyncHang : public testing::TestWithParam<unsigned> {
 protected:
  EmulatorAsyncHang() { set_cpu_threads(GetParam()); }
  ~EmulatorAsyncHang() override {
    set_cpu_threads(before_);
    set_multiprocessors(8);
    EXPECT_LT(std::chrono::steady_clock::now() - begin_, std::chrono::seconds(5))
        << "it was found by the watch, not at once";
  }

  alignas(16) float four_[4] = {1, 2, 3, 4};

 private:
  unsigned before_ = cpu_threads();
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

INSTANTIATE_TEST_SUITE_P(CpuThreads, EmulatorAsyncHang, testing::Values(1u, 2u));

/// One group of threads that must be among the waiters.
struct Group {
  std::string threads;
  std::string what;
  std::string detail;
  const char* file;
  std::string marker;
  KernelError::Index block = {};
};

void expect_waiters(const std::optional<KernelError>& error, const std::vector<Group>& groups) {
  ASSERT_TRUE(error.has_value()) << "the launch did not fail";
  const std::string text = error->what();
  EXPECT_EQ(error->kind(), KernelErrorKind::kDeadlock) << text;
  ASSERT_EQ(error->waiters().size(), groups.size()) << text;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const KernelWaiters& waiters = error->waiters()[i];
    EXPECT_EQ(waiters.threads, groups[i].threads);
    EXPECT_EQ(waiters.what, groups[i].what);
    EXPECT_EQ(waiters.detail, groups[i].detail);
    EXPECT_EQ(waiters.block, groups[i].block);
    EXPECT_EQ(waiters.file, std::string("tests/emulator/") + groups[i].file);
    EXPECT_EQ(waiters.line, line_of(groups[i].file, groups[i].marker));
    EXPECT_TRUE(contains(text, waiters.file + ":" + std::to_string(waiters.line))) << text;
  }
}

TEST_P(EmulatorAsyncHang, AllKindsOfWaitsAreNamed) {
  const auto error = error_of([&] { probes::wait_for_each_other(four_); });
  expect_waiters(
      error,
      {{"0-63", "wait for an mbarrier", "phase parity 0: 4 of 5 arrivals and 16 bytes are missing",
        kBarriers, "four arrivals and one box are missing"},
       {"64-95", "wait at a named barrier", "barrier 1: 32 of 128 threads are here", kBarriers,
        "96 others never come"},
       {"96-127", "wait at __syncthreads", "32 of 160 threads are here", kBarriers, "nobody else"},
       {"128-149", "wait for an mbarrier",
        "phase parity 0: 4 of 5 arrivals and 16 bytes are missing", kBarriers,
        "in one warp with the last"},
       {"150-159", "wait in __syncwarp", "for lanes of their warp", kBarriers,
        "with lanes at an mbarrier"}});
  EXPECT_TRUE(contains(error->what(), "threads 0-63 wait for an mbarrier at tests/emulator/"))
      << error->what();
}

TEST_P(EmulatorAsyncHang, MoreBytesThanAnnounced) {
  expect_waiters(error_of([&] { probes::bytes_nobody_announced(four_); }),
                 {{"0", "wait for an mbarrier",
                   "phase parity 0: 0 of 1 arrivals and 0 bytes are missing, and 4 bytes have come "
                   "that nobody announced",
                   kBarriers, "16 bytes come"}});
}

TEST_P(EmulatorAsyncHang, FlagThatNobodySets) {
  const unsigned flag = 0;
  std::string even = "0";
  std::string odd = "1";
  for (int i = 2; i < 64; ++i)
    (i % 2 == 0 ? even : odd) += ", " + std::to_string(i);
  std::vector<Group> groups;
  for (unsigned block = 0; block < 3; ++block) {
    groups.push_back(
        {even, "wait for a flag", "it holds 0", kBlocks, "a flag that nobody sets", {block, 0, 0}});
    groups.push_back({odd,
                      "wait at __syncthreads",
                      "32 of 64 threads are here",
                      kBlocks,
                      "behind the flag",
                      {block, 0, 0}});
  }
  expect_waiters(error_of([&] { probes::wait_for_ever(3, &flag); }), groups);
}

TEST_P(EmulatorAsyncHang, GridThatIsTooLargeToWaitForItsLastBlock) {
  set_multiprocessors(2);
  unsigned flag = 0;
  const auto error = error_of([&] { probes::wait_for_the_last(9, 512, &flag); });
  ASSERT_TRUE(error.has_value());
  EXPECT_EQ(error->kind(), KernelErrorKind::kDeadlock) << error->what();
  EXPECT_EQ(error->waiters().size(), 8u) << error->what();
  EXPECT_TRUE(contains(error->what(),
                       "have not started, because those that wait fill the GPU: 1 (it holds 8 at a "
                       "time, 4 of 512 threads on each of 2 SMs; LADDER_MULTIPROCESSORS sets"))
      << error->what();
  flag = 0;
  probes::wait_for_the_last(8, 512, &flag);
}

}  // namespace
}  // namespace ladder::emulator
