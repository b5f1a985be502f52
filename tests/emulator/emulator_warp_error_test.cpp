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
  const std::string text = expect_kernel_error(
      probes::lane_not_in_mask,
      {KernelErrorKind::kWarpArguments, kFile, "lane 0 is not in the mask", {}, {}});
  EXPECT_TRUE(contains(text, "0xfffffffe")) << text;
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
  const std::string text =
      expect_kernel_error(probes::lane_at_barrier,
                          {KernelErrorKind::kWarpMismatch, kFile, "lanes below 5", {}, {32, 0, 0}});
  EXPECT_TRUE(contains(text, "waits for thread (37, 0, 0)")) << text;
  EXPECT_TRUE(contains(text, "waits at the barrier of line")) << text;
}

TEST(EmulatorWarpError, LanesCallDifferentFunctions) {
  const std::string text =
      expect_kernel_error(probes::different_functions,
                          {KernelErrorKind::kWarpMismatch, kFile, "lanes below 3", {}, {}});
  EXPECT_TRUE(contains(text, "thread (0, 0, 0) waits in __any_sync")) << text;
  EXPECT_TRUE(contains(text, "thread (3, 0, 0) in __all_sync")) << text;
}

TEST(EmulatorWarpError, LanesNameDifferentMasks) {
  const std::string text = expect_kernel_error(
      probes::different_masks, {KernelErrorKind::kWarpMismatch, kFile, "mask 7", {}, {}});
  EXPECT_TRUE(contains(text, "0x00000007") && contains(text, "0x0000000f")) << text;
}

TEST(EmulatorWarpError, LanesWaitInARing) {
  const std::string text = expect_kernel_error(
      probes::ring_of_masks, {KernelErrorKind::kDeadlock, kFile, "waits for lane 1", {}, {}});
  for (const char* const mask : {"0x00000003", "0x00000006", "0x00000005"}) {
    EXPECT_TRUE(contains(text, mask)) << text;
  }
}

TEST(EmulatorWarpError, WidthIsNoPowerOfTwo) {
  const std::string text = expect_kernel_error(
      probes::bad_width, {KernelErrorKind::kWarpArguments, kFile, "twelve", {}, {}});
  EXPECT_TRUE(contains(text, "width 12")) << text;
}

}  // namespace
}  // namespace ladder::emulator
