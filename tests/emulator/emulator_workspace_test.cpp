// SPDX-License-Identifier: MIT
/// \file  tests/emulator/emulator_workspace_test.cpp
/// \brief How much of the workspace is in use, and that it is searched for undefined values as far
///        as that. No kernel runs here.
#include "emulator/run/workspace.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <stdexcept>

#include "common/workspace.hpp"
#include "emulator/trace/undefined_values.hpp"

namespace ladder::emulator {
namespace {

TEST(EmulatorWorkspace, IsInUseAsFarAsAnyoneAskedFor) {
  workspace(4096);
  EXPECT_EQ(workspace_in_use(), 4096u);
  workspace(64);
  EXPECT_EQ(workspace_in_use(), 4096u);
}

TEST(EmulatorWorkspace, GrowsInPlaceUpToAllOfIt) {
  auto* const before = static_cast<std::byte*>(workspace(4096));
  before[4095] = std::byte{7};
  const std::size_t most = whole_workspace().size();
  EXPECT_EQ(workspace(most), before);
  EXPECT_EQ(before[4095], std::byte{7});
  EXPECT_THROW(workspace(most + 1), std::invalid_argument);
}

TEST(EmulatorWorkspace, IsReadFromAnOffset) {
  const std::array<std::byte, 3> left = {std::byte{1}, std::byte{2}, std::byte{3}};
  std::memcpy(&whole_workspace()[kWorkspaceWordBytes], left.data(), left.size());
  std::array<std::byte, 3> found = {};
  read_workspace(nullptr, kWorkspaceWordBytes, found.data(), found.size());
  EXPECT_EQ(found, left);
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
