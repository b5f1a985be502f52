// SPDX-License-Identifier: MIT
/// \file  tests/bench/labs/shared_memory_lab_test.cpp
/// \brief L08: passes of accesses to shared memory, and what a GPU's times make of them.
#include <gtest/gtest.h>

#include <algorithm>

#include "bench/labs/questions/counted.hpp"
#include "bench/labs/questions/labs.hpp"
#include "bench/labs/questions/lane_layouts.hpp"
#include "tests/bench/labs/find_in_report.hpp"
#include "tests/bench/labs/gpu_that_answers.hpp"

namespace ladder::labs {
namespace {

TEST(ConflictTest, AsManyPassesAsLanesWantOneBank) {
  for (const unsigned bytes : {4u, 8u, 16u}) {
    const unsigned parts = kWarpLanes / lanes_in_part(bytes);
    for (unsigned degree = 1; degree <= lanes_in_part(bytes); ++degree) {
      for (const bool stores : {false, true}) {
        const emulator::AccessCounts counts = count_shared(conflicting(bytes, degree, stores));
        EXPECT_EQ(counts.requests, 1u);
        EXPECT_EQ(counts.wavefronts, degree * parts) << bytes << " bytes, degree " << degree;
      }
    }
  }
}

TEST(FragmentTest, TheOrderOfLanesDecides) {
  using enum LaneOrder;
  using enum Share;
  const auto wavefronts = [](const SharedAccess& access) {
    return count_shared(access).wavefronts;
  };
  EXPECT_EQ(wavefronts(fragment_of_b(row_major, contiguous)), 8u);
  EXPECT_EQ(wavefronts(fragment_of_b(row_major, split)), 4u);
  EXPECT_EQ(wavefronts(fragment_of_b(zigzag, contiguous)), 4u);
  EXPECT_EQ(wavefronts(fragment_of_b(zigzag, split)), 2u);
  for (const LaneOrder order : {row_major, zigzag})
    EXPECT_EQ(wavefronts(fragment_of_a(order, split)), 2u);
}

TEST(TransposedStoreTest, ThePaddingHasToFitTheLanes) {
  const auto wavefronts = [](unsigned lanes_per_row, unsigned pad) {
    return count_shared(transposed_store(lanes_per_row, pad)).wavefronts;
  };
  EXPECT_EQ(wavefronts(2, 0), 2u);
  EXPECT_EQ(wavefronts(2, 1), 2u);
  EXPECT_EQ(wavefronts(2, 4), 1u);
  EXPECT_EQ(wavefronts(8, 0), 8u);
  EXPECT_EQ(wavefronts(8, 1), 1u);
  EXPECT_EQ(wavefronts(8, 4), 4u);
}

TEST(ShuffleTest, AsksNothingOfSharedMemory) {
  EXPECT_EQ(shared_requests_of_a_shuffle(), 0u);
}

TEST(SharedMemoryLabTest, WithoutAGpuLocalMemoryIsPending) {
  const LabReport report = shared_memory(nullptr, {.quick = true});
  EXPECT_EQ(value_of(report, "accesses_beside_the_rule"), 5.0);
  for (const char* const row : {"R110", "R114", "R115"})
    EXPECT_EQ(claim(report, row).verdict, "pending") << row;
  EXPECT_EQ(claim(report, "R225").verdict, "condition");
  EXPECT_EQ(claim(report, "R227").verdict, "condition");
  EXPECT_THROW(finding(report, "cycles_per_wavefront"), std::out_of_range);
}

TEST(SharedMemoryLabTest, TurnsCyclesIntoRates) {
  GpuThatAnswers gpu;
  gpu.memory_facts.dram_gbps = 4800;
  gpu.answered_sm.shared = [](const SharedAccess& access) {
    return 0.5 + 1.25 * static_cast<double>(count_shared(access).wavefronts);
  };
  // A latency of 4 cycles, until the four schedulers start one in each cycle.
  gpu.answered_sm.multiply_add = [](int chains, int warps) {
    return std::max(4.0 / chains, std::max(warps / 4.0, 1.0));
  };
  gpu.answered_sm.local = [](int warps, bool all_sms) {
    return warps == 1 ? 36.0 : all_sms ? 480.0 : 300.0;
  };
  const LabReport report = shared_memory(&gpu, {.quick = true});
  EXPECT_NEAR(value_of(report, "cycles_per_wavefront"), 1.25, 1e-9);
  EXPECT_EQ(value_of(report, "ffma_latency_cycles"), 4.0);
  EXPECT_EQ(value_of(report, "ffma_per_cycle"), 128.0);
  EXPECT_NE(claim(report, "R112").because.find("124 TB/s"), std::string::npos);
  EXPECT_EQ(claim(report, "R114").verdict, "condition");
  EXPECT_EQ(claim(report, "R115").verdict, "holds");
  EXPECT_NE(finding(report, "spilled_sums_cycles").how.find("4x"), std::string::npos);
}

TEST(SharedMemoryLabTest, ComparesWithTheMemoryOfTheGpuAtHand) {
  GpuThatAnswers gpu;
  gpu.answered_sm.shared = [](const SharedAccess& access) {
    return static_cast<double>(count_shared(access).wavefronts);
  };
  gpu.answered_sm.multiply_add = [](int, int) { return 4.0; };
  gpu.answered_sm.local = [](int, bool) { return 35.0; };
  const auto verdict_with = [&](double dram_gbps) {
    gpu.memory_facts.dram_gbps = dram_gbps;
    return claim(shared_memory(&gpu, {.quick = true}), "R135").verdict;
  };
  // 132 SMs at 1830 MHz: 30.9 TB/s.
  EXPECT_EQ(verdict_with(3092), "holds");
  EXPECT_EQ(verdict_with(4800), "condition");
  EXPECT_EQ(verdict_with(0), "condition");  // not known
}

TEST(SharedMemoryLabTest, AChainOfLoadsJudgesTheLatency) {
  GpuThatAnswers gpu;
  gpu.answered_sm.shared = [](const SharedAccess&) { return 1.0; };
  gpu.answered_sm.multiply_add = [](int, int) { return 4.0; };
  gpu.answered_sm.local = [](int, bool) { return 35.0; };
  for (const auto& [cycles, verdict] :
       {std::pair{19.0, "wrong"}, {20.0, "holds"}, {30.0, "holds"}, {31.0, "wrong"}}) {
    gpu.answered_sm.shared_chain = cycles;
    const LabReport report = shared_memory(&gpu, {.quick = true});
    EXPECT_EQ(value_of(report, "shared_latency_cycles"), cycles);
    EXPECT_EQ(claim(report, "R107").verdict, verdict) << cycles;
  }
  EXPECT_EQ(claim(shared_memory(nullptr, {.quick = true}), "R107").verdict, "pending");
}

TEST(SharedMemoryLabTest, ASlowLocalMemoryConfirmsTheClaim) {
  GpuThatAnswers gpu;
  gpu.answered_sm.shared = [](const SharedAccess&) { return 1.0; };
  gpu.answered_sm.multiply_add = [](int, int) { return 4.0; };
  gpu.answered_sm.local = [](int, bool) { return 500.0; };
  EXPECT_EQ(claim(shared_memory(&gpu, {.quick = true}), "R114").verdict, "holds");
}

TEST(SharedMemoryLabTest, CachedLocalMemoryRefutesTheClaim) {
  GpuThatAnswers gpu;
  gpu.answered_sm.shared = [](const SharedAccess&) { return 1.0; };
  gpu.answered_sm.multiply_add = [](int, int) { return 4.0; };
  gpu.answered_sm.local = [](int, bool all_sms) { return all_sms ? 140.0 : 35.0; };
  EXPECT_EQ(claim(shared_memory(&gpu, {.quick = true}), "R114").verdict, "wrong");
}

}  // namespace
}  // namespace ladder::labs
