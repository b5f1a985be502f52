// SPDX-License-Identifier: MIT
/// \file  ladder/04_register_tile/kernel.cuh
/// \brief Each thread computes a TM x TN patch of C in registers: an outer product per k.
///
/// Rung 03 reads two shared floats for each multiply-add, and the shared-memory pipe is the limit.
/// Here a thread reads TM + TN floats per k and does TM*TN multiply-adds with them: 16 reads
/// for 64. Its rows and columns are spread 16 apart, so that a warp reads neighbouring words of sB.
/// Traffic  global  (BM + BN)*K*4 bytes per block;  shared  (TM + TN)/(TM*TN) floats per
/// multiply-add.
#pragma once

#include "common/device.cuh"

namespace ladder::register_tile {

/// \brief   C = alpha*A*B + beta*C; one BM x BN block tile of C per thread block.
/// \tparam  BM,BN,BK  block tile in elements; BM*BK and BK*BN are multiples of the threads
/// \tparam  TM,TN     thread tile in elements; the block is (BM/TM)*(BN/TN) threads, 1-D
/// \param   M,N,K     extents in elements, any value >= 1
/// \param   A         (M, K) row-major
/// \param   B         (K, N) row-major
/// \param   C         (M, N) row-major; not read when beta == 0
template <int BM, int BN, int BK, int TM, int TN>
__global__ void __launch_bounds__((BM / TM) * (BN / TN))
    kernel(int M, int N, int K, float alpha, const float* A, const float* B, float beta, float* C) {
  constexpr int kThreadRows = BM / TM;  // rows of threads in a block tile
  constexpr int kThreadCols = BN / TN;  // columns of threads in a block tile
  constexpr int kThreads = kThreadRows * kThreadCols;
  static_assert(BM * BK % kThreads == 0 && BK * BN % kThreads == 0, "equal loads for all threads");

  // -- Where this thread works ---------------------------------------------------------------
  const int row0 = blockIdx.y * BM;
  const int col0 = blockIdx.x * BN;
  const int thread_row = threadIdx.x / kThreadCols;
  const int thread_col = threadIdx.x % kThreadCols;

  // -- Shared tiles and registers ------------------------------------------------------------
  __shared__ float sA[BM][BK];  // (BM, BK)
  __shared__ float sB[BK][BN];  // (BK, BN)
  float acc[TM][TN] = {};       // (TM, TN)

  // -- Main loop over K ----------------------------------------------------------------------
  for (int k0 = 0; k0 < K; k0 += BK) {
    // Load: zeros beyond the edges add nothing.
    for (int i0 = 0; i0 < BM * BK; i0 += kThreads) {
      const int m = (i0 + threadIdx.x) / BK;
      const int k = (i0 + threadIdx.x) % BK;
      const bool inside = row0 + m < M && k0 + k < K;
      sA[m][k] = inside ? A[static_cast<size_t>(row0 + m) * K + k0 + k] : 0.0f;
    }
    for (int i0 = 0; i0 < BK * BN; i0 += kThreads) {
      const int k = (i0 + threadIdx.x) / BN;
      const int n = (i0 + threadIdx.x) % BN;
      const bool inside = k0 + k < K && col0 + n < N;
      sB[k][n] = inside ? B[static_cast<size_t>(k0 + k) * N + col0 + n] : 0.0f;
    }
    __syncthreads();

#pragma unroll
    for (int k = 0; k < BK; ++k) {
      float rA[TM];  // (TM)
      float rB[TN];  // (TN)
      for (int m = 0; m < TM; ++m) {
        rA[m] = sA[thread_row + m * kThreadRows][k];
      }
      for (int n = 0; n < TN; ++n) {
        rB[n] = sB[k][thread_col + n * kThreadCols];
      }
      for (int m = 0; m < TM; ++m) {
        for (int n = 0; n < TN; ++n) {
          acc[m][n] += rA[m] * rB[n];
        }
      }
    }
    __syncthreads();
  }

  // -- Epilogue: C = alpha*acc + beta*C ------------------------------------------------------
  for (int m = 0; m < TM; ++m) {
    const int row = row0 + thread_row + m * kThreadRows;
    for (int n = 0; n < TN; ++n) {
      const int col = col0 + thread_col + n * kThreadCols;
      if (row >= M || col >= N) continue;
      float* gC = C + static_cast<size_t>(row) * N + col;
      *gC = beta == 0.0f ? alpha * acc[m][n] : alpha * acc[m][n] + beta * *gC;
    }
  }
}

}  // namespace ladder::register_tile
