// SPDX-License-Identifier: MIT
/// \file  tests/emulator/emulator_workspace_test.cpp
/// \brief How much of the workspace is in use, and that it is searched for undefined values as far
///        as that. No kernel runs here.
#include "emulator/run/workspace.hpp"

#include <gtest/gtest.h>

#include <cstring>

#include "emulator/trace/undefined_values.hpp"

namespace ladder::emulator {
namespace {

TEST(EmulatorWorkspace, IsInUseAsFarAsAnyoneAskedFor) {
  workspace(4096);
  EXPECT_EQ(workspace_in_use(), 4096u);
  workspace(64);
  EXPECT_EQ(workspace_in_use(), 4096u);
}

TEST(EmulatorWorkspace, IsSearchedAsFarAsItIsInUse) {
  const std::span<std::byte> whole = whole_workspace();
  const std::vector<TracedArray> arrays = {
      {.name = "workspace", .data = whole.data(), .bytes = whole.size()}};
  UndefinedValues undefined;
  undefined.start(arrays);
  workspace(8192);
  constexpr std::uint32_t kLocal = 0xFEFEFEFE;
  std::memcpy(&whole[8188], &kLocal, sizeof kLocal);
  const auto found = undefined.find_in(
      arrays,
      [](const std::string&) {
        return Place{"kernel.cuh", 7};
      },
      [](std::size_t, std::size_t) { return true; });
  ASSERT_EQ(found.size(), 1u);
  ASSERT_TRUE(found[0].element);
  EXPECT_EQ(name_of(*found[0].element), "workspace[2047]");
}

}  // namespace
}  // namespace ladder::emulator
