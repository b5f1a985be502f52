// SPDX-License-Identifier: MIT
/// \file  tests/emulator/emulator_cp_async_test.cpp
/// \brief Copies that a thread starts and waits for in groups.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "emulator/run/settings.hpp"
#include "tests/emulator/async_probes.hpp"
#include "tests/emulator/expect_kernel_error.hpp"

namespace ladder::emulator {
namespace {

constexpr char kFile[] = "copy_probes.cu";

class EmulatorCpAsync : public testing::Test {
 protected:
  ~EmulatorCpAsync() override { set_copy_arrival(CopyArrival::kLate); }

  alignas(16) float in_[512] = {};

  EmulatorCpAsync() {
    for (int i = 0; i < 512; ++i)
      in_[i] = static_cast<float>(i + 1);
  }
};

TEST_F(EmulatorCpAsync, CopiesAndFillsWithZeros) {
  for (const CopyArrival arrival : {CopyArrival::kLate, CopyArrival::kEarly}) {
    set_copy_arrival(arrival);
    for (const int vector : {1, 4}) {
      for (const unsigned threads : {1u, 31u, 33u, 128u}) {
        for (const int inside : {0, 1, 20, 200}) {
          std::vector<float> out(vector * threads, -1);
          probes::copy_through_shared(vector, threads, inside, in_, out.data());
          for (unsigned thread = 0; thread < threads; ++thread) {
            const unsigned source = threads - 1 - thread;
            for (int i = 0; i < vector; ++i) {
              const float expected =
                  static_cast<int>(source) < inside ? in_[vector * source + i] : 0;
              ASSERT_EQ(out[vector * thread + i], expected)
                  << vector << " " << threads << " " << inside << " thread " << thread;
            }
          }
        }
      }
    }
  }
}

TEST_F(EmulatorCpAsync, LateGroupsArriveInOrderAtTheirWait) {
  float out[20];
  probes::watch_groups_arrive(in_, out);
  const int arrived[5] = {0, 0, 2, 3, 3};
  for (int row = 0; row < 5; ++row) {
    for (int i = 0; i < 4; ++i) {
      if (i < arrived[row]) {
        EXPECT_EQ(out[4 * row + i], in_[i]) << row;
      } else {
        EXPECT_TRUE(std::isnan(out[4 * row + i])) << row << " " << out[4 * row + i];
      }
    }
  }
}

TEST_F(EmulatorCpAsync, EarlyCopiesArriveAtOnce) {
  set_copy_arrival(CopyArrival::kEarly);
  float out[20];
  probes::watch_groups_arrive(in_, out);
  for (int i = 0; i < 20; ++i)
    EXPECT_EQ(out[i], in_[i % 4]) << i;
}

TEST_F(EmulatorCpAsync, MisalignedDestination) {
  expect_kernel_error([&] { probes::copy_to_odd_address(in_); },
                      {FaultKind::kMisalignedArgument,
                       kFile,
                       "to an odd address",
                       {},
                       {},
                       {{"argument", "cp.async-destination"}}});
}

TEST_F(EmulatorCpAsync, MisalignedSource) {
  expect_kernel_error([&] { probes::copy_from_odd_address(in_); },
                      {FaultKind::kMisalignedArgument,
                       kFile,
                       "from an odd address",
                       {},
                       {},
                       {{"argument", "cp.async-source"}}});
}

TEST_F(EmulatorCpAsync, DestinationInGlobalMemory) {
  expect_kernel_error([&] { probes::copy_to_global(in_, in_ + 4); },
                      {FaultKind::kOutsideShared, kFile, "to global memory"});
}

TEST_F(EmulatorCpAsync, DestinationBeyondSharedMemory) {
  expect_kernel_error(
      [&] { probes::copy_beyond_shared(in_); },
      {FaultKind::kOutsideShared, kFile, "the launch gave one vector", {}, {1, 0, 0}});
}

TEST_F(EmulatorCpAsync, SourceThatDoesNotExist) {
  expect_kernel_error([] { probes::copy_from_null(); },
                      {FaultKind::kNullPointer, kFile, "from nowhere"});
}

}  // namespace
}  // namespace ladder::emulator
