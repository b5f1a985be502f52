// SPDX-License-Identifier: MIT
/// \file  tests/bench/labs/paper_sizes_test.cpp
/// \brief The TLBs that Karnagel et al. found in 2017 come out of curves as their paper shows them,
///        and out of simulated walks.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "bench/labs/analysis/page_size.hpp"
#include "bench/labs/analysis/plateaus.hpp"
#include "tests/bench/labs/simulated_gpus.hpp"

namespace ladder::labs {
namespace {

constexpr double kMB = 1 << 20;
constexpr std::uint64_t kKiB = 1 << 10;

/// Distances as the paper's program takes them: steps of a fixed size.
std::vector<double> steps(double low_mb, double high_mb, double step_mb) {
  std::vector<double> x;
  for (double mb = low_mb; mb <= high_mb; mb += step_mb)
    x.push_back(mb * kMB);
  return x;
}

/// \brief  A curve as the paper shows it: level, then some distances at which latency scatters
///         between low and high, because sets fill up one after the other, and level again.
std::vector<Point> paper_curve(const std::vector<double>& distances, double reach_mb,
                               double full_mb, double before, double after, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> scatter(-0.08, 0.08);
  return measured(
      distances,
      [&](double x) {
        const double mb = x / kMB;
        if (mb <= reach_mb || mb >= full_mb) return ramp(mb, reach_mb, full_mb, before, after);
        const double share = (mb - reach_mb) / (full_mb - reach_mb);
        return before + (after - before) * std::clamp(share + scatter(random), 0.06, 1.0);
      },
      9, seed);
}

struct PaperTlb {
  const char* name;
  double reach_mb;
  double full_mb;
  double before;
  double cycles;
  double step_mb;
};

class PaperCurve : public testing::TestWithParam<PaperTlb> {};

TEST_P(PaperCurve, GivesTheReachWithinOneStep) {
  const PaperTlb tlb = GetParam();
  const std::vector<double> distances = steps(tlb.reach_mb / 2, tlb.full_mb * 1.6, tlb.step_mb);
  for (int seed = 0; seed < draws(); ++seed) {
    const std::vector<Knee> knees =
        find_knees(paper_curve(distances, tlb.reach_mb, tlb.full_mb, tlb.before,
                               tlb.before + tlb.cycles, static_cast<std::uint64_t>(seed)));
    ASSERT_EQ(knees.size(), 1u) << "seed " << seed;
    EXPECT_NEAR(knees[0].onset / kMB, tlb.reach_mb, tlb.step_mb * 1.01) << "seed " << seed;
    EXPECT_NEAR(knees[0].after - knees[0].before, tlb.cycles, 2.5) << "seed " << seed;
    EXPECT_NEAR(knees[0].saturated / kMB, tlb.full_mb, 0.1 * tlb.full_mb + tlb.step_mb)
        << "seed " << seed;
  }
}

// Table 2; where latency has risen in full: its figures.
INSTANTIATE_TEST_SUITE_P(Table2, PaperCurve,
                         testing::Values(PaperTlb{"K80_L1", 2, 2.2, 220, 9, 0.0625},
                                         PaperTlb{"K80_L2", 130, 143, 229, 55, 2},
                                         PaperTlb{"K80_L3", 2064, 2300, 284, 177, 16},
                                         PaperTlb{"P100_L1", 32, 34, 260, 9, 1},
                                         PaperTlb{"P100_L2", 2080, 2200, 269, 110, 32}),
                         [](const auto& info) { return std::string(info.param.name); });

struct SimulatedTlb {
  const char* name;
  const char* preset;
  std::uint64_t low_stride;
  std::uint64_t high_stride;
  double low_mb;
  double high_mb;
  double step_mb;
  double reach_mb;
  double page_mb;
  double entries;
  double cycles;
};

class SimulatedPaperTlb : public testing::TestWithParam<SimulatedTlb> {};

TEST_P(SimulatedPaperTlb, IsMeasured) {
  const SimulatedTlb tlb = GetParam();
  const auto gpu = make_simulated_instruments(tlb.preset, 7);
  const std::vector<TlbLevel> levels = find_tlb_levels(stride_curves(
      *gpu, tlb.low_stride, tlb.high_stride, steps(tlb.low_mb, tlb.high_mb, tlb.step_mb)));
  bool found = false;
  for (const TlbLevel& level : levels) {
    if (!level.page_bytes || *level.page_bytes != tlb.page_mb * kMB) continue;
    found = true;
    EXPECT_NEAR(level.reach_bytes / kMB, tlb.reach_mb, tlb.step_mb);
    EXPECT_NEAR(*level.entries, tlb.entries, 0.5 + tlb.step_mb / tlb.page_mb);
    EXPECT_NEAR(level.penalty_cycles, tlb.cycles, 3);
  }
  EXPECT_TRUE(found) << levels.size() << " levels";
}

INSTANTIATE_TEST_SUITE_P(
    Table2, SimulatedPaperTlb,
    testing::Values(
        SimulatedTlb{"K80_L1", "k80", 32 * kKiB, 512 * kKiB, 1, 12, 0.125, 2, 0.125, 16, 9},
        SimulatedTlb{"K80_L2", "k80", 512 * kKiB, 8192 * kKiB, 70, 600, 2, 130, 2, 65, 55},
        SimulatedTlb{"K80_L3", "k80", 512 * kKiB, 8192 * kKiB, 1200, 9600, 48, 2064, 2, 1032, 177},
        SimulatedTlb{"P100_L1", "p100", 1024 * kKiB, 8192 * kKiB, 16, 160, 2, 32, 2, 16, 9},
        SimulatedTlb{"P100_L2", "p100", 4096 * kKiB, 131072 * kKiB, 1088, 9600, 32, 2080, 32, 65,
                     110}),
    [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace ladder::labs
