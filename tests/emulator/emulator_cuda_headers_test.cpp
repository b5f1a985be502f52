// SPDX-License-Identifier: MIT
/// \file  tests/emulator/emulator_cuda_headers_test.cpp
/// \brief CUDA's headers by their own names hold what kernels need of them.
#include <gtest/gtest.h>

#include <vector>

#include "tests/emulator/probes.hpp"

namespace ladder::emulator {
namespace {

TEST(EmulatorCudaHeaders, GroupsAndPipelinesWork) {
  std::vector<float> in(128);
  for (int i = 0; i < 128; ++i)
    in[i] = static_cast<float>(i % 11 - i / 32 - 3);
  std::vector<float> sums(8, 0.0f);
  std::vector<float> positive(4, 0.0f);
  for (int i = 0; i < 128; ++i) {
    sums[i / 16] += in[i];
    positive[i / 32] += in[i] > 0.0f ? 1.0f : 0.0f;
  }
  std::vector<float> out(12, -1.0f);
  probes::sums_by_groups(in.data(), out.data());
  EXPECT_EQ(std::vector<float>(out.begin(), out.begin() + 8), sums);
  EXPECT_EQ(std::vector<float>(out.begin() + 8, out.end()), positive);
}

}  // namespace
}  // namespace ladder::emulator
