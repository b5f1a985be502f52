// SPDX-License-Identifier: MIT
/// \file  tests/emulator/emulator_warp_error_test.cpp
/// \brief Warp functions in which not all lanes of the mask take part.
#include <gtest/gtest.h>

#include <vector>

#include "tests/emulator/expect_kernel_error.hpp"
#include "tests/emulator/probes.hpp"

namespace ladder::emulator {
namespace {

constexpr char kFile[] = "warp_probes.cu";

TEST(EmulatorWarpError, CallerIsNotInItsMask) {
  const Fault fault =
      expect_kernel_error(probes::lane_not_in_mask,
                          {FaultKind::kLaneNotInMask, kFile, "lane 0 is not in the mask", {}, {}});
  EXPECT_EQ(fault.fields.number("mask"), 0xFFFFFFFE);
  EXPECT_EQ(fault.fields.number("lane"), 0);
}

/// CUDA waits for the lanes of the mask that have not left the kernel.
TEST(EmulatorWarpError, LanesThatHaveLeftAreNotWaitedFor) {
  std::vector<int> out(21, -1);
  probes::lanes_leave(out.data());
  for (int t = 0; t < 19; ++t)
    EXPECT_EQ(out[t], t + 1);
  EXPECT_EQ(out[20], 0xAAAAA);
}

TEST(EmulatorWarpError, LaneOfTheMaskIsAtABarrier) {
  const Fault fault = expect_kernel_error(
      probes::lane_at_barrier, {FaultKind::kLaneAtBarrier, kFile, "lanes below 5", {}, {32, 0, 0}});
  EXPECT_EQ(fault.other.value().thread, (Index{37, 0, 0}));
}

TEST(EmulatorWarpError, LanesCallDifferentFunctions) {
  const Fault fault =
      expect_kernel_error(probes::different_functions,
                          {FaultKind::kWarpDifferentCalls, kFile, "lanes below 3", {}, {}});
  EXPECT_EQ(fault.fields.word("function"), "__any_sync");
  EXPECT_EQ(fault.other.value().thread, (Index{3, 0, 0}));
  EXPECT_EQ(fault.fields.word("other_function"), "__all_sync");
}

TEST(EmulatorWarpError, LanesNameDifferentMasks) {
  const Fault fault = expect_kernel_error(
      probes::different_masks, {FaultKind::kWarpDifferentCalls, kFile, "mask 7", {}, {}});
  EXPECT_EQ(fault.fields.number("mask"), 7);
  EXPECT_EQ(fault.fields.number("other_mask"), 15);
}

TEST(EmulatorWarpError, LanesWaitInARing) {
  const Fault fault = expect_kernel_error(
      probes::ring_of_masks, {FaultKind::kWarpDeadlock, kFile, "waits for lane 1", {}, {}});
  std::vector<std::int64_t> masks;
  for (const ThreadGroup& lane : fault.groups)
    masks.push_back(lane.missing.number("mask"));
  EXPECT_EQ(masks, (std::vector<std::int64_t>{3, 6, 5}));
}

TEST(EmulatorWarpError, WidthIsNoPowerOfTwo) {
  const Fault fault =
      expect_kernel_error(probes::bad_width, {FaultKind::kWarpWidth, kFile, "twelve", {}, {}});
  EXPECT_EQ(fault.fields.number("width"), 12);
}

}  // namespace
}  // namespace ladder::emulator
