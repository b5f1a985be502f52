// SPDX-License-Identifier: MIT
/// \file  tests/emulator/emulator_shared_memory_test.cpp
/// \brief Static and dynamic shared memory: one copy per block, any name, unwritten bytes are NaN.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "tests/emulator/expect_kernel_error.hpp"
#include "tests/emulator/probes.hpp"

namespace ladder::probes {
namespace {

TEST(EmulatorSharedMemory, StaticArrayIsOnePerBlock) {
  std::vector<int> in(8 * 256);
  std::vector<int> out(in.size());
  std::iota(in.begin(), in.end(), 1);
  reverse_static(8, 256, in.data(), out.data());
  for (int block = 0; block < 8; ++block) {
    for (int i = 0; i < 256; ++i) {
      ASSERT_EQ(out[block * 256 + i], in[block * 256 + 255 - i]);
    }
  }
}

template <class T, class Reverse>
void expect_reversed(Reverse reverse) {
  std::vector<T> in(100);
  std::vector<T> out(in.size());
  std::iota(in.begin(), in.end(), T(3));
  reverse(100, in.data(), out.data());
  std::reverse(in.begin(), in.end());
  EXPECT_EQ(in, out);
}

TEST(EmulatorSharedMemory, DynamicArrayInAFunction) {
  expect_reversed<int>(reverse_dynamic);
}

TEST(EmulatorSharedMemory, DynamicArrayOfANamespace) {
  expect_reversed<double>(reverse_dynamic_doubles);
}

TEST(EmulatorSharedMemory, DynamicArrayInATemplate) {
  expect_reversed<short>(reverse_dynamic_template);
}

TEST(EmulatorSharedMemory, DynamicMemoryIsAlignedForSwizzles) {
  unsigned remainder = 1;
  dynamic_alignment(&remainder);
  EXPECT_EQ(remainder, 0u);
}

TEST(EmulatorSharedMemory, StaticArraysAreAlignedForFloat4OrAsAsked) {
  std::vector<unsigned> remainders(3, 1);
  static_alignment(remainders.data());
  EXPECT_EQ(remainders, std::vector<unsigned>(3, 0));
}

TEST(EmulatorSharedMemory, DynamicMemoryReachesTo227KiB) {
  int value = 0;
  touch_last_dynamic_byte(227 * 1024, &value);
  EXPECT_EQ(value, 42);
}

TEST(EmulatorSharedMemory, StaticArraysReachTo48KiB) {
  float value = 0;
  fill_static_48_kib(&value);
  EXPECT_EQ(value, 1.0f);
  for (int run = 0; run < 2; ++run) {  // what is known of a kernel is kept
    const auto error = emulator::error_of([&] { fill_static_beyond_48_kib(&value); });
    ASSERT_TRUE(error.has_value());
    EXPECT_EQ(error->kind(), emulator::FaultKind::kLaunchStaticShared);
    EXPECT_EQ(error->fault().fields, (emulator::Fields{{"bytes", 49156}, {"limit", 48 * 1024}}));
  }
}

TEST(EmulatorSharedMemory, ArraysDoNotOverlap) {
  std::vector<int> out(8);
  two_arrays(out.data());
  EXPECT_EQ(out, std::vector<int>(8, 123));
}

TEST(EmulatorSharedMemory, UnwrittenBytesReadAsNanInEveryBlock) {
  std::vector<float> fixed(10 * 32);
  std::vector<float> dynamic(fixed.size());
  read_unwritten(10, fixed.data(), dynamic.data());
  const auto is_nan = [](float value) { return std::isnan(value); };
  EXPECT_TRUE(std::all_of(fixed.begin(), fixed.end(), is_nan));
  EXPECT_TRUE(std::all_of(dynamic.begin(), dynamic.end(), is_nan));
}

}  // namespace
}  // namespace ladder::probes
