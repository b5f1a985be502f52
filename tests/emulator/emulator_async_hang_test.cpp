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
  WaitKind wait;
  Fields missing;
  const char* file;
  std::string marker;
  Index block = {};
};

void expect_waiters(const std::optional<KernelError>& error, const std::vector<Group>& expected) {
  ASSERT_TRUE(error.has_value()) << "the launch did not fail";
  const std::string text = error->what();
  EXPECT_EQ(error->kind(), FaultKind::kDeadlock) << text;
  const std::vector<ThreadGroup>& groups = error->fault().groups;
  ASSERT_EQ(groups.size(), expected.size()) << text;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    EXPECT_EQ(threads_of(groups[i]), expected[i].threads);
    EXPECT_EQ(groups[i].wait, expected[i].wait) << text;
    EXPECT_EQ(groups[i].missing, expected[i].missing) << text;
    EXPECT_EQ(groups[i].block, expected[i].block);
    EXPECT_EQ(groups[i].place.file, std::string("tests/emulator/") + expected[i].file);
    EXPECT_EQ(groups[i].place.line, line_of(expected[i].file, expected[i].marker));
  }
}

Fields phase(int parity, int missing_arrivals, int arrivals, int missing_bytes) {
  return {{"parity", parity},
          {"missing_arrivals", missing_arrivals},
          {"arrivals", arrivals},
          {"missing_bytes", missing_bytes}};
}

TEST_P(EmulatorAsyncHang, AllKindsOfWaitsAreNamed) {
  const auto error = error_of([&] { probes::wait_for_each_other(four_); });
  expect_waiters(error, {{"0-63", WaitKind::kMbarrier, phase(0, 4, 5, 16), kBarriers,
                          "four arrivals and one box are missing"},
                         {"64-95",
                          WaitKind::kNamedBarrier,
                          {{"barrier", 1}, {"arrived", 32}, {"expected", 128}},
                          kBarriers,
                          "96 others never come"},
                         {"96-127",
                          WaitKind::kSyncthreads,
                          {{"arrived", 32}, {"expected", 160}},
                          kBarriers,
                          "nobody else"},
                         {"128-149", WaitKind::kMbarrier, phase(0, 4, 5, 16), kBarriers,
                          "in one warp with the last"},
                         {"150-159",
                          WaitKind::kWarpCall,
                          {{"function", "__syncwarp"}},
                          kBarriers,
                          "with lanes at an mbarrier"}});
}

TEST_P(EmulatorAsyncHang, MoreBytesThanAnnounced) {
  expect_waiters(error_of([&] { probes::bytes_nobody_announced(four_); }),
                 {{"0", WaitKind::kMbarrier, phase(0, 0, 1, -4), kBarriers, "16 bytes come"}});
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
        {even, WaitKind::kFlag, {{"value", 0}}, kBlocks, "a flag that nobody sets", {block, 0, 0}});
    groups.push_back({odd,
                      WaitKind::kSyncthreads,
                      {{"arrived", 32}, {"expected", 64}},
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
  EXPECT_EQ(error->kind(), FaultKind::kDeadlock) << error->what();
  EXPECT_EQ(error->fault().groups.size(), 8u) << error->what();
  EXPECT_EQ(error->fault().fields, (Fields{{"blocks_not_started", 1},
                                           {"resident_blocks", 8},
                                           {"threads", 512},
                                           {"multiprocessors", 2}}));
  flag = 0;
  probes::wait_for_the_last(8, 512, &flag);
}

}  // namespace
}  // namespace ladder::emulator
