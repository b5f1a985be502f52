// SPDX-License-Identifier: MIT
/// \file  tests/bench/benchmark/split_times_test.cpp
/// \brief Rung 23 beside its rivals, on the emulator: whom it names, and errors that are known.
#include "bench/benchmark/split_times.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "common/machine.hpp"

namespace ladder::bench {
namespace {

class SplitTimesTest : public testing::Test {
 protected:
  std::set<std::string> names(const EmulatedSgemm& emulated) {
    std::set<std::string> found;
    for (const auto& row :
         split_times(*machine_, emulated_rungs(), rung_, emulated, 64, Protocol::burst)) {
      found.insert(row.at("name").get<std::string>());
      EXPECT_EQ(row.at("outcome"), "right") << row;
      EXPECT_TRUE(row.at("time_ms").is_null()) << "the emulator knows no time: " << row;
    }
    return found;
  }

  std::unique_ptr<Machine> machine_ = make_cpu_machine();
  const Rung& rung_ = find_rung(emulated_rungs(), "split_precision");
};

std::size_t elements(const Gemm<float>& gemm) {
  return static_cast<std::size_t>(gemm.M) * static_cast<std::size_t>(gemm.N);
}

void zeros(const Gemm<float>& gemm, Stream) {
  std::fill_n(gemm.C, elements(gemm), 0.0f);
}

void dot_products(const Gemm<float>& gemm, double factor) {
  for (int i = 0; i < gemm.M; ++i) {
    for (int j = 0; j < gemm.N; ++j) {
      double sum = 0.0;
      for (int k = 0; k < gemm.K; ++k)
        sum += double{gemm.A[i * gemm.K + k]} * double{gemm.B[k * gemm.N + j]};
      gemm.C[i * gemm.N + j] = static_cast<float>(factor * sum);
    }
  }
}

TEST_F(SplitTimesTest, ErrorsAreRelativeToTheExactProduct) {
  const Shape shape = {40, 24, 33};
  EXPECT_DOUBLE_EQ(relative_error(*machine_, zeros, shape, 40), 1.0);
  const auto off = [](const Gemm<float>& gemm, Stream) { dot_products(gemm, 1.25); };
  EXPECT_NEAR(relative_error(*machine_, off, shape, 40), 0.25, 1e-6);
  const auto exact = [](const Gemm<float>& gemm, Stream) { dot_products(gemm, 1.0); };
  EXPECT_LT(relative_error(*machine_, exact, shape, 40), 0x1p-24);
}

TEST_F(SplitTimesTest, OnlyTheFirstRowsCount) {
  const auto wrong_below = [](const Gemm<float>& gemm, Stream) {
    dot_products(gemm, 1.0);
    const std::size_t right = 8 * static_cast<std::size_t>(gemm.N);
    std::fill_n(gemm.C + right, elements(gemm) - right, 0.0f);
  };
  EXPECT_LT(relative_error(*machine_, wrong_below, {40, 24, 33}, 8), 0x1p-24);
  EXPECT_GT(relative_error(*machine_, wrong_below, {40, 24, 33}, 9), 0.1);
}

TEST_F(SplitTimesTest, AnEmulationThatIsRefusedHasNoRow) {
  EXPECT_EQ(names({{}, "refused"}),
            (std::set<std::string>{"cublas", "cublas_tf32", "split_precision"}));
}

TEST_F(SplitTimesTest, AnEmulationThatRunsHasARow) {
  const Rung& library = find_rung(emulated_rungs(), "cublas");
  EXPECT_TRUE(names({library.run, ""}).contains("cublas_bf16x9"));
}

}  // namespace
}  // namespace ladder::bench
