// SPDX-License-Identifier: MIT
/// \file  tests/bench/labs/near_memory_lab_test.cpp
/// \brief L10 on simulated memory: how near each assignment is, and what the energy says to the
///        claim.
#include <gtest/gtest.h>

#include "bench/labs/questions/labs.hpp"
#include "bench/labs/simulator/memory_system.hpp"
#include "tests/bench/labs/find_in_report.hpp"

namespace ladder::labs {
namespace {

LabReport on(const MemorySystemShape& shape, bool quick = true, std::uint64_t seed = 1) {
  const auto gpu = make_simulated_instruments(shape, seed);
  return near_memory(gpu.get(), {.quick = quick, .seed = seed});
}

/// The claim about random data: the first of two in the same row.
const ClaimCheck& claimed_saving(const LabReport& report) {
  return claim(report, "R063");
}

TEST(NearMemoryLab, AllAccessesAreNearOrFarAsAssigned) {
  for (const char* preset : {"h200", "h100", "classroom"}) {
    const LabReport report = on(memory_system_of(preset));
    EXPECT_EQ(value_of(report, "near_right_percent"), 100.0) << preset;
    EXPECT_EQ(value_of(report, "near_wrong_percent"), 0.0) << preset;
    EXPECT_NEAR(value_of(report, "near_random_percent"), 50.0, 1.0) << preset;
    EXPECT_NEAR(value_of(report, "near_off_percent"), 50.0, 1.0) << preset;
    EXPECT_EQ(value_of(report, "pages_off_rule"), 0.0) << preset;
  }
}

TEST(NearMemoryLab, UnequalSidesStayNear) {
  MemorySystemShape shape = memory_system_of("classroom");
  shape.side_of_sm = {0, 1, 1, 1, 1, 1, 1, 0};
  const LabReport report = on(shape);
  EXPECT_EQ(value_of(report, "near_right_percent"), 100.0);
  EXPECT_EQ(value_of(report, "near_wrong_percent"), 0.0);
}

TEST(NearMemoryLab, TheSavingFollowsFromTheEnergyOfTheFarSide) {
  MemorySystemShape shape = memory_system_of("h200");
  shape.far_speed = {};
  const LabReport report = on(shape);
  const double gbps = 2 / (1 / shape.dram_read_gbps + 1 / shape.dram_write_gbps);
  const double near = shape.energy.idle_watts / gbps + shape.energy.joules_per_gb;
  const double far = shape.energy.far_joules_per_gb;
  EXPECT_NEAR(value_of(report, "copy_right_over_off_percent"),
              -100.0 * (0.5 * far) / (near + 0.5 * far), 0.5);
  EXPECT_NEAR(value_of(report, "copy_right_over_wrong_percent"), -100.0 * far / (near + far), 0.5);
  EXPECT_NEAR(value_of(report, "copy_random_over_off_percent"), 0.0, 0.5);
  EXPECT_NEAR(value_of(report, "copy_right_j_per_gb"), near, 0.01 * near);
}

/// A GPU whose copies of random data take so much less power if they are near.
MemorySystemShape saving(double percent) {
  MemorySystemShape shape = memory_system_of("h200");
  shape.far_speed = {};
  const double gbps = 2 / (1 / shape.dram_read_gbps + 1 / shape.dram_write_gbps);
  const double near = shape.energy.idle_watts / gbps + shape.energy.joules_per_gb;
  shape.energy.far_joules_per_gb = 2 * near * (1 / (1 - percent / 100.0) - 1);
  return shape;
}

TEST(NearMemoryLab, TheClaimIsConfirmedRefutedOrLeftOpen) {
  const ClaimCheck as_claimed = claimed_saving(on(saving(9.0)));
  EXPECT_EQ(as_claimed.verdict, "holds");
  for (const double less : {0.0, 4.0}) {
    const ClaimCheck check = claimed_saving(on(saving(less)));
    EXPECT_EQ(check.verdict, "wrong") << less;
  }
  const ClaimCheck even_more = claimed_saving(on(saving(14.0)));
  EXPECT_EQ(even_more.verdict, "condition");
  MemorySystemShape noisy = saving(9.0);
  noisy.energy.sigma_share = 0.2;
  EXPECT_EQ(claimed_saving(on(noisy)).verdict, "pending");
}

TEST(NearMemoryLab, PowerAndEnergyChangeAlikeWhereTheSpeedStays) {
  const LabReport report = on(saving(9.0));
  EXPECT_NEAR(value_of(report, "copy_right_over_off_speed_percent"), 0.0, 1.0);
  EXPECT_NEAR(value_of(report, "copy_right_over_off_power_percent"), -9.0, 0.5);
  EXPECT_NEAR(value_of(report, "copy_right_over_off_percent"), -9.0, 0.7);
  EXPECT_EQ(claim(report, "R075").verdict, "holds");
}

// As in bench/results/nvidia-h200 and nvidia-h100, lab_near_memory.json. Power was not put in: it
// follows from the energy of a byte and from the speed.
TEST(NearMemoryLab, SimulatedHoppersAreAsMuchFasterAsRecordedOnes) {
  const LabReport h200 = on(memory_system_of("h200"));
  EXPECT_NEAR(value_of(h200, "copy_right_over_off_speed_percent"), 7.3, 0.6);
  EXPECT_NEAR(value_of(h200, "copy_right_over_off_power_percent"), -6.0, 0.8);
  EXPECT_NEAR(value_of(h200, "copy_right_over_off_percent"), -12.4, 0.8);
  EXPECT_EQ(claim(h200, "R075").verdict, "wrong");
  const LabReport h100 = on(memory_system_of("h100"));
  EXPECT_NEAR(value_of(h100, "copy_right_over_off_speed_percent"), 4.7, 0.6);
}

TEST(NearMemoryLab, TheFullRunHasTheOtherOperations) {
  const LabReport report = on(memory_system_of("classroom"), false);
  for (const char* key : {"scale", "sum", "rope"}) {
    EXPECT_LT(value_of(report, std::string(key) + "_right_over_wrong_percent"), -10.0) << key;
  }
}

TEST(NearMemoryLab, WithoutSidesNothingIsFound) {
  for (const char* preset : {"flat", "p100", "h200_1g"}) {
    const LabReport report = on(memory_system_of(preset));
    EXPECT_FALSE(finding(report, "near_right_percent").value) << preset;
    EXPECT_TRUE(report.claims.empty()) << preset;
  }
}

}  // namespace
}  // namespace ladder::labs
