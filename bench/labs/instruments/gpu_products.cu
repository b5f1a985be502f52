// SPDX-License-Identifier: MIT
/// \file  bench/labs/instruments/gpu_products.cu
/// \brief How long matrix products take on a GPU, by the order of their blocks.
#include "bench/labs/instruments/gpu_products.cuh"

#include "bench/labs/questions/kernels/tiled_product.cuh"
#include "common/launch.cuh"

namespace ladder::labs {
namespace {

constexpr auto kKernel = kernels::tiled_product<kProductTile>;
constexpr int kThreads = kProductTile * kProductTile;

}  // namespace

int GpuProducts::blocks_in_flight() {
  int per_sm = 0;
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_sm, kKernel, kThreads, 0));
  return per_sm * sms_;
}

std::vector<double> GpuProducts::ms(const ProductPlan& plan, int repeats) {
  const auto elements = [](int rows, int columns) {
    return static_cast<std::uint64_t>(rows) * static_cast<std::uint64_t>(columns);
  };
  const std::uint64_t of_a = elements(plan.M, plan.K);
  const std::uint64_t of_b = elements(plan.K, plan.N);
  const std::uint64_t of_c = elements(plan.M, plan.N);
  auto* const A = reinterpret_cast<float*>(region_.of_bytes((of_a + of_b + of_c) * sizeof(float)));
  float* const B = A + of_a;
  float* const C = B + of_b;
  check(cudaMemsetAsync(A, 0x3c, (of_a + of_b) * sizeof(float), stopwatch_.stream()));
  const GpuArray<int> tiles(plan.order);
  std::vector<double> ms;
  for (int repeat = -1; repeat < repeats; ++repeat) {
    const double took = stopwatch_.time_ms([&] {
      for_each_part(plan, A, B, C, tiles.data(), [&](const TiledProduct& product) {
        launch(kKernel,
               {.grid = dim3(static_cast<unsigned>(product.blocks())),
                .block = dim3(kThreads),
                .stream = stopwatch_.stream()},
               product);
      });
    });
    if (repeat >= 0) ms.push_back(took);  // the first one warms up
  }
  return ms;
}

}  // namespace ladder::labs
