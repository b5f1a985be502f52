// SPDX-License-Identifier: MIT
/// \file  tests/bench/labs/paper_sizes_test.cpp
/// \brief The TLBs that Karnagel et al. found in 2017 come out of curves as their paper shows them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "bench/labs/analysis/plateaus.hpp"
#include "tests/bench/labs/made_up_curves.hpp"

namespace ladder::labs {
namespace {

constexpr double kMB = 1 << 20;

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

}  // namespace
}  // namespace ladder::labs
