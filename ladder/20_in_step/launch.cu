// SPDX-License-Identifier: MIT
/// \file  ladder/20_in_step/launch.cu
/// \brief Tile, grid and launch of rung 20.
#include <algorithm>

#include "common/launch.cuh"
#include "common/workspace.hpp"
#include "ladder/20_in_step/kernel.cuh"

namespace ladder::in_step {

constexpr int BM = 128;  // two warpgroups of 64 rows
constexpr int BN = 256;  // the most that a wgmma takes: 128 sums per thread
constexpr int BK = 64;   // 128 bytes of A's rows, the widest swizzle
// With the boxes of results, 224 KiB of the 227 that a block can have.
constexpr int STAGES = 4;
constexpr int kThreads = 128 + BM / 64 * 128;  // the producer's warpgroup, and consumers
// An H200 has 66 pairs of SMs: 8 pairs of block rows by 8 columns make their tiles a square of C.
constexpr int BAND = 8;
// With fewer epochs in a tile, all that 66 clusters read for a tile each is less than 18 MB, and L2
// holds it, however far they drift.
constexpr int kFewestEpochs = 4;

void run(const Gemm<bfloat16>& gemm, Stream stream) {
  require_multiple("20 in_step", 'N', gemm.N, 8, "rows of B and C have to be 16-byte aligned");
  require_multiple("20 in_step", 'K', gemm.K, 8, "rows of A have to be 16-byte aligned");
  const int tiles = ceil_div(gemm.M, kPair * BM) * ceil_div(gemm.N, BN);
  const int clusters = std::min(tiles, multiprocessors() / kPair);
  const bool in_step = ceil_div(gemm.K, BK) >= kFewestEpochs * kEpoch;
  void* const counters = in_step ? workspace(stream, kCounters * sizeof(unsigned)) : nullptr;
  // Clusters that wait for each other must all run at the same time, or none.
  launch(kernel<BM, BN, BK, STAGES, BAND>,
         {.grid = dim3(clusters * kPair),
          .block = dim3(kThreads),
          .dynamic_shared_bytes = sizeof(Shared<BM, BN, BK, STAGES>),
          .stream = stream,
          .cluster = kPair,
          .cooperative = in_step},
         ptx::make_tensor_map(gemm.A, gemm.M, gemm.K, BM, BK, ptx::Swizzle::rows_of_128),
         ptx::make_tensor_map(gemm.B, gemm.K, gemm.N, BK, kBoxColumns, ptx::Swizzle::rows_of_128),
         ptx::make_tensor_map(gemm.C, gemm.M, gemm.N, 64, kBoxColumns, ptx::Swizzle::rows_of_128),
         gemm.M, gemm.N, gemm.K, gemm.alpha, gemm.beta, reinterpret_cast<const bf16*>(gemm.C),
         static_cast<unsigned*>(counters));
}

}  // namespace ladder::in_step
