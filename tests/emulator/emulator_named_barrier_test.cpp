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
  const std::string text = expect_kernel_error(
      probes::disagree_at_named_barrier,
      {KernelErrorKind::kNamedBarrier, kFile, "for 96 threads", {}, {32, 0, 0}});
  EXPECT_TRUE(contains(text, "thread (0, 0, 0) waits there for 64")) << text;
  EXPECT_TRUE(contains(text, "line " + std::to_string(line_of(kFile, "for 64 threads")))) << text;
}

TEST(EmulatorRegisters, WarpgroupsPassThemOn) {
  std::vector<int> out(384, 0);
  probes::move_registers(384, out.data());
  EXPECT_EQ(out, std::vector<int>(384, 1));
}

TEST(EmulatorRegisters, NoSmHasSoMany) {
  const std::string text =
      expect_kernel_error(probes::take_too_many_registers,
                          {KernelErrorKind::kRegisters, kFile, "beyond 3 * 168", {}, {128, 0, 0}});
  EXPECT_TRUE(contains(text, "end up with 40 + 240 + 240 per thread, 66560 in all")) << text;
  EXPECT_TRUE(contains(text, "starts with at most 168 each, 64512 in all")) << text;
}

TEST(EmulatorRegisters, BlockWithoutWholeWarpgroups) {
  std::vector<int> out(96, 0);
  const auto error = error_of([&] { probes::move_registers(96, out.data()); });
  ASSERT_TRUE(error.has_value());
  EXPECT_EQ(error->kind(), KernelErrorKind::kRegisters);
  EXPECT_TRUE(contains(error->what(), "the block has 96 threads")) << error->what();
}

TEST(EmulatorRegisters, WarpsThatAskForDifferentNumbers) {
  const std::string text =
      expect_kernel_error(probes::move_registers_apart,
                          {KernelErrorKind::kRegisters, kFile, "the others", {}, {64, 0, 0}});
  EXPECT_TRUE(contains(text, "asks for 24 registers, but thread (0, 0, 0) for 40")) << text;
}

TEST(EmulatorRegisters, WarpThatDoesNotCall) {
  const std::string text =
      expect_kernel_error(probes::move_registers_of_three_warps,
                          {KernelErrorKind::kRegisters, kFile, "only three warps"});
  EXPECT_TRUE(contains(text, "only 96 of its 128 threads")) << text;
}

}  // namespace
}  // namespace ladder::emulator
