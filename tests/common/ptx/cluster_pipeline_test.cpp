// SPDX-License-Identifier: MIT
/// \file  tests/common/ptx/cluster_pipeline_test.cpp
/// \brief Pairs of blocks that multiply with multicast, wgmma, stmatrix and stores of boxes: right
///        at every edge and in all timing modes.
#include "tests/common/ptx/cluster_pipeline.hpp"

#include <random>

#include "tests/common/ptx/test_machine.hpp"
#include "tests/common/ptx/timing_modes.hpp"

namespace ladder {
namespace {

using pipeline_probes::PipelineFault;

/// Small integers: sums are exact, and rounding them to BF16 is all that happens.
std::vector<bfloat16> integers(std::size_t count, std::mt19937& random) {
  std::vector<bfloat16> values;
  for (std::size_t i = 0; i < count; ++i)
    values.push_back(bfloat16(static_cast<float>(static_cast<int>(random() % 9) - 4)));
  return values;
}

class ClusterPipeline : public MachineTest {
 protected:
  void expect_right(int M, int N, int K, int clusters, std::mt19937& random) {
    const auto size = [](int rows, int columns) {
      return static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns);
    };
    const std::vector<bfloat16> a = integers(size(M, K), random);
    const std::vector<bfloat16> b = integers(size(K, N), random);
    std::vector<float> expected(size(M, N));
    for (int m = 0; m < M; ++m) {
      for (int k = 0; k < K; ++k) {
        for (int n = 0; n < N; ++n)
          expected[size(m, N) + n] +=
              static_cast<float>(a[size(m, K) + k]) * static_cast<float>(b[size(k, N) + n]);
      }
    }
    for (float& value : expected)
      value = static_cast<float>(bfloat16(value));
    const auto gA = on_machine<bfloat16>(a);
    const auto gB = on_machine<bfloat16>(b);
    const auto run = [&](const char* mode) {
      // A row of guards below C, which no box may touch.
      const auto gC = on_machine<bfloat16>(std::vector<bfloat16>(size(M + 1, N), bfloat16(77.0f)));
      pipeline_probes::multiply({M, N, K, gA.data(), gB.data(), gC.data(), clusters},
                                PipelineFault::kNone);
      const std::vector<bfloat16> c = from_machine(gC);
      for (std::size_t i = 0; i < c.size(); ++i) {
        ASSERT_EQ(static_cast<float>(c[i]), i < expected.size() ? expected[i] : 77.0f)
            << mode << ": row " << i / N << ", column " << i % N << " of " << M << " x " << N
            << ", K = " << K << ", " << clusters << " clusters";
      }
    };
    if (machine_->is_gpu()) {
      run("GPU");
    } else {
      in_all_timing_modes(run);
    }
  }
};

TEST_F(ClusterPipeline, IsRightAtDrawnShapes) {
  std::mt19937 random(38);
  const auto between = [&](int low, int high) {
    return low + static_cast<int>(random() % static_cast<unsigned>(high - low + 1));
  };
  for (int i = 0; i < 10 && !HasFatalFailure(); ++i) {
    expect_right(between(1, 300), 8 * between(1, 50), 8 * between(1, 40), between(1, 3), random);
  }
}

TEST_F(ClusterPipeline, IsRightAtTheEdgesOfItsTiles) {
  std::mt19937 random(19);
  for (const auto& [M, N, K] : {std::array{1, 8, 8}, std::array{64, 128, 64},
                                std::array{65, 136, 72}, std::array{128, 256, 192}}) {
    expect_right(M, N, K, 1, random);
  }
}

}  // namespace
}  // namespace ladder
