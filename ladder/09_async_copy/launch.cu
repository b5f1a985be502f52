// SPDX-License-Identifier: MIT
/// \file  ladder/09_async_copy/launch.cu
/// \brief Tile, grid and launch of rung 09.
#include "common/launch.cuh"
#include "ladder/09_async_copy/kernel.cuh"

namespace ladder::async_copy {

constexpr int BM = 128;  // a word of B serves 128 rows of C
constexpr int BN = 128;  // a word of A serves 128 columns of C
constexpr int BK = 8;    // four words of either tile per thread
constexpr int WM = 64;   // 8 rows of lanes
constexpr int WN = 32;   // 4 columns of lanes
// 64 sums leave room for two blocks of 256 threads in the 65,536 registers of an SM.
constexpr int TM = 8;
constexpr int TN = 8;  // as many as TM: 64 multiply-adds then need the fewest words, 8 + 8
// One stage is read while three are on their way: 33 KB of static arrays, for two blocks 66.
constexpr int STAGES = 4;
constexpr int kThreads = 32 * (BM / WM) * (BN / WN);  // a warp per WM x WN results
// An H200 runs 132 * 2 = 264 blocks at a time: 16 rows of tiles make that wave a square.
constexpr int BAND = 16;

void run(const Gemm<float>& gemm, Stream stream) {
  require_multiple("09 async_copy", 'N', gemm.N, 4, "rows of B and C are copied in 16 bytes");
  require_multiple("09 async_copy", 'K', gemm.K, 4,
                   "it keeps to the shapes of the rungs around it");
  for (const Gemm<float>& part : row_bands(gemm, BM * BAND)) {
    const dim3 grid(ceil_div(part.N, BN) * BAND, ceil_div(part.M, BM * BAND));
    launch(kernel<BM, BN, BK, WM, WN, TM, TN, STAGES, BAND>,
           {.grid = grid, .block = dim3(kThreads), .stream = stream}, part.M, part.N, part.K,
           part.alpha, part.A, part.B, part.beta, part.C);
  }
}

}  // namespace ladder::async_copy
