// SPDX-License-Identifier: MIT
/// \file  tests/bench/labs/recovered_systems_test.cpp
/// \brief What random memory systems are made of comes out of measurements on them.
#include <gtest/gtest.h>

#include <algorithm>

#include "bench/labs/analysis/plateaus.hpp"
#include "bench/labs/analysis/replacement.hpp"
#include "bench/labs/simulator/memory_system.hpp"
#include "common/side_aware/two_sides.hpp"
#include "tests/bench/labs/drawn_gpus.hpp"
#include "tests/bench/labs/simulated_gpus.hpp"

namespace ladder::labs {
namespace {

using side_aware::find_sides;
using side_aware::fit_parity;

constexpr std::uint64_t kLine = 128;
constexpr std::uint64_t kKiB = 1 << 10;
constexpr std::uint64_t kMiB = 1 << 20;

MemorySystemShape without_effects(int sms) {
  MemorySystemShape shape;
  shape.facts.name = "drawn";
  shape.facts.sms = sms;
  shape.facts.sm_clock_mhz = 1000;
  shape.facts.dram_bytes = shape.facts.free_bytes = 64 * 1024 * kMiB;
  shape.near_cycles = shape.far_cycles = 250;
  shape.dram_cycles = 600;
  shape.l2_gbps = 1000;
  shape.dram_read_gbps = shape.dram_write_gbps = 100;
  return shape;
}

/// Three standard deviations of a single sample, and the drift of the clock.
double tolerance(const MemorySystemShape& shape, double cycles) {
  return 3 * shape.noise.sigma_cycles + shape.noise.drift_share * cycles;
}

TEST(RecoveredCaches, CapacitiesWithinAStepAndLatenciesWithinThreeSigma) {
  constexpr double kFactor = 1.06;
  for (int seed = 0; seed < draws(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Draw draw(static_cast<std::uint64_t>(seed));
    MemorySystemShape shape = without_effects(4);
    const int l1_sets = draw.between(16, 64);
    shape.l1 = CacheShape{.bytes = static_cast<std::uint64_t>(4 * l1_sets) * kLine, .ways = 4};
    const int sides = draw.between(1, 2);
    const auto l2_sets = static_cast<std::uint64_t>(32 * draw.between(3, 8));
    shape.l2 = L2Shape{.side = {.bytes = 16 * l2_sets * kLine, .ways = 16},
                       .sides = sides,
                       .home_mask = sides == 2 ? 0x1000u << draw.between(0, 1) : 0u};
    shape.l1_cycles = draw.between(25, 80);
    shape.near_cycles = draw.between(170, 300);
    shape.far_cycles = shape.near_cycles + draw.between(80, 250);
    shape.dram_cycles = shape.far_cycles + draw.between(150, 300);
    const auto gpu = make_simulated_instruments(shape, static_cast<std::uint64_t>(seed));

    const auto side = static_cast<double>(shape.l2->side.bytes);
    const std::vector<Knee> knees =
        find_knees(staircase(*gpu, 2048, 2.6 * side * sides, kFactor, Access::cached));
    std::vector<double> capacities = {static_cast<double>(shape.l1->bytes), side};
    std::vector<double> levels = {shape.l1_cycles, shape.near_cycles};
    if (sides == 2) {
      // Beyond one side: what is at home there goes to DRAM, the rest to the other side.
      capacities.push_back(2 * side);
      levels.push_back((shape.far_cycles + shape.dram_cycles) / 2);
    }
    levels.push_back(shape.dram_cycles);
    ASSERT_EQ(knees.size(), capacities.size());
    for (std::size_t i = 0; i < knees.size(); ++i) {
      // A line too many costs a set, and a twentieth of the sets costs a twentieth of the rise.
      EXPECT_LE(knees[i].onset, capacities[i] * kFactor) << i;
      // Pieces of 4 or 8 KiB are at home here and there in turn.
      EXPECT_GE(knees[i].onset, capacities[i] / kFactor - 8 * kKiB) << i;
      EXPECT_NEAR(knees[i].before, levels[i], tolerance(shape, levels[i])) << i;
      // A mean of far and DRAM loads scatters, because a walk loads either the one or the other.
      EXPECT_NEAR(knees[i].after, levels[i + 1], tolerance(shape, levels[i + 1]) + 2) << i;
    }
  }
}

TEST(RecoveredCaches, NoneAreFoundWhereNoneAre) {
  for (int seed = 0; seed < draws(); ++seed) {
    const auto gpu =
        make_simulated_instruments(without_effects(4), static_cast<std::uint64_t>(seed));
    EXPECT_TRUE(find_knees(staircase(*gpu, 2048, 1.0 * kMiB, 1.06, Access::cached)).empty())
        << "seed " << seed;
  }
}

MemorySystemShape with_sides(Draw& draw, int sms) {
  MemorySystemShape shape = without_effects(sms);
  std::uint64_t mask = 0x1000;
  for (int bit = 13; bit <= 20; ++bit)
    mask |= draw.coin() ? std::uint64_t{1} << bit : 0;
  shape.l2 = L2Shape{.side = {.bytes = 2 * kMiB, .ways = 16}, .sides = 2, .home_mask = mask};
  for (int sm = 0; sm < sms; ++sm)
    shape.side_of_sm.push_back(draw.coin());
  shape.side_of_sm[1] = 1 - shape.side_of_sm[0];
  shape.far_cycles = shape.near_cycles + draw.between(30, 200);
  shape.sm_sigma_cycles = 25;
  shape.slice_sigma_cycles = 12;
  return shape;
}

/// Lines of one page of 2 MiB.
std::vector<std::uint64_t> lines_of_a_page(int count, Draw& draw) {
  std::vector<std::uint64_t> bytes;
  for (int i = 0; i < count; ++i) {
    bytes.push_back(static_cast<std::uint64_t>(draw.between(0, (1 << 14) - 1)) * kLine);
  }
  return bytes;
}

TEST(RecoveredSides, OfSmsAndTheMaskExactly) {
  for (int seed = 0; seed < draws(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Draw draw(static_cast<std::uint64_t>(seed));
    const MemorySystemShape shape = with_sides(draw, 36);
    const auto gpu = make_simulated_instruments(shape, static_cast<std::uint64_t>(seed));
    const std::vector<std::uint64_t> bytes = lines_of_a_page(160, draw);
    const auto sides = find_sides(gpu->walks().home_cycles(all_sms(*gpu), bytes, 5));
    ASSERT_TRUE(sides);
    for (std::size_t sm = 0; sm < shape.side_of_sm.size(); ++sm) {
      EXPECT_EQ(sides->of_row[sm], shape.side_of_sm[sm] ^ shape.side_of_sm[0]) << "SM " << sm;
    }
    const double penalty = shape.far_cycles - shape.near_cycles;
    EXPECT_NEAR(sides->penalty_cycles, penalty, tolerance(shape, penalty));
    const auto mask = fit_parity(bytes, sides->of_column, 7, 20, static_cast<std::uint64_t>(seed));
    ASSERT_TRUE(mask);
    EXPECT_EQ(mask->mask, shape.l2->home_mask);
    EXPECT_EQ(mask->agreement, 1);
  }
}

TEST(RecoveredSides, NoneAreFoundWhereNoneAre) {
  for (int seed = 0; seed < draws(); ++seed) {
    Draw draw(static_cast<std::uint64_t>(seed));
    MemorySystemShape shape = with_sides(draw, 36);
    if (draw.coin()) {
      shape.l2->sides = 1;
    } else {
      shape.far_cycles = shape.near_cycles;  // two sides that are as near as each other
    }
    shape.side_of_sm = shape.l2->sides == 1 ? std::vector<int>{} : shape.side_of_sm;
    const auto gpu = make_simulated_instruments(shape, static_cast<std::uint64_t>(seed));
    EXPECT_FALSE(find_sides(gpu->walks().home_cycles(all_sms(*gpu), lines_of_a_page(160, draw), 5)))
        << "seed " << seed;
  }
}

/// Hit rates as a lab infers them from bandwidths.
std::vector<Point> hit_rates(Instruments& gpu, SweepOrder order, double capacity) {
  const auto gbps = [&](double bytes) {
    return gpu.sweeps().gbps({.bytes = static_cast<std::uint64_t>(bytes), .order = order}, 5);
  };
  const double cache = median_of(gbps(capacity / 4));
  const double memory = 100;  // of the data sheet
  std::vector<Point> rates;
  for (const double x : geometric(0.7, 5, 1.12)) {
    Point point{.x = x * capacity, .samples = {}};
    for (const double sample : gbps(x * capacity)) {
      point.samples.push_back(overlapped_hit_rate(sample, cache, memory));
    }
    rates.push_back(point);
  }
  return rates;
}

TEST(RecoveredReplacement, IsTheOneThatTheCacheHas) {
  for (int seed = 0; seed < draws(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Draw draw(static_cast<std::uint64_t>(seed));
    MemorySystemShape shape = without_effects(8);
    const bool lru = draw.coin();
    shape.l2 = L2Shape{
        .side = {.bytes = static_cast<std::uint64_t>(draw.between(20, 60)) * 16 * 16 * kLine,
                 .ways = 16,
                 .victim = lru ? Victim::lru : Victim::random}};
    shape.l2_gbps = 2000;
    const auto gpu = make_simulated_instruments(shape, static_cast<std::uint64_t>(seed));
    const auto capacity = static_cast<double>(shape.l2->side.bytes);
    const ReplacementFit swept =
        fit_replacement(hit_rates(*gpu, SweepOrder::rotated_blocks, capacity));
    EXPECT_EQ(swept.best, lru ? Replacement::lru : Replacement::random);
    EXPECT_TRUE(swept.decided);
    EXPECT_NEAR(swept.capacity.value, capacity, 0.12 * capacity);
    const ReplacementFit random =
        fit_replacement(hit_rates(*gpu, SweepOrder::random_lines, capacity));
    EXPECT_EQ(random.best, Replacement::proportional);
    EXPECT_TRUE(random.decided);
  }
}

}  // namespace
}  // namespace ladder::labs
