// SPDX-License-Identifier: MIT
/// \file  ladder/05_vector_access/kernel.cuh
/// \brief Memory is read and written as float4, 16 bytes at a time; A is transposed on its way into
///        shared memory.
///
/// Rung 04 spends an instruction on every 4-byte word that it moves; a float4 moves four words with
/// one. A thread needs TM rows of one column k of A. Stored as (BK, BM) they are contiguous, so a
/// tile of A is scattered into sA once and read as float4 many times.
/// Traffic  the bytes of rung 04 in a quarter of the requests.
#pragma once

#include "common/device.cuh"

namespace ladder::vector_access {

/// \brief   C = alpha*A*B + beta*C; one BM x BN block tile of C per thread block.
/// \tparam  BM,BN,BK  block tile in elements; BM*BK and BK*BN are 4 * threads
/// \tparam  TM,TN     thread tile in elements, multiples of 4; (BM/TM)*(BN/TN) threads, 1-D
/// \param   M         extent in elements, any value >= 1
/// \param   N,K       extents in elements, multiples of 4
/// \param   A         (M, K) row-major, 16-byte aligned
/// \param   B         (K, N) row-major, 16-byte aligned
/// \param   C         (M, N) row-major, 16-byte aligned; not read when beta == 0
template <int BM, int BN, int BK, int TM, int TN>
__global__ void __launch_bounds__((BM / TM) * (BN / TN))
    kernel(int M, int N, int K, float alpha, const float* A, const float* B, float beta, float* C) {
  constexpr int kThreadRows = BM / TM;  // rows of threads in a block tile
  constexpr int kThreadCols = BN / TN;  // columns of threads in a block tile
  constexpr int kThreads = kThreadRows * kThreadCols;
  constexpr int kPad = 4;  // rows of sA start 4 banks apart: transposing lanes do not collide
  static_assert(BM * BK == 4 * kThreads && BK * BN == 4 * kThreads, "one float4 of each tile");

  // -- Where this thread works ---------------------------------------------------------------
  const int row0 = blockIdx.y * BM;
  const int col0 = blockIdx.x * BN;
  const int thread_row = threadIdx.x / kThreadCols;
  const int thread_col = threadIdx.x % kThreadCols;
  const int a_m = threadIdx.x / (BK / 4);  // the float4 of either tile that this thread loads
  const int a_k = threadIdx.x % (BK / 4) * 4;
  const int b_k = threadIdx.x / (BN / 4);
  const int b_n = threadIdx.x % (BN / 4) * 4;
  const float* gA = A + static_cast<size_t>(row0 + a_m) * K + a_k;
  const float* gB = B + static_cast<size_t>(b_k) * N + col0 + b_n;

  // -- Shared tiles and registers ------------------------------------------------------------
  __shared__ __align__(16) float sA[BK][BM + kPad];  // (BK, BM)  A transposed
  __shared__ __align__(16) float sB[BK][BN];         // (BK, BN)
  float acc[TM][TN] = {};                            // (TM, TN)

  // -- Main loop over K ----------------------------------------------------------------------
  for (int k0 = 0; k0 < K; k0 += BK) {
    // Load: zeros beyond the edges add nothing.
    const bool a_inside = row0 + a_m < M && k0 + a_k < K;
    const bool b_inside = k0 + b_k < K && col0 + b_n < N;
    const float4 a = a_inside ? *reinterpret_cast<const float4*>(gA) : float4{};
    const float4 b = b_inside ? *reinterpret_cast<const float4*>(gB) : float4{};
    gA += BK;
    gB += static_cast<size_t>(BK) * N;
    sA[a_k + 0][a_m] = a.x;
    sA[a_k + 1][a_m] = a.y;
    sA[a_k + 2][a_m] = a.z;
    sA[a_k + 3][a_m] = a.w;
    *reinterpret_cast<float4*>(&sB[b_k][b_n]) = b;
    __syncthreads();

#pragma unroll
    for (int k = 0; k < BK; ++k) {
      __align__(16) float rA[TM];  // (TM)
      __align__(16) float rB[TN];  // (TN)
      for (int m = 0; m < TM; m += 4) {
        *reinterpret_cast<float4*>(&rA[m]) =
            *reinterpret_cast<const float4*>(&sA[k][m * kThreadRows + thread_row * 4]);
      }
      for (int n = 0; n < TN; n += 4) {
        *reinterpret_cast<float4*>(&rB[n]) =
            *reinterpret_cast<const float4*>(&sB[k][n * kThreadCols + thread_col * 4]);
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
    const int row = row0 + m / 4 * 4 * kThreadRows + thread_row * 4 + m % 4;
    for (int n = 0; n < TN; n += 4) {
      const int col = col0 + n * kThreadCols + thread_col * 4;
      if (row >= M || col >= N) continue;
      float4* gC = reinterpret_cast<float4*>(C + static_cast<size_t>(row) * N + col);
      float4 c = beta == 0.0f ? float4{} : *gC;
      c.x = alpha * acc[m][n + 0] + beta * c.x;
      c.y = alpha * acc[m][n + 1] + beta * c.y;
      c.z = alpha * acc[m][n + 2] + beta * c.z;
      c.w = alpha * acc[m][n + 3] + beta * c.w;
      *gC = c;
    }
  }
}

}  // namespace ladder::vector_access
