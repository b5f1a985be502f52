// SPDX-License-Identifier: MIT
/// \file  ladder/01_naive/kernel.cuh
/// \brief One thread computes one element of C; neighbouring threads take neighbouring rows.
///
/// There is no rung below. Each thread walks along a row of A and down a column of B. The 32
/// threads of a warp read 32 different rows of A, so one load touches 32 memory sectors.
/// Traffic  L1  32 + 1 sectors per warp and k, for 32 multiply-adds.
#pragma once

#include "common/device.cuh"

namespace ladder::naive {

/// \brief   C = alpha*A*B + beta*C; one BM x BN block tile of C per thread block.
/// \tparam  BM,BN  block tile in elements; the block is BM x BN threads
/// \param   M,N,K  extents in elements, any value >= 1
/// \param   A      (M, K) row-major
/// \param   B      (K, N) row-major
/// \param   C      (M, N) row-major; not read when beta == 0
template <int BM, int BN>
__global__ void __launch_bounds__(BM* BN)
    kernel(int M, int N, int K, float alpha, const float* A, const float* B, float beta, float* C) {
  // -- Where this thread works ---------------------------------------------------------------
  const int row = blockIdx.y * BM + threadIdx.x;
  const int col = blockIdx.x * BN + threadIdx.y;
  if (row >= M || col >= N) return;
  const float* gA = A + static_cast<size_t>(row) * K;  // (K)  a row of A
  const float* gB = B + col;                           // (K)  a column of B, stride N

  // -- Main loop over K ----------------------------------------------------------------------
  float acc = 0.0f;
#pragma unroll 8  // eight pairs of loads are in flight before the first is needed
  for (int k = 0; k < K; ++k) {
    acc += gA[k] * gB[static_cast<size_t>(k) * N];
  }

  // -- Epilogue: C = alpha*acc + beta*C ------------------------------------------------------
  float* gC = C + static_cast<size_t>(row) * N + col;
  *gC = beta == 0.0f ? alpha * acc : alpha * acc + beta * *gC;
}

}  // namespace ladder::naive
