// SPDX-License-Identifier: MIT
/// \file  tests/bench/labs/simulated_instruments_test.cpp
/// \brief Simulated instruments answer as a GPU's do: presets, errors, sums, and the same for a
///        seed.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "bench/labs/analysis/plateaus.hpp"
#include "bench/labs/analysis/saturation.hpp"
#include "bench/labs/simulator/memory_system.hpp"
#include "common/side_aware/two_sides.hpp"
#include "tests/bench/labs/simulated_gpus.hpp"

namespace ladder::labs {
namespace {

using side_aware::find_sides;

constexpr std::uint64_t kMiB = 1 << 20;
constexpr std::uint64_t kGiB = 1 << 30;

TEST(SimulatedInstruments, ThereAreAllPresets) {
  const std::vector<std::string> presets = simulated_presets();
  for (const char* name : {"k80", "p100", "h100", "h200", "h200_1g", "classroom", "flat"}) {
    EXPECT_NE(std::ranges::find(presets, name), presets.end()) << name;
  }
  for (const std::string& preset : presets) {
    const auto gpu = make_simulated_instruments(preset, 1);
    EXPECT_TRUE(gpu->simulated());
    EXPECT_EQ(gpu->facts().name, "simulated " + preset);
    EXPECT_GT(gpu->facts().sms, 0);
    EXPECT_LT(gpu->facts().free_bytes, gpu->facts().dram_bytes);
    EXPECT_EQ(gpu->walks().cycles({.places = 8}, 3).size(), 3u);
  }
}

TEST(SimulatedInstruments, AnUnknownPresetNamesTheOthers) {
  try {
    make_simulated_instruments("gtx", 1);
    FAIL();
  } catch (const LabError& error) {
    EXPECT_NE(std::string(error.what()).find("'gtx'"), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("classroom"), std::string::npos);
  }
}

TEST(SimulatedInstruments, RefuseWhatDoesNotFit) {
  const auto gpu = make_simulated_instruments("classroom", 1);
  EXPECT_THROW(gpu->walks().cycles({.places = kGiB, .stride_bytes = 128}, 1), LabError);
  EXPECT_THROW(gpu->walks().cycles({.places = 0}, 1), LabError);
  EXPECT_THROW(gpu->walks().cycles({.places = 4, .stride_bytes = 12}, 1), LabError);
  EXPECT_THROW(gpu->walks().cycles({.places = 4}, 1, 8), LabError);
  EXPECT_THROW(gpu->sweeps().gbps({.bytes = 0}, 1), LabError);
  EXPECT_THROW(gpu->sweeps().gbps({.bytes = kGiB, .direction = Direction::copy}, 1), LabError);
  EXPECT_THROW(gpu->random_reads().random_reads({.region_bytes = 4 * kGiB, .reads = 1}, 1),
               LabError);
  EXPECT_THROW(
      gpu->random_reads().random_reads({.region_bytes = kMiB, .reads = 1, .group_of_sm = {0}}, 1),
      LabError);
}

TEST(SimulatedInstruments, GiveTheSameForASeed) {
  const auto run = [](std::uint64_t seed) {
    const auto gpu = make_simulated_instruments("classroom", seed);
    return gpu->walks().cycles({.places = 3000}, 5);
  };
  EXPECT_EQ(run(1), run(1));
  EXPECT_NE(run(1), run(2));
}

TEST(SimulatedInstruments, AFlatGpuHasNeitherCachesNorSides) {
  const auto gpu = make_simulated_instruments("flat", 3);
  EXPECT_TRUE(find_knees(staircase(*gpu, 1024, 64.0 * kMiB, 1.1, Access::cached)).empty());
  EXPECT_TRUE(find_knees(staircase(*gpu, 1024, 64.0 * kMiB, 1.1, Access::l2_only)).empty());
  std::vector<std::uint64_t> bytes;
  for (std::uint64_t i = 0; i < 128; ++i)
    bytes.push_back(i * 12288);
  EXPECT_FALSE(find_sides(gpu->walks().home_cycles(all_sms(*gpu), bytes, 5)));
  std::vector<Point> times;
  for (const double bytes_read : geometric(64.0 * 1024, 256.0 * kMiB, 1.3)) {
    Point point{.x = bytes_read, .samples = {}};
    for (const double gbps :
         gpu->sweeps().gbps({.bytes = static_cast<std::uint64_t>(bytes_read)}, 5)) {
      point.samples.push_back(1000 / gbps);
    }
    times.push_back(point);
  }
  EXPECT_TRUE(find_knees(times).empty());
}

TEST(SimulatedInstruments, AtomicsTellTheHomeThatLoadsHide) {
  const auto gpu = make_simulated_instruments("classroom", 1);
  // Half of the lines are far: their mean lies between both. Loads have copies near.
  const double atomics =
      median_of(gpu->walks().cycles({.places = 512, .access = Access::atomic}, 9));
  const double loads = median_of(gpu->walks().cycles({.places = 512}, 9));
  const MemorySystemShape shape = memory_system_of("classroom");
  EXPECT_NEAR(atomics - loads, (shape.far_cycles - shape.near_cycles) / 2 + shape.atomic_cycles, 6);
}

TEST(Sweeps, BandwidthFallsFromL2ToDram) {
  const auto gpu = make_simulated_instruments("h200", 1);
  const auto gbps = [&](Sweep sweep) { return median_of(gpu->sweeps().gbps(sweep, 7)); };
  const MemorySystemShape shape = memory_system_of("h200");
  EXPECT_NEAR(gbps({.bytes = 8 * kMiB}), shape.l2_gbps, 0.03 * shape.l2_gbps);
  EXPECT_NEAR(gbps({.bytes = kGiB}), shape.dram_read_gbps, 0.03 * shape.dram_read_gbps);
  EXPECT_NEAR(gbps({.bytes = kGiB, .direction = Direction::write}), shape.dram_write_gbps,
              0.03 * shape.dram_write_gbps);
}

TEST(Sweeps, TheSameThreadsReadTheirL1Again) {
  // 26 MB on 132 SMs is 200 KB each: what looks like L2 is L1, if each thread reads the same again.
  const auto gpu = make_simulated_instruments("h200", 1);
  const auto gbps = [&](SweepOrder order, Access access) {
    return median_of(gpu->sweeps().gbps({.bytes = 26 * kMiB, .order = order, .access = access}, 5));
  };
  const double l2 = gbps(SweepOrder::same_threads, Access::l2_only);
  EXPECT_GT(gbps(SweepOrder::same_threads, Access::cached), 2.5 * l2);
  EXPECT_NEAR(gbps(SweepOrder::rotated_blocks, Access::cached), l2, 0.05 * l2);
}

TEST(Sweeps, LittlesLawHoldsThemBack) {
  const auto gpu = make_simulated_instruments("h200", 1);
  const MemorySystemShape shape = memory_system_of("h200");
  const auto gbps = [&](int blocks, std::vector<int> sms) {
    return median_of(gpu->sweeps().gbps(
        {.bytes = kGiB, .blocks_per_sm = blocks, .loads_in_flight = 1, .sms = std::move(sms)}, 7));
  };
  EXPECT_NEAR(gbps(1, {5}), 1024 * 16 * 1.98 / shape.dram_cycles, 1);
  EXPECT_NEAR(gbps(1, {5, 6}), 2 * 1024 * 16 * 1.98 / shape.dram_cycles, 2);
  // 132 SMs have enough.
  EXPECT_NEAR(gbps(2, {}), shape.dram_read_gbps, 100);
}

TEST(RandomReads, TheSumIsTheSameForAnyNumberOfScopes) {
  const auto gpu = make_simulated_instruments("classroom", 1);
  const auto sum = [&](int scopes) {
    return gpu->random_reads()
        .random_reads({.region_bytes = kGiB, .reads = 1 << 20, .scopes = scopes}, 1)
        .sum;
  };
  EXPECT_NE(sum(1), 0u);
  EXPECT_EQ(sum(1), sum(2));
  EXPECT_EQ(sum(1), sum(7));
}

TEST(RandomReads, ScopesOfAGivenSizeLeaveNothingOut) {
  const auto gpu = make_simulated_instruments("classroom", 1);
  RandomReads reads = {
      .region_bytes = kGiB, .reads = 1 << 20, .scopes = 3, .scope_bytes = 400 * kMiB};
  EXPECT_THROW(gpu->random_reads().random_reads(reads, 1), LabError);  // by a counter
  reads.draw = DrawnBy::lcg_of_thread;
  const std::uint64_t sum = gpu->random_reads().random_reads(reads, 1).sum;
  reads.scopes = 1;
  reads.scope_bytes = 0;
  EXPECT_EQ(gpu->random_reads().random_reads(reads, 1).sum, sum);
}

// A pass draws all places while it waits for those that it reads. What an H200 and an H100 did is
// in bench/results: lab_random_sampling.json, passes over a sixteenth of the memory.
TEST(RandomReads, ManyPassesAreBoundByDrawing) {
  const auto rate = [](const char* card, double gib, int scopes) {
    const RandomReads reads = {.region_bytes = static_cast<std::uint64_t>(gib * kGiB),
                               .reads = 1u << 28,
                               .scopes = scopes};
    return median_of(make_simulated_instruments(card, 1)
                         ->random_reads()
                         .random_reads(reads, 5)
                         .reads_per_second);
  };
  EXPECT_NEAR(rate("h200", 121.17, 15), 28.98e9, 0.05 * 28.98e9);
  EXPECT_NEAR(rate("h100", 64.62, 15), 29.26e9, 0.05 * 29.26e9);
  EXPECT_NEAR(rate("h200", 121.17, 60), rate("h200", 121.17, 15) / 4, 1e9);
}

// A pass that has little to read takes as long as one that has much to draw.
TEST(RandomReads, FallWithEachNewPassAndRiseUntilTheNext) {
  const auto gpu = make_simulated_instruments("p100", 1);
  const auto rate = [&](double gib) {
    const RandomReads reads = {.region_bytes = static_cast<std::uint64_t>(gib * kGiB),
                               .reads = 1u << 28,
                               .scopes = static_cast<int>(std::ceil(gib / 2)),
                               .scope_bytes = 2 * kGiB,
                               .draw = DrawnBy::lcg_of_thread};
    return median_of(gpu->random_reads().random_reads(reads, 5).reads_per_second);
  };
  for (const double passes : {1, 2, 3, 4}) {
    EXPECT_LT(rate(2 * passes + 0.1), 0.95 * rate(2 * passes)) << passes;
    EXPECT_GT(rate(2 * passes + 1.5), 1.05 * rate(2 * passes + 0.1)) << passes;
  }
}

TEST(RandomReads, SlowDownBeyondTheReachAndScopesCureThat) {
  const auto gpu = make_simulated_instruments("p100", 1);
  const auto rate = [&](std::uint64_t bytes, int scopes) {
    return median_of(
        gpu->random_reads()
            .random_reads(
                {.region_bytes = bytes, .reads = std::uint64_t{1} << 30, .scopes = scopes}, 5)
            .reads_per_second);
  };
  const double within = rate(kGiB, 1);
  const double beyond = rate(14 * kGiB, 1);
  EXPECT_GT(within / beyond, 3);
  EXPECT_GT(rate(14 * kGiB, 8) / beyond, 2);
}

TEST(RandomReads, WindowsOfTheSmsThatShareATlbCureThatToo) {
  const auto gpu = make_simulated_instruments("h200", 1);
  const MemorySystemShape shape = memory_system_of("h200");
  const auto rate = [&](const std::vector<int>& groups) {
    return median_of(gpu->random_reads()
                         .random_reads({.region_bytes = 128 * kGiB,
                                        .reads = std::uint64_t{1} << 30,
                                        .group_of_sm = groups},
                                       5)
                         .reads_per_second);
  };
  std::vector<int> against;  // SMs that share a TLB read different windows
  for (int sm = 0; sm < shape.facts.sms; ++sm)
    against.push_back(sm % 2);
  const double windows = rate(shape.tlb[1].group_of_sm);
  EXPECT_GT(windows, 2 * rate({}));
  EXPECT_GT(windows, 2 * rate(against));
}

}  // namespace
}  // namespace ladder::labs
