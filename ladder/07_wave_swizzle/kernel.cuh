// SPDX-License-Identifier: MIT
/// \file  ladder/07_wave_swizzle/kernel.cuh
/// \brief Blocks that run at the same time form a square of C instead of a stripe, so they find
///        each other's tiles in L2.
///
/// About 264 blocks of rung 06 run at a time, along two rows of tiles: together they read two
/// panels of A and every panel of B. A square of 16 x 16 blocks reads 16 + 16 panels.
/// Only the order of the blocks changes.
/// Traffic  DRAM  per wave of W blocks (BM*BAND + BN*W/BAND)*K*4 bytes.
#pragma once

#include "common/device.cuh"

namespace ladder::wave_swizzle {

/// \brief   C = alpha*A*B + beta*C; one BM x BN block tile of C per thread block.
/// \tparam  BM,BN,BK  block tile in elements; BM*BK and BK*BN are 4 * threads
/// \tparam  TM,TN     thread tile in elements, multiples of 4; (BM/TM)*(BN/TN) threads, 1-D
/// \tparam  BAND      block rows that consecutive blocks walk through before the next block column
/// \param   M         extent in elements, any value >= 1
/// \param   N,K       extents in elements, multiples of 4
/// \param   A         (M, K) row-major, 16-byte aligned
/// \param   B         (K, N) row-major, 16-byte aligned
/// \param   C         (M, N) row-major, 16-byte aligned; not read when beta == 0
template <int BM, int BN, int BK, int TM, int TN, int BAND>
__global__ void __launch_bounds__((BM / TM) * (BN / TN))
    kernel(int M, int N, int K, float alpha, const float* A, const float* B, float beta, float* C) {
  constexpr int kThreadRows = BM / TM;  // rows of threads in a block tile
  constexpr int kThreadCols = BN / TN;  // columns of threads in a block tile
  constexpr int kThreads = kThreadRows * kThreadCols;
  constexpr int kPad = 4;  // rows of sA start 4 banks apart: transposing lanes do not collide
  static_assert(BM * BK == 4 * kThreads && BK * BN == 4 * kThreads, "one float4 of each tile");

  // -- Where this thread works ---------------------------------------------------------------
  // Blocks start in the order of their index: down a column of BAND tiles, then the next column.
  const int row0 = (blockIdx.y * BAND + blockIdx.x % BAND) * BM;
  const int col0 = blockIdx.x / BAND * BN;
  const int thread_row = threadIdx.x / kThreadCols;
  const int thread_col = threadIdx.x % kThreadCols;
  const int a_m = threadIdx.x / (BK / 4);  // the float4 of either tile that this thread loads
  const int a_k = threadIdx.x % (BK / 4) * 4;
  const int b_k = threadIdx.x / (BN / 4);
  const int b_n = threadIdx.x % (BN / 4) * 4;
  const float* gA = A + static_cast<size_t>(row0 + a_m) * K + a_k;
  const float* gB = B + static_cast<size_t>(b_k) * N + col0 + b_n;
  if (row0 >= M) return;  // the last band may extend below C

  // -- Shared tiles and registers ------------------------------------------------------------
  __shared__ __align__(16) float sA[2][BK][BM + kPad];  // (2, BK, BM)  A transposed
  __shared__ __align__(16) float sB[2][BK][BN];         // (2, BK, BN)
  float acc[TM][TN] = {};                               // (TM, TN)
  float4 a, b;                                          // of the next tiles, in flight

  // -- Prologue: fill the first buffer -------------------------------------------------------
  const auto fetch = [&](int k0) {  // global memory to registers
    // Zeros beyond the edges add nothing.
    const bool a_inside = row0 + a_m < M && k0 + a_k < K;
    const bool b_inside = k0 + b_k < K && col0 + b_n < N;
    a = a_inside ? *reinterpret_cast<const float4*>(gA) : float4{};
    b = b_inside ? *reinterpret_cast<const float4*>(gB) : float4{};
    gA += BK;
    gB += static_cast<size_t>(BK) * N;
  };
  const auto stage = [&](int buffer) {  // registers to shared memory
    sA[buffer][a_k + 0][a_m] = a.x;
    sA[buffer][a_k + 1][a_m] = a.y;
    sA[buffer][a_k + 2][a_m] = a.z;
    sA[buffer][a_k + 3][a_m] = a.w;
    *reinterpret_cast<float4*>(&sB[buffer][b_k][b_n]) = b;
  };
  fetch(0);
  stage(0);
  __syncthreads();

  // -- Main loop over K ----------------------------------------------------------------------
  int buffer = 0;
  for (int k0 = 0; k0 < K; k0 += BK) {
    fetch(k0 + BK);

#pragma unroll
    for (int k = 0; k < BK; ++k) {
      __align__(16) float rA[TM];  // (TM)
      __align__(16) float rB[TN];  // (TN)
      for (int m = 0; m < TM; m += 4) {
        *reinterpret_cast<float4*>(&rA[m]) =
            *reinterpret_cast<const float4*>(&sA[buffer][k][m * kThreadRows + thread_row * 4]);
      }
      for (int n = 0; n < TN; n += 4) {
        *reinterpret_cast<float4*>(&rB[n]) =
            *reinterpret_cast<const float4*>(&sB[buffer][k][n * kThreadCols + thread_col * 4]);
      }
      for (int m = 0; m < TM; ++m) {
        for (int n = 0; n < TN; ++n) {
          acc[m][n] += rA[m] * rB[n];
        }
      }
    }

    stage(buffer ^ 1);  // no thread reads it anymore: all passed the previous tile's barrier
    __syncthreads();
    buffer ^= 1;
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

}  // namespace ladder::wave_swizzle
