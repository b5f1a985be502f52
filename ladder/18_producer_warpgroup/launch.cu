// SPDX-License-Identifier: MIT
/// \file  ladder/18_producer_warpgroup/launch.cu
/// \brief Tile, grid and launch of rung 18.
#include "common/launch.cuh"
#include "ladder/18_producer_warpgroup/kernel.cuh"

namespace ladder::producer_warpgroup {

constexpr int BM = 128;  // two warpgroups of 64 rows
constexpr int BN = 256;  // the most that a wgmma takes: 128 sums per thread
constexpr int BK = 64;   // 128 bytes of A's rows, the widest swizzle
// 192 KiB of the 227 that a block can have: the producer may run 256 of K ahead.
constexpr int STAGES = 4;
constexpr int kThreads = 128 + BM / 64 * 128;  // the producer's warpgroup, and consumers
// An H200 runs 132 blocks at a time: 16 rows of tiles by 8 columns make that wave a square of C.
constexpr int BAND = 16;

void run(const Gemm<bfloat16>& gemm, Stream stream) {
  require_multiple("18 producer_warpgroup", 'N', gemm.N, 8, "rows of B have to be 16-byte aligned");
  require_multiple("18 producer_warpgroup", 'K', gemm.K, 8, "rows of A have to be 16-byte aligned");
  for (const Gemm<bfloat16>& part : row_bands(gemm, BM * BAND)) {
    const dim3 grid(ceil_div(part.N, BN) * BAND, ceil_div(part.M, BM * BAND));
    launch(kernel<BM, BN, BK, STAGES, BAND>,
           {.grid = grid,
            .block = dim3(kThreads),
            .dynamic_shared_bytes = sizeof(Shared<BM, BN, BK, STAGES>),
            .stream = stream},
           ptx::make_tensor_map(part.A, part.M, part.K, BM, BK, ptx::Swizzle::rows_of_128),
           ptx::make_tensor_map(part.B, part.K, part.N, BK, kBoxColumns, ptx::Swizzle::rows_of_128),
           part.M, part.N, part.K, part.alpha, part.beta, reinterpret_cast<bf16*>(part.C));
  }
}

}  // namespace ladder::producer_warpgroup
