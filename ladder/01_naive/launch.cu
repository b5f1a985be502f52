// SPDX-License-Identifier: MIT
/// \file  ladder/01_naive/launch.cu
/// \brief Tile, grid and launch of rung 01.
#include "common/launch.cuh"
#include "ladder/01_naive/kernel.cuh"

namespace ladder::naive {

constexpr int BM = 32;  // a word of B serves 32 threads; 32 x 32 threads are the most in a block
constexpr int BN = 32;  // a word of A serves 32 threads

void run(const Gemm<float>& gemm, Stream stream) {
  for (const Gemm<float>& part : row_bands(gemm, BM)) {
    const dim3 grid(ceil_div(part.N, BN), ceil_div(part.M, BM));
    launch(kernel<BM, BN>, {.grid = grid, .block = dim3(BM, BN), .stream = stream}, part.M, part.N,
           part.K, part.alpha, part.A, part.B, part.beta, part.C);
  }
}

}  // namespace ladder::naive
