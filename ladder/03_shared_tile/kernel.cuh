// SPDX-License-Identifier: MIT
/// \file  ladder/03_shared_tile/kernel.cuh
/// \brief The threads of a block stage tiles of A and B in shared memory and share them.
///
/// Rung 02 asks the L1 cache for two operands per multiply-add, and each warp waits for its own, 8
/// k at a time. Here a block loads each element of its tiles once, 64 k at a time, and BN threads
/// (of A) or BM threads (of B) use it.
/// Traffic  global  (BM + BN)*K*4 bytes per block;  shared  2 operands per multiply-add.
#pragma once

#include "common/device.cuh"

namespace ladder::shared_tile {

/// \brief   C = alpha*A*B + beta*C; one BM x BN block tile of C per thread block.
/// \tparam  BM,BN  block tile in elements; the block is BN x BM threads
/// \tparam  BK     depth of the shared tiles, a multiple of BM and BN
/// \param   M,N,K  extents in elements, any value >= 1
/// \param   A      (M, K) row-major
/// \param   B      (K, N) row-major
/// \param   C      (M, N) row-major; not read when beta == 0
template <int BM, int BN, int BK>
__global__ void __launch_bounds__(BM* BN)
    kernel(int M, int N, int K, float alpha, const float* A, const float* B, float beta, float* C) {
  static_assert(BK % BM == 0 && BK % BN == 0, "equal loads for all threads");

  // -- Where this thread works ---------------------------------------------------------------
  const int row = blockIdx.y * BM + threadIdx.y;
  const int col = blockIdx.x * BN + threadIdx.x;
  const float* gA = A + static_cast<size_t>(row) * K + threadIdx.x;  // first element to load
  const float* gB = B + static_cast<size_t>(threadIdx.y) * N + col;

  // -- Shared tiles and registers ------------------------------------------------------------
  __shared__ float sA[BM][BK];  // (BM, BK)
  __shared__ float sB[BK][BN];  // (BK, BN)
  float acc = 0.0f;

  // -- Main loop over K ----------------------------------------------------------------------
  for (int k0 = 0; k0 < K; k0 += BK) {
    // Load; zeros beyond the edges add nothing.
    for (int k = 0; k < BK; k += BN) {
      const int a_k = k0 + k + threadIdx.x;
      sA[threadIdx.y][k + threadIdx.x] = row < M && a_k < K ? gA[k] : 0.0f;
    }
    for (int k = 0; k < BK; k += BM) {
      const int b_k = k0 + k + threadIdx.y;
      sB[k + threadIdx.y][threadIdx.x] = b_k < K && col < N ? gB[static_cast<size_t>(k) * N] : 0.0f;
    }
    gA += BK;
    gB += static_cast<size_t>(BK) * N;
    __syncthreads();

    for (int k = 0; k < BK; ++k) {
      acc += sA[threadIdx.y][k] * sB[k][threadIdx.x];
    }
    __syncthreads();
  }

  // -- Epilogue: C = alpha*acc + beta*C ------------------------------------------------------
  if (row >= M || col >= N) return;
  float* gC = C + static_cast<size_t>(row) * N + col;
  *gC = beta == 0.0f ? alpha * acc : alpha * acc + beta * *gC;
}

}  // namespace ladder::shared_tile
