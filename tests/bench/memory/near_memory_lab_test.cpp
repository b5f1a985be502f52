// SPDX-License-Identifier: MIT
/// \file  tests/bench/memory/near_memory_lab_test.cpp
/// \brief L10 on simulated memory: how near each assignment is, and what the energy says to the
/// claim.
#include <gtest/gtest.h>

#include "bench/memory/labs/labs.hpp"
#include "bench/memory/simulator/memory_system.hpp"
#include "tests/bench/memory/find_in_report.hpp"

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

TEST(NearMemoryLab, TheClaimIsConfirmedRefutedOrLeftOpen) {
  MemorySystemShape shape = memory_system_of("h200");
  EXPECT_EQ(claimed_saving(on(shape)).verdict, "holds");
  EXPECT_TRUE(claimed_saving(on(shape)).because.starts_with("Confirmed"));
  shape.energy.far_joules_per_gb = 0.0;
  EXPECT_EQ(claimed_saving(on(shape)).verdict, "wrong");
  EXPECT_TRUE(claimed_saving(on(shape)).because.starts_with("Refuted"));
  shape = memory_system_of("h200");
  shape.energy.sigma_share = 0.2;
  EXPECT_EQ(claimed_saving(on(shape)).verdict, "pending");
  EXPECT_TRUE(claimed_saving(on(shape)).because.starts_with("Not decided"));
}

TEST(NearMemoryLab, TheFullRunHasTheOtherOperations) {
  const LabReport report = on(memory_system_of("classroom"), false);
  for (const char* key : {"scale", "sum", "rope"}) {
    EXPECT_LT(value_of(report, std::string(key) + "_right_over_wrong_percent"), -10.0) << key;
    EXPECT_GT(value_of(report, std::string(key) + "_right_gbps"), 0.0) << key;
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
