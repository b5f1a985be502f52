// SPDX-License-Identifier: MIT
/// \file  tests/emulator/emulator_cluster_test.cpp
/// \brief Blocks that run together and read each other's shared memory.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "emulator/run/settings.hpp"
#include "tests/emulator/async_probes.hpp"
#include "tests/emulator/expect_kernel_error.hpp"

namespace ladder::emulator {
namespace {

constexpr char kFile[] = "block_wait_probes.cu";

class EmulatorCluster : public testing::TestWithParam<unsigned> {
 protected:
  EmulatorCluster() { set_cpu_threads(GetParam()); }
  ~EmulatorCluster() override { set_cpu_threads(before_); }

 private:
  unsigned before_ = cpu_threads();
};

INSTANTIATE_TEST_SUITE_P(CpuThreads, EmulatorCluster, testing::Values(1u, 2u, 5u));

TEST_P(EmulatorCluster, BlocksKnowTheirRank) {
  for (const unsigned cluster : {1u, 2u, 4u, 8u}) {
    std::vector<unsigned> ranks(24, 99);
    probes::write_ranks(24, cluster, ranks.data());
    for (unsigned block = 0; block < 24; ++block)
      ASSERT_EQ(ranks[block], block % cluster) << cluster;
  }
}

TEST_P(EmulatorCluster, BlocksReadEachOthersSharedMemory) {
  for (const unsigned cluster : {1u, 2u, 4u, 8u}) {
    constexpr unsigned kRounds = 7;
    std::vector<int> out(16 * 32, -1);
    probes::rotate_in_cluster(16, cluster, kRounds, out.data());
    for (unsigned block = 0; block < 16; ++block) {
      const unsigned source = block / cluster * cluster + (block + kRounds) % cluster;
      for (unsigned thread = 0; thread < 32; ++thread)
        ASSERT_EQ(out[32 * block + thread], static_cast<int>(32 * source + thread)) << cluster;
    }
  }
}

TEST_P(EmulatorCluster, RanksBeyondItAreReported) {
  const auto error = error_of(probes::map_beyond_cluster);
  ASSERT_TRUE(error.has_value());
  EXPECT_EQ(error->kind(), FaultKind::kClusterNoBlock) << error->what();
  EXPECT_EQ(error->fault().fields, (Fields{{"rank", 2}, {"blocks", 2}}));
}

TEST_P(EmulatorCluster, BlockThatHasLeft) {
  unsigned flag = 0;
  expect_kernel_error([&] { probes::read_after_leaving(&flag); },
                      {FaultKind::kClusterBlockLeft, kFile, "its owner has left"});
}

TEST_P(EmulatorCluster, ThreadThatLeavesBeforeTheBarrier) {
  const Fault fault =
      expect_kernel_error(probes::leave_before_cluster_sync,
                          {FaultKind::kMissingClusterBarrier, kFile, "not all threads come"});
  EXPECT_EQ(fault.other.value().thread, (Index{5, 0, 0}));
}

TEST_P(EmulatorCluster, BlockThatLeavesBeforeTheBarrier) {
  const auto error = error_of(probes::one_block_leaves);
  ASSERT_TRUE(error.has_value());
  EXPECT_EQ(error->kind(), FaultKind::kDeadlock) << error->what();
  ASSERT_EQ(error->fault().groups.size(), 1u) << error->what();
  const ThreadGroup& waiters = error->fault().groups[0];
  EXPECT_EQ(threads_of(waiters), "0-31");
  EXPECT_EQ(waiters.wait, WaitKind::kClusterBarrier);
  EXPECT_EQ(waiters.place.line, line_of(kFile, "the other block has left"));
}

TEST_P(EmulatorCluster, NextLaunchWorksAfterAnError) {
  // Blocks that wait at the barrier of a cluster as small as the failed one, and read each other's
  // shared memory: what the error left there would let them go on too early, or never.
  const auto expect_clusters_work = [] {
    for (const unsigned cluster : {2u, 4u}) {
      std::vector<int> out(8 * 32, -1);
      probes::rotate_in_cluster(8, cluster, 3, out.data());
      for (unsigned block = 0; block < 8; ++block) {
        const unsigned source = block / cluster * cluster + (block + 3) % cluster;
        for (unsigned thread = 0; thread < 32; ++thread)
          ASSERT_EQ(out[32 * block + thread], static_cast<int>(32 * source + thread)) << cluster;
      }
    }
  };
  for (int run = 0; run < 5; ++run) {
    EXPECT_THROW(probes::one_block_leaves(), KernelError);
    expect_clusters_work();
    EXPECT_THROW(probes::map_beyond_cluster(), KernelError);
    expect_clusters_work();
    EXPECT_THROW(probes::leave_before_cluster_sync(), KernelError);
    expect_clusters_work();
    unsigned flag = 0;
    EXPECT_THROW(probes::read_after_leaving(&flag), KernelError);
    expect_clusters_work();
  }
}

TEST(EmulatorClusterLaunch, RefusesWhatCudaRefuses) {
  std::vector<unsigned> ranks(32, 99);
  const auto refusal = [&](unsigned blocks, unsigned cluster) {
    const auto error = error_of([&] { probes::write_ranks(blocks, cluster, ranks.data()); });
    return error ? error->fault() : Fault();
  };
  const Fault no_multiple = refusal(6, 4);
  EXPECT_EQ(no_multiple.kind, FaultKind::kLaunchClusterGrid);
  EXPECT_EQ(no_multiple.fields, (Fields{{"grid", FieldValue::Numbers{6, 1, 1}},
                                        {"cluster", FieldValue::Numbers{4, 1, 1}}}));
  for (const unsigned blocks : {16u, 0u}) {
    const Fault refused = refusal(blocks == 0 ? 4 : blocks, blocks);
    EXPECT_EQ(refused.kind, FaultKind::kLaunchClusterSize);
    EXPECT_EQ(refused.fields.number("blocks"), blocks);
  }
}

}  // namespace
}  // namespace ladder::emulator
