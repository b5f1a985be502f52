// SPDX-License-Identifier: MIT
/// \file  tests/emulator/emulator_named_barrier_test.cpp
/// \brief Barriers for some warps of a block, and registers that warpgroups pass on.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/emulator/async_probes.hpp"
#include "tests/emulator/expect_kernel_error.hpp"

namespace ladder::emulator {
namespace {

constexpr char kFile[] = "mbarrier_probes.cu";

TEST(EmulatorNamedBarrier, TeamsDoNotWaitForEachOther) {
  constexpr int kSteps = 5;
  std::vector<int> out(128, -1);
  probes::rotate_in_teams(kSteps, out.data());
  for (int thread = 0; thread < 128; ++thread) {
    const int team = thread / 64;
    EXPECT_EQ(out[thread], 64 * team + (thread % 64 + kSteps * (1 + team)) % 64) << thread;
  }
}

TEST(EmulatorNamedBarrier, DifferentCountsAreReported) {
  const Fault fault = expect_kernel_error(probes::disagree_at_named_barrier,
                                          {FaultKind::kNamedBarrierCount,
                                           kFile,
                                           "for 96 threads",
                                           {},
                                           {32, 0, 0},
                                           {{"threads", 96}, {"other_threads", 64}}});
  EXPECT_EQ(fault.other.value().thread, Index());
  EXPECT_EQ(fault.other->place.line, line_of(kFile, "for 64 threads"));
}

TEST(EmulatorRegisters, WarpgroupsPassThemOn) {
  std::vector<int> out(384, 0);
  probes::move_registers(384, out.data());
  EXPECT_EQ(out, std::vector<int>(384, 1));
}

TEST(EmulatorRegisters, NoSmHasSoMany) {
  const Fault fault = expect_kernel_error(
      probes::take_too_many_registers,
      {FaultKind::kRegistersBeyondSm, kFile, "beyond 3 * 168", {}, {128, 0, 0}});
  EXPECT_EQ(fault.fields, (Fields{{"registers", FieldValue::Numbers{40, 240, 240}},
                                  {"registers_in_all", 66560},
                                  {"threads", 384},
                                  {"limit", 168}}));
}

TEST(EmulatorRegisters, BlockWithoutWholeWarpgroups) {
  std::vector<int> out(96, 0);
  const auto error = error_of([&] { probes::move_registers(96, out.data()); });
  ASSERT_TRUE(error.has_value());
  EXPECT_EQ(error->kind(), FaultKind::kRegistersNoWarpgroup);
  EXPECT_EQ(error->fault().fields, (Fields{{"threads", 96}}));
}

TEST(EmulatorRegisters, WarpsThatAskForDifferentNumbers) {
  const Fault fault =
      expect_kernel_error(probes::move_registers_apart,
                          {FaultKind::kRegistersDiffer, kFile, "the others", {}, {64, 0, 0}});
  EXPECT_EQ(fault.fields, (Fields{{"registers", 24}, {"other_registers", 40}}));
  EXPECT_EQ(fault.other.value().thread, Index());
}

TEST(EmulatorRegisters, WarpThatDoesNotCall) {
  const Fault fault =
      expect_kernel_error(probes::move_registers_of_three_warps,
                          {FaultKind::kRegistersPartial, kFile, "only three warps"});
  EXPECT_EQ(fault.fields, (Fields{{"threads", 96}}));
}

}  // namespace
}  // namespace ladder::emulator
