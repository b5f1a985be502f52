// SPDX-License-Identifier: MIT
/// \file  tests/bench/labs/simulated_hints_test.cpp
/// \brief What survives a stream in a simulated L2, and how far a second simulated GPU is.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "bench/labs/analysis/plateaus.hpp"
#include "bench/labs/simulator/memory_system.hpp"

namespace ladder::labs {
namespace {

constexpr std::uint64_t kLine = 128;

/// Share of a hot array of this size that survives a stream of twice L2.
double survivors(Instruments& gpu, double hot_of_l2, Survival survival) {
  const auto l2 = static_cast<double>(gpu.facts().l2_bytes);
  survival.hot_bytes = static_cast<std::uint64_t>(hot_of_l2 * l2);
  survival.stream_bytes = 2 * gpu.facts().l2_bytes;
  if (survival.set_aside) survival.set_aside->window_bytes = survival.hot_bytes;
  return gpu.survival()->survivors(survival, 1).at(0);
}

/// Median of some laps: the simulated clock has noise.
double second_lap(Instruments& gpu, Hint hint) {
  std::vector<double> cycles(9);
  std::ranges::generate(cycles, [&] { return gpu.survival()->second_lap_cycles(hint); });
  return median_of(cycles);
}

TEST(SimulatedHints, AStreamRemovesWhatNothingProtects) {
  const auto gpu = make_simulated_instruments("h200", 1);
  EXPECT_EQ(survivors(*gpu, 0.25, {}), 0.0);
  EXPECT_EQ(survivors(*gpu, 0.25, {.stream_hint = Hint::cg}), 0.0);
  EXPECT_EQ(survivors(*gpu, 0.25, {.stream_hint = Hint::evict_first}), 1.0);
  EXPECT_EQ(survivors(*gpu, 0.25, {.hot_hint = Hint::evict_last}), 1.0);
  EXPECT_EQ(survivors(*gpu, 0.25, {.hot_hint = Hint::evict_first}), 0.0);
}

TEST(SimulatedHints, ASetAsidePartProtectsAsMuchAsItHolds) {
  const auto gpu = make_simulated_instruments("h200", 1);
  const std::uint64_t limit = gpu->facts().most_persisting_bytes;  // 10 of 16 ways
  const SetAside all = {.limit_bytes = limit};
  EXPECT_EQ(survivors(*gpu, 0.55, {.set_aside = all}), 1.0);
  EXPECT_NEAR(survivors(*gpu, 0.9, {.set_aside = all}), 0.625 / 0.9, 0.01);
  const SetAside half = {.limit_bytes = limit / 2};
  EXPECT_NEAR(survivors(*gpu, 0.55, {.set_aside = half}), 0.3125 / 0.55, 0.01);
  const SetAside beyond = {.limit_bytes = 2 * limit};
  EXPECT_NEAR(survivors(*gpu, 0.9, {.set_aside = beyond}), survivors(*gpu, 0.9, {.set_aside = all}),
              0.03);
}

TEST(SimulatedHints, AHitRatioMarksItsShareOfTheLines) {
  const auto gpu = make_simulated_instruments("h200", 1);
  const SetAside set_aside = {.limit_bytes = gpu->facts().most_persisting_bytes, .hit_ratio = 0.3};
  EXPECT_NEAR(survivors(*gpu, 0.5, {.set_aside = set_aside}), 0.3, 0.03);
}

TEST(SimulatedHints, WithoutCachesNothingSurvives) {
  const auto gpu = make_simulated_instruments("flat", 1);
  EXPECT_EQ(survivors(*gpu, 0.125, {.hot_hint = Hint::evict_last}), 0.0);
  EXPECT_NEAR(second_lap(*gpu, Hint::ca), memory_system_of("flat").dram_cycles, 8);
}

TEST(SimulatedHints, L1KeepsWhatItsOperatorsAllow) {
  const auto gpu = make_simulated_instruments("h200", 1);
  const MemorySystemShape shape = memory_system_of("h200");
  for (const Hint hint : {Hint::ca, Hint::cs, Hint::evict_first, Hint::evict_last})
    EXPECT_NEAR(second_lap(*gpu, hint), shape.l1_cycles, 4) << name_of(hint);
  for (const Hint hint : {Hint::cg, Hint::lu, Hint::cv, Hint::no_l1})
    EXPECT_NEAR(second_lap(*gpu, hint), shape.near_cycles, 4) << name_of(hint);
}

TEST(SimulatedLink, TheOtherGpusL2KeepsItsLines) {
  const auto gpu = make_simulated_instruments("classroom", 1);
  const MemorySystemShape shape = memory_system_of("classroom");
  const auto cycles = [&](WalkInstrument& walks, std::uint64_t bytes, Access access) {
    return median_of(walks.cycles({.places = bytes / kLine, .access = access}, 5));
  };
  WalkInstrument& remote = *gpu->remote_walks();
  const std::uint64_t half = shape.facts.l2_bytes / 2;
  const std::uint64_t much = 8 * shape.facts.l2_bytes;
  EXPECT_NEAR(cycles(remote, half, Access::l2_only), shape.link->hit_cycles, 20);
  EXPECT_NEAR(cycles(remote, much, Access::l2_only), shape.link->miss_cycles, 20);
  EXPECT_NEAR(cycles(remote, shape.l1->bytes / 2, Access::cached), shape.l1_cycles, 5);
  EXPECT_NEAR(median_of(gpu->remote_sweeps()->gbps({.bytes = much}, 5)), shape.link->gbps, 2);
}

TEST(SimulatedLink, OneGpuHasNone) {
  MemorySystemShape shape = memory_system_of("classroom");
  shape.link.reset();
  const auto gpu = make_simulated_instruments(shape, 1);
  EXPECT_EQ(gpu->remote_walks(), nullptr);
  EXPECT_EQ(gpu->remote_sweeps(), nullptr);
}

}  // namespace
}  // namespace ladder::labs
