// SPDX-License-Identifier: MIT
/// \file  ladder/03_shared_tile/launch.cu
/// \brief Tile, grid and launch of rung 03.
#include "common/launch.cuh"
#include "ladder/03_shared_tile/kernel.cuh"

namespace ladder::shared_tile {

constexpr int BM = 32;  // a word of B serves 32 threads; 32 x 32 threads are the most in a block
constexpr int BN = 32;  // a word of A serves 32 threads
constexpr int BK = 64;  // two elements of either tile per thread: half the barriers of BK = 32

void run(const Gemm<float>& gemm, Stream stream) {
  for (const Gemm<float>& part : row_bands(gemm, BM)) {
    const dim3 grid(ceil_div(part.N, BN), ceil_div(part.M, BM));
    launch(kernel<BM, BN, BK>, {.grid = grid, .block = dim3(BN, BM), .stream = stream}, part.M,
           part.N, part.K, part.alpha, part.A, part.B, part.beta, part.C);
  }
}

}  // namespace ladder::shared_tile
