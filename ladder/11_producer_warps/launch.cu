// SPDX-License-Identifier: MIT
/// \file  ladder/11_producer_warps/launch.cu
/// \brief Tile, grid and launch of rung 11.
#include "common/launch.cuh"
#include "ladder/11_producer_warps/kernel.cuh"

namespace ladder::producer_warps {

constexpr int BM = 128;  // a word of B serves 128 rows of C
constexpr int BN = 256;  // a word of A serves 256 columns of C
constexpr int BK = 8;    // a producer holds 8 words of 4 rows of A, until their stage is empty
constexpr int WM = 64;   // 8 rows of lanes
constexpr int WN = 64;   // 4 columns of lanes
constexpr int TM = 8;    // 128 multiply-adds need 8 + 16 words
constexpr int TN = 16;   // 128 sums and 2 * (8 + 16) words: 176 of a consumer's 208 registers
// Eight stages are 99 KB: the producers may run 64 of K ahead. More were not faster.
constexpr int STAGES = 8;
constexpr int kThreads = 32 * (kProducerWarps + (BM / WM) * (BN / WN));  // as in rung 10, and 4
// An H200 runs 132 blocks at a time: 16 rows of tiles by 8 columns make that wave a square of C.
constexpr int BAND = 16;

void run(const Gemm<float>& gemm, Stream stream) {
  require_multiple("11 producer_warps", 'N', gemm.N, 4,
                   "rows of B and C have to be 16-byte aligned");
  require_multiple("11 producer_warps", 'K', gemm.K, 4, "rows of A are read as float4");
  for (const Gemm<float>& part : row_bands(gemm, BM * BAND)) {
    const dim3 grid(ceil_div(part.N, BN) * BAND, ceil_div(part.M, BM * BAND));
    launch(kernel<BM, BN, BK, WM, WN, TM, TN, STAGES, BAND>,
           {.grid = grid,
            .block = dim3(kThreads),
            .dynamic_shared_bytes = STAGES * sizeof(Stage<BM, BN, BK>),
            .stream = stream},
           ptx::make_tensor_map(part.B, part.K, part.N, BK, BN), part.M, part.N, part.K, part.alpha,
           part.A, part.beta, part.C);
  }
}

}  // namespace ladder::producer_warps
