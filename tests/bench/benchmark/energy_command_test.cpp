// SPDX-License-Identifier: MIT
/// \file  tests/bench/benchmark/energy_command_test.cpp
/// \brief The `energy` program where there is no GPU: what it refuses.
#include <string>

#include "tests/ladder/program/command_line.hpp"

namespace {

using namespace ladder::testing_program;

/// CUDA_VISIBLE_DEVICES hides a GPU that is there.
class EnergyCommandTest : public CommandLineTest {
 protected:
  void SetUp() override {
    CommandLineTest::SetUp();
    setenv("CUDA_VISIBLE_DEVICES", "", 1);
  }
};

TEST_F(EnergyCommandTest, BadUsageIsRefused) {
  expect_refused("--size many", {"--size"});
  expect_refused("--size 512", {"--size", "2048"});
  expect_refused("--rounds 1", {"--rounds"});
  expect_refused("--nonsense", {"--nonsense"});
}

TEST_F(EnergyCommandTest, WithoutAGpuItSaysSo) {
  expect_refused("", {"energy: no NVIDIA driver was found"});
}

}  // namespace
