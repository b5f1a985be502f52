// SPDX-License-Identifier: MIT
/// \file  ladder/08_warp_tile/launch.cu
/// \brief Tile, grid and launch of rung 08.
#include "common/launch.cuh"
#include "ladder/08_warp_tile/kernel.cuh"

namespace ladder::warp_tile {

constexpr int BM = 128;  // a word of B serves 128 rows of C
constexpr int BN = 128;  // a word of A serves 128 columns of C
constexpr int BK = 8;    // four words of either tile per thread
constexpr int WM = 64;   // 8 rows of lanes
constexpr int WN = 32;   // 4 columns of lanes
// 64 sums leave room for two blocks of 256 threads in the 65,536 registers of an SM.
constexpr int TM = 8;
constexpr int TN = 8;  // as many as TM: 64 multiply-adds then need the fewest words, 8 + 8
constexpr int kThreads = 32 * (BM / WM) * (BN / WN);  // a warp per WM x WN results
// An H200 runs 132 * 2 = 264 blocks at a time: 16 rows of tiles make that wave a square.
constexpr int BAND = 16;

void run(const Gemm<float>& gemm, Stream stream) {
  require_multiple("08 warp_tile", 'N', gemm.N, 4, "rows of B and C are read as float4");
  require_multiple("08 warp_tile", 'K', gemm.K, 4, "rows of A are read as float4");
  for (const Gemm<float>& part : row_bands(gemm, BM * BAND)) {
    const dim3 grid(ceil_div(part.N, BN) * BAND, ceil_div(part.M, BM * BAND));
    launch(kernel<BM, BN, BK, WM, WN, TM, TN, BAND>,
           {.grid = grid, .block = dim3(kThreads), .stream = stream}, part.M, part.N, part.K,
           part.alpha, part.A, part.B, part.beta, part.C);
  }
}

}  // namespace ladder::warp_tile
