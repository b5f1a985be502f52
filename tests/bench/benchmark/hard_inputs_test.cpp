// SPDX-License-Identifier: MIT
/// \file  tests/bench/benchmark/hard_inputs_test.cpp
/// \brief Rung 23 on matrices that are hard to split: within its bound, and it says what it took.
#include "bench/benchmark/hard_inputs.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "common/machine.hpp"

namespace ladder::bench {
namespace {

class HardInputsTest : public testing::TestWithParam<HardInput> {
 protected:
  std::unique_ptr<Machine> machine_ = make_cpu_machine();
  const Rung& rung_ = find_rung(emulated_rungs(), "split_precision");
  const Rung& library_ = find_rung(emulated_rungs(), "cublas");
};

INSTANTIATE_TEST_SUITE_P(Inputs, HardInputsTest, testing::ValuesIn(hard_inputs()),
                         [](const auto& info) { return std::string(info.param.name); });

TEST_P(HardInputsTest, ResultsAreWithinTheBound) {
  const HardOutcome outcome =
      run_hard_input(*machine_, rung_, library_, GetParam(), {.M = 70, .N = 50, .K = 1100});
  EXPECT_LE(outcome.error_over_bound, 1.0) << outcome.took;
  EXPECT_EQ(outcome.took.starts_with("two FP16 parts"), GetParam().fits_half) << outcome.took;
}

/// TF32 inputs lose 2^-11 of an element: the bound must not take that for FP32.
TEST(SplitBoundTest, IsBelowTheErrorsOfLowerPrecision) {
  for (const int K : {64, 1024, 16384})
    EXPECT_LT(split_bound(K, 1.0, 1.0), 0x1p-13) << K;
}

// -- Numbers that are not finite -----------------------------------------------------------------

class NonFiniteTest : public testing::Test {
 protected:
  static constexpr int kSize = 16;

  std::vector<float> product() {
    const Gemm<float> gemm = {kSize, kSize, kSize, 1.0f, a.data(), b.data(), 0.0f, c.data()};
    rung_.run(gemm, nullptr);
    return c;
  }

  const Rung& rung_ = find_rung(emulated_rungs(), "split_precision");
  std::vector<float> a = std::vector<float>(kSize * kSize, 1.0f);
  std::vector<float> b = std::vector<float>(kSize * kSize, 2.0f);
  std::vector<float> c = std::vector<float>(kSize * kSize);
};

TEST_F(NonFiniteTest, AnInfinityIsInItsRowAlone) {
  a[3 * kSize + 5] = -std::numeric_limits<float>::infinity();
  b[5 * kSize + 7] = 0.0f;
  product();
  for (int i = 0; i < kSize; ++i) {
    for (int j = 0; j < kSize; ++j) {
      const float value = c[static_cast<std::size_t>(i * kSize + j)];
      if (i == 3 && j == 7) {
        EXPECT_TRUE(std::isnan(value)) << value;
      } else if (i == 3) {
        EXPECT_EQ(value, -std::numeric_limits<float>::infinity()) << j;
      } else {
        EXPECT_EQ(value, j == 7 ? 30.0f : 32.0f) << i << ", " << j;
      }
    }
  }
}

TEST_F(NonFiniteTest, ANanIsInItsColumnAlone) {
  b[5 * kSize + 7] = std::numeric_limits<float>::quiet_NaN();
  product();
  for (int i = 0; i < kSize; ++i) {
    for (int j = 0; j < kSize; ++j) {
      const float value = c[static_cast<std::size_t>(i * kSize + j)];
      EXPECT_TRUE(j == 7 ? std::isnan(value) : value == 32.0f) << i << ", " << j << ": " << value;
    }
  }
}

/// Next to nothing and next to infinity, where powers of two and alpha meet.
TEST_F(NonFiniteTest, NoScaleOverflowsWhereTheResultDoesNot) {
  const auto run = [&](float x, float y, float alpha) {
    a.assign(kSize * kSize, x);
    b.assign(kSize * kSize, y);
    rung_.run({kSize, kSize, kSize, alpha, a.data(), b.data(), 0.0f, c.data()}, nullptr);
    return c[0];
  };
  EXPECT_EQ(run(0x1p100f, 0x1p100f, 0x1p-100f), 0x1p104f);
  EXPECT_EQ(run(0x1p-100f, 0x1p-100f, 0x1p100f), 0x1p-96f);
  EXPECT_EQ(run(0x1p-149f, 0x1p127f, 0x1p100f), 0x1p82f);
  EXPECT_EQ(run(0x1p-149f, 0x1p-149f, 0x1p127f), 0.0f);
  EXPECT_EQ(run(0x1p127f, 0x1p-10f, 1.0f), 0x1p121f);
  EXPECT_EQ(run(0x1p127f, 0x1p127f, 1.0f), std::numeric_limits<float>::infinity());
  EXPECT_EQ(run(1.0f, 1.0f, 0.0f), 0.0f);
}

/// A run that needed BF16 is followed by one that does not.
TEST_F(NonFiniteTest, EachRunChoosesAnew) {
  a[0] = 0x1p-60f;
  product();
  EXPECT_TRUE(rung_.took(nullptr).starts_with("three BF16 parts")) << rung_.took(nullptr);
  a[0] = 1.0f;
  product();
  EXPECT_TRUE(rung_.took(nullptr).starts_with("two FP16 parts")) << rung_.took(nullptr);
}

}  // namespace
}  // namespace ladder::bench
