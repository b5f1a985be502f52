// SPDX-License-Identifier: MIT
/// \file  ladder/04_register_tile/launch.cu
/// \brief Tile, grid and launch of rung 04.
#include "common/launch.cuh"
#include "ladder/04_register_tile/kernel.cuh"

namespace ladder::register_tile {

// 8 x 8 results per thread need 64 accumulators, which leaves room for two blocks of 256 threads in
// the 65,536 registers of an SM.
constexpr int BM = 128;
constexpr int BN = 128;
constexpr int BK = 8;
constexpr int TM = 8;
constexpr int TN = 8;
constexpr int kThreads = (BM / TM) * (BN / TN);

void run(const Gemm<float>& gemm, Stream stream) {
  for (const Gemm<float>& part : row_bands(gemm, BM)) {
    const dim3 grid(ceil_div(part.N, BN), ceil_div(part.M, BM));
    launch(kernel<BM, BN, BK, TM, TN>, {.grid = grid, .block = dim3(kThreads), .stream = stream},
           part.M, part.N, part.K, part.alpha, part.A, part.B, part.beta, part.C);
  }
}

}  // namespace ladder::register_tile
