// SPDX-License-Identifier: MIT
/// \file  tests/bench/labs/l2_lines_test.cpp
/// \brief Ways and sectors of L2, where they show and where they do not.
#include "bench/labs/questions/l2_lines.hpp"

#include <gtest/gtest.h>

#include "bench/labs/simulator/memory_system.hpp"
#include "tests/bench/labs/find_in_report.hpp"
#include "tests/bench/labs/gpu_that_answers.hpp"

namespace ladder::labs {
namespace {

MemorySystemShape with_ways(int ways, SetIndex index) {
  MemorySystemShape shape = memory_system_of("classroom");
  shape.l2 = L2Shape{.side = {.bytes = 512 << 10, .ways = ways, .index = index}};
  return shape;
}

LabReport lines(const MemorySystemShape& shape) {
  const auto gpu = make_simulated_instruments(shape, 1);
  LabReport report;
  add_lines_of_a_stride(report, *gpu, {.quick = true});
  return report;
}

TEST(LinesOfAStride, AreTheWaysWhereTheStrideChoosesTheSet) {
  for (const int ways : {4, 8, 16}) {
    const LabReport report = lines(with_ways(ways, SetIndex::modulo));
    ASSERT_TRUE(finding(report, "lines_of_a_stride").value) << ways;
    // A few lines more only make a few loads slow.
    EXPECT_GE(value_of(report, "lines_of_a_stride"), ways);
    EXPECT_LE(value_of(report, "lines_of_a_stride"), ways + ways / 2);
    EXPECT_EQ(claim(report, "R012").verdict, "holds");
  }
}

TEST(LinesOfAStride, AreNotFoundWhereThereIsNoL2) {
  const LabReport report = lines(memory_system_of("flat"));
  EXPECT_FALSE(finding(report, "lines_of_a_stride").value);
  EXPECT_EQ(claim(report, "R012").verdict, "pending");
}

/// Keeps so many per cent of lines, by the sectors that were read.
class MadeUpSurvival final : public SurvivalInstrument {
 public:
  MadeUpSurvival(double whole, double part) : whole_(whole), part_(part) {}
  std::vector<double> survivors(const Survival& survival, int repeats) override {
    const double share = survival.hot_sectors == 4 ? whole_ : part_;
    return std::vector<double>(static_cast<std::size_t>(repeats), share / 100);
  }
  double second_lap_cycles(Hint) override { throw std::logic_error("nobody asks"); }

 private:
  double whole_;
  double part_;
};

class GpuOfSurvival final : public GpuThatAnswers {
 public:
  GpuOfSurvival(double whole, double part) : survival_(whole, part) {
    memory_facts.l2_bytes = 4 << 20;
  }
  SurvivalInstrument* survival() override { return &survival_; }

 private:
  MadeUpSurvival survival_;
};

LabReport sectors_of(double whole, double part) {
  GpuOfSurvival gpu(whole, part);
  LabReport report;
  add_survival_by_sectors(report, gpu, {.quick = true});
  return report;
}

TEST(SurvivalBySectors, IsToldWhereWholeLinesAreKept) {
  const LabReport report = sectors_of(70, 30);
  EXPECT_NEAR(value_of(report, "whole_lines_more"), 40, 0.01);
  EXPECT_EQ(claim(report, "R015").verdict, "holds");
}

TEST(SurvivalBySectors, IsTheSameWhereSectorsDoNotCount) {
  const LabReport report = sectors_of(50, 48);
  EXPECT_EQ(claim(report, "R015").verdict, "wrong");
  // Nor where lines of one sector are kept.
  EXPECT_EQ(claim(sectors_of(30, 70), "R015").verdict, "wrong");
}

TEST(SurvivalBySectors, IsNotFoundWhereEachStreamTakesAllOrNone) {
  const LabReport report = sectors_of(0, 0);
  EXPECT_FALSE(finding(report, "whole_lines_more").value);
  EXPECT_EQ(claim(report, "R015").verdict, "pending");
}

}  // namespace
}  // namespace ladder::labs
