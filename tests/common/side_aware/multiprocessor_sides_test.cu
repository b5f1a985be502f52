// SPDX-License-Identifier: MIT
/// \file  tests/common/side_aware/multiprocessor_sides_test.cu
/// \brief On an H100 or H200, half of the SMs are on each side of L2, in whole pairs. Without a
///        GPU, that there is none is an error and no answer.
#include "common/side_aware/multiprocessor_sides.hpp"

#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <optional>

#include "common/check.hpp"
#include "common/machine.hpp"

namespace ladder::side_aware {
namespace {

bool has_gpu() {
  int count = 0;
  return cudaGetDeviceCount(&count) == cudaSuccess && count > 0;
}

TEST(MultiprocessorSidesTest, WithoutAGpuIsAnError) {
  if (has_gpu()) GTEST_SKIP() << "there is a GPU";
  EXPECT_THROW(multiprocessor_sides(), GpuError);
  EXPECT_THROW(multiprocessor_sides(), GpuError) << "nothing was found, so nothing is remembered";
}

TEST(MultiprocessorSidesTest, OfAHopperGpuHalfOfThemAreOnEachSide) {
  if (!has_gpu()) GTEST_SKIP() << "there is no GPU";
  cudaDeviceProp gpu = {};
  ASSERT_EQ(cudaGetDeviceProperties(&gpu, 0), cudaSuccess);
  if (gpu.major != 9 || gpu.multiProcessorCount != 132) GTEST_SKIP() << gpu.name;
  const std::optional<MultiprocessorSides> found = multiprocessor_sides();
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->multiprocessors, 132);
  EXPECT_EQ(found->on_side_1, 66);
  EXPECT_GE(found->held_out, 0.99);
  EXPECT_GT(found->explained, 0.9);
  EXPECT_GT(found->penalty_cycles, 100);
  for (int sm = 0; sm < 132; sm += 2)
    EXPECT_EQ(found->bits.of(sm), found->bits.of(sm + 1)) << "SM " << sm;
  const std::optional<MultiprocessorSides> again = multiprocessor_sides();
  ASSERT_TRUE(again.has_value());
  for (int sm = 0; sm < 132; ++sm)
    EXPECT_EQ(again->bits.of(sm), found->bits.of(sm)) << "SM " << sm;
}

}  // namespace
}  // namespace ladder::side_aware
