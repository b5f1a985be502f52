// SPDX-License-Identifier: MIT
/// \file  ladder/15_tf32_mma/launch.cu
/// \brief Tile, grid and launch of rung 15.
#include "common/launch.cuh"
#include "ladder/15_tf32_mma/kernel.cuh"

namespace ladder::tf32_mma {

constexpr int BM = 128;  // a word of B serves 128 rows of C
constexpr int BN = 256;  // a word of A serves 256 columns of C
constexpr int BK =
    16;  // tensor cores take a tile in a fifth of the time: deeper tiles, fewer waits
constexpr int WM = 64;  // 4 tiles of mma, 16 rows each
constexpr int WN = 64;  // 8 tiles, 8 columns each: 128 sums per lane
// One stage is read while three are on their way: 96 KiB; GeForce GPUs give a block 99.
constexpr int STAGES = 4;
constexpr int kThreads = 32 * (BM / WM) * (BN / WN);  // a warp per WM x WN results
// An H200 runs 132 blocks at a time: 16 rows of tiles by 8 columns make that wave a square of C.
constexpr int BAND = 16;

void run(const Gemm<float>& gemm, Stream stream) {
  require_multiple("15 tf32_mma", 'N', gemm.N, 4, "rows of B and C are copied in 16 bytes");
  require_multiple("15 tf32_mma", 'K', gemm.K, 4, "rows of A are copied in 16 bytes");
  for (const Gemm<float>& part : row_bands(gemm, BM * BAND)) {
    const dim3 grid(ceil_div(part.N, BN) * BAND, ceil_div(part.M, BM * BAND));
    launch(kernel<BM, BN, BK, WM, WN, STAGES, BAND>,
           {.grid = grid,
            .block = dim3(kThreads),
            .dynamic_shared_bytes = STAGES * sizeof(Stage<BM, BN, BK>),
            .stream = stream},
           part.M, part.N, part.K, part.alpha, part.A, part.B, part.beta, part.C);
  }
}

}  // namespace ladder::tf32_mma
