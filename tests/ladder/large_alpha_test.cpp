// SPDX-License-Identifier: MIT
/// \file  tests/ladder/large_alpha_test.cpp
/// \brief Alpha multiplies finished sums, also where blocks, warps or clusters share K.
///
/// Runs of 1 and of -1 take turns along each row of A, and one -1 is missing. So each result is
/// alpha, near the largest FP32, and alpha times a part of the sum is infinite, where a part has
/// more of one sign. How long the runs are decides which parts do.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "common/machine.hpp"
#include "ladder/ladder.hpp"

namespace ladder {
namespace {

constexpr float kAlpha = 3e38f;

void expect_alpha(const Shape& shape, const float* a, const float* b, MachineArray<float>& c) {
  for (const Rung& rung : emulated_rungs()) {
    if (rung.number == 0) continue;  // OpenBLAS scales as it likes
    if (rung.precision != kFp32) continue;
    SCOPED_TRACE(label(rung));
    std::fill_n(c.data(), c.size(), 0.0f);
    rung.run({.M = shape.M,
              .N = shape.N,
              .K = shape.K,
              .alpha = kAlpha,
              .A = a,
              .B = b,
              .beta = 0.0f,
              .C = c.data()},
             nullptr);
    EXPECT_EQ(std::count(c.data(), c.data() + c.size(), kAlpha),
              static_cast<std::ptrdiff_t>(c.size()));
  }
}

class LargeAlpha : public testing::TestWithParam<Shape> {};

TEST_P(LargeAlpha, MultipliesFinishedSums) {
  const std::unique_ptr<Machine> machine = make_cpu_machine();
  const auto [M, N, K] = GetParam();
  const MachineArray<float> a(*machine, static_cast<std::size_t>(M) * K);
  const MachineArray<float> b(*machine, static_cast<std::size_t>(K) * N);
  MachineArray<float> c(*machine, static_cast<std::size_t>(M) * N);
  std::fill_n(b.data(), b.size(), 1.0f);
  for (const int run : {1, 8, 16, K / 2}) {
    SCOPED_TRACE("runs of " + std::to_string(run));
    for (int row = 0; row < M; ++row) {
      float* const of_row = a.data() + static_cast<std::size_t>(row) * K;
      for (int k = 0; k < K; ++k)
        of_row[k] = k / run % 2 == 0 ? 1.0f : -1.0f;
      of_row[K - 1] = 0.0f;
    }
    expect_alpha(GetParam(), a.data(), b.data(), c);
  }
}

INSTANTIATE_TEST_SUITE_P(WhereKIsShared, LargeAlpha,
                         testing::Values(Shape{.M = 1, .N = 128, .K = 4096},
                                         Shape{.M = 32, .N = 32, .K = 4096},
                                         Shape{.M = 64, .N = 64, .K = 2048},
                                         Shape{.M = 128, .N = 256, .K = 1024},
                                         Shape{.M = 256, .N = 256, .K = 512}));

}  // namespace
}  // namespace ladder
