// SPDX-License-Identifier: MIT
/// \file  tests/emulator/emulator_hang_test.cpp
/// \brief Loops without an end are stopped after the hang limit, and named.
#include <gtest/gtest.h>

#include <chrono>
#include <vector>

#include "emulator/run/settings.hpp"
#include "tests/emulator/expect_kernel_error.hpp"
#include "tests/emulator/probes.hpp"

namespace ladder::emulator {
namespace {

constexpr char kFile[] = "fault_probes.cu";

class EmulatorHang : public testing::Test {
 protected:
  EmulatorHang() { set_hang_limit(Seconds(0.2)); }
};

TEST_F(EmulatorHang, EndlessLoop) {
  const auto begin = std::chrono::steady_clock::now();
  expect_kernel_error(
      [] { probes::endless_loop(9); },
      {FaultKind::kEndlessLoop, kFile, "forever", {0, 0, 0}, {9, 0, 0}, {{"seconds", 0.2}}});
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5));
}

TEST_F(EmulatorHang, EndlessWaitForAnAtomic) {
  int flag = 0;
  const auto error = error_of([&] { probes::endless_spin(&flag); });
  ASSERT_TRUE(error.has_value());
  EXPECT_EQ(error->kind(), FaultKind::kEndlessLoop) << error->what();
  EXPECT_EQ(error->line(), line_of(kFile, "nobody sets it")) << error->what();
}

TEST_F(EmulatorHang, EndlessWarpFunction) {
  const auto error = error_of(probes::endless_shuffle);
  ASSERT_TRUE(error.has_value());
  EXPECT_EQ(error->kind(), FaultKind::kEndlessLoop) << error->what();
  EXPECT_EQ(error->line(), line_of(kFile, "always true")) << error->what();
}

TEST_F(EmulatorHang, SlowKernelThatPassesBarriersGoesOn) {
  int out = 0;
  probes::slow_but_passing(600, &out);
  EXPECT_EQ(out, 600);
}

TEST_F(EmulatorHang, NextLaunchWorks) {
  for (int run = 0; run < 2; ++run) {
    EXPECT_THROW(probes::endless_loop(0), KernelError);
    std::vector<int> out(1024);
    probes::rotate_through_shared(1024, 5, out.data());
    EXPECT_EQ(out[0], 5);
  }
}

}  // namespace
}  // namespace ladder::emulator
