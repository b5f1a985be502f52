// SPDX-License-Identifier: MIT
/// \file  tests/common/ptx/test_machine.hpp
/// \brief The machine that a test's kernels were compiled for. Tests of this folder are built
///          twice.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <span>
#include <vector>

#include "common/machine.hpp"

namespace ladder {

/// \brief A test on the emulator, or on a GPU of compute capability 9.0; skipped where there is
///        none.
class MachineTest : public testing::Test {
 protected:
  void SetUp() override {
    try {
      machine_ = LADDER_TEST_MACHINE();
    } catch (const MachineError& error) {
      GTEST_SKIP() << error.what();
    }
    constexpr int kHopper = 90;
    if (machine_->is_gpu() && machine_->compute_capability() != kHopper)
      GTEST_SKIP() << "compute capability " << machine_->compute_capability();
  }

  /// A copy in the machine's memory.
  template <class T>
  MachineArray<T> on_machine(std::span<const T> host) {
    MachineArray<T> array(*machine_, host.size());
    machine_->copy_from_host(array.data(), host.data(), host.size_bytes());
    return array;
  }
  template <class T>
  std::vector<T> from_machine(const MachineArray<T>& array) {
    machine_->synchronize();
    std::vector<T> host(array.size());
    machine_->copy_to_host(host.data(), array.data(), array.bytes());
    return host;
  }

  std::unique_ptr<Machine> machine_;
};

}  // namespace ladder
