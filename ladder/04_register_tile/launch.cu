// SPDX-License-Identifier: MIT
/// \file  ladder/04_register_tile/launch.cu
/// \brief Tile, grid and launch of rung 04.
#include "common/launch.cuh"
#include "ladder/04_register_tile/kernel.cuh"

namespace ladder::register_tile {

constexpr int BM = 128;  // a word of B serves 128 rows of C
constexpr int BN = 128;  // a word of A serves 128 columns of C
constexpr int BK = 8;    // four words of either tile per thread
// 64 sums leave room for two blocks of 256 threads in the 65,536 registers of an SM.
constexpr int TM = 8;
constexpr int TN = 8;  // as many as TM: 64 multiply-adds then need the fewest words, 8 + 8
constexpr int kThreads = (BM / TM) * (BN / TN);  // one per TM x TN results

void run(const Gemm<float>& gemm, Stream stream) {
  for (const Gemm<float>& part : row_bands(gemm, BM)) {
    const dim3 grid(ceil_div(part.N, BN), ceil_div(part.M, BM));
    launch(kernel<BM, BN, BK, TM, TN>, {.grid = grid, .block = dim3(kThreads), .stream = stream},
           part.M, part.N, part.K, part.alpha, part.A, part.B, part.beta, part.C);
  }
}

}  // namespace ladder::register_tile
