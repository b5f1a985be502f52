// SPDX-License-Identifier: MIT
/// \file  ladder/10_wide_tile/launch.cu
/// \brief Tile, grid and launch of rung 10.
#include "common/launch.cuh"
#include "ladder/10_wide_tile/kernel.cuh"

namespace ladder::wide_tile {

constexpr int BM = 128;  // a word of B serves 128 rows of C
constexpr int BN = 256;  // a word of A serves 256 columns of C
constexpr int BK = 8;    // four words of A and eight of B per thread
constexpr int WM = 64;   // 8 rows of lanes
constexpr int WN = 64;   // 4 columns of lanes
constexpr int TM = 8;    // 128 multiply-adds need 8 + 16 words
// Copies need no registers anymore: 8 x 16 results per thread fit, with one block of 256 threads
// in the 65,536 registers of an SM.
constexpr int TN = 16;
// One stage is read while two are on their way; a fourth would not fit the 48 KiB of static arrays.
constexpr int STAGES = 3;
constexpr int kThreads = 32 * (BM / WM) * (BN / WN);  // a warp per WM x WN results
// An H200 runs 132 blocks at a time: 16 rows of tiles by 8 columns make that wave a square of C.
constexpr int BAND = 16;

void run(const Gemm<float>& gemm, Stream stream) {
  require_multiple("10 wide_tile", 'N', gemm.N, 4, "rows of B and C are copied in 16 bytes");
  require_multiple("10 wide_tile", 'K', gemm.K, 4, "it keeps to the shapes of the rungs around it");
  for (const Gemm<float>& part : row_bands(gemm, BM * BAND)) {
    const dim3 grid(ceil_div(part.N, BN) * BAND, ceil_div(part.M, BM * BAND));
    launch(kernel<BM, BN, BK, WM, WN, TM, TN, STAGES, BAND>,
           {.grid = grid, .block = dim3(kThreads), .stream = stream}, part.M, part.N, part.K,
           part.alpha, part.A, part.B, part.beta, part.C);
  }
}

}  // namespace ladder::wide_tile
