// SPDX-License-Identifier: MIT
/// \file  ladder/09_async_copy/kernel.cuh
/// \brief Copies from global to shared memory run asynchronously, several tiles ahead.
///
/// Rung 08 moves each tile through registers: it loads early, holds the values while it multiplies,
/// and stores late. cp.async copies without registers, and the thread goes on at once. So three
/// tiles can be on their way while a fourth is multiplied; a ring of STAGES tiles holds them.
///
/// Traffic  L2  4*M*N*K*(1/BM + 1/BN) bytes;  one barrier per tile.
#pragma once

#include "common/device.cuh"
#include "common/ptx/cp_async.cuh"

namespace ladder::async_copy {

/// \brief   C = alpha*A*B + beta*C; one BM x BN block tile of C per thread block.
/// \tparam  BM,BN,BK  block tile in elements; BM*BK and BK*BN/4 are multiples of the threads (1-D)
/// \tparam  WM,WN     warp tile in elements; (BM/WM)*(BN/WN) warps
/// \tparam  TM,TN     thread tile in elements, multiples of 4; (WM/TM)*(WN/TN) is 32
/// \tparam  STAGES    tiles in shared memory: one is read while the others are filled
/// \tparam  BAND      block rows that consecutive blocks walk through before the next block column
/// \param   M         extent in elements, any value >= 1
/// \param   N,K       extents in elements, multiples of 4
/// \param   A         (M, K) row-major, 16-byte aligned
/// \param   B         (K, N) row-major, 16-byte aligned
/// \param   C         (M, N) row-major, 16-byte aligned; not read when beta == 0
template <int BM, int BN, int BK, int WM, int WN, int TM, int TN, int STAGES, int BAND>
__global__ void __launch_bounds__(32 * (BM / WM) * (BN / WN), 2)
    kernel(int M, int N, int K, float alpha, const float* A, const float* B, float beta, float* C) {
  constexpr int kWarpCols = BN / WN;  // columns of warps in a block tile
  constexpr int kLaneRows = WM / TM;  // rows of lanes in a warp tile
  constexpr int kLaneCols = WN / TN;  // columns of lanes in a warp tile
  constexpr int kThreads = 32 * (BM / WM) * (BN / WN);
  constexpr int kPad = 4;  // rows of sA start 4 banks apart: transposing lanes do not collide
  static_assert(kLaneRows * kLaneCols == 32, "the lanes of a warp");

  // -- Where this thread works ---------------------------------------------------------------
  // Blocks start in the order of their index: down a column of BAND tiles, then the next column.
  const int row0 = (blockIdx.y * BAND + blockIdx.x % BAND) * BM;
  const int col0 = blockIdx.x / BAND * BN;
  const int warp = threadIdx.x / 32;
  const int lane = threadIdx.x % 32;
  const int thread_row = warp / kWarpCols * WM + lane / kLaneCols * 4;
  const int thread_col = warp % kWarpCols * WN + lane % kLaneCols * 4;
  const int a_m = threadIdx.x / BK;  // the first float of A that this thread copies
  const int a_k = threadIdx.x % BK;
  const int b_k = threadIdx.x / (BN / 4);  // and its first float4 of B
  const int b_n = threadIdx.x % (BN / 4) * 4;
  const float* gA = A + static_cast<size_t>(row0 + a_m) * K + a_k;
  const float* gB = B + static_cast<size_t>(b_k) * N + col0 + b_n;
  if (row0 >= M) return;  // the last band may extend below C

  // -- Shared tiles and registers ------------------------------------------------------------
  __shared__ __align__(16) float sA[STAGES][BK][BM + kPad];  // (STAGES, BK, BM)  A transposed
  __shared__ __align__(16) float sB[STAGES][BK][BN];         // (STAGES, BK, BN)
  float acc[TM][TN] = {};                                    // (TM, TN)

  // -- Prologue: start all stages but one ----------------------------------------------------
  const auto fetch = [&](int stage, int k0) {  // global to shared memory, one group
    // Zeros beyond the edges add nothing.
    constexpr int kRowsA = kThreads / BK;
    constexpr int kRowsB = 4 * kThreads / BN;
    for (int m = 0; m < BM; m += kRowsA) {
      const bool inside = row0 + a_m + m < M && k0 + a_k < K;
      ptx::cp_async_4(&sA[stage][a_k][a_m + m], gA + static_cast<size_t>(m) * K, inside);
    }
    for (int k = 0; k < BK; k += kRowsB) {
      const bool inside = k0 + b_k + k < K && col0 + b_n < N;
      ptx::cp_async_16(&sB[stage][b_k + k][b_n], gB + static_cast<size_t>(k) * N, inside);
    }
    ptx::cp_async_commit();
    gA += BK;
    gB += static_cast<size_t>(BK) * N;
  };
  for (int stage = 0; stage < STAGES - 1; ++stage) {
    fetch(stage, stage * BK);
  }
  ptx::cp_async_wait<STAGES - 2>();  // this thread's part of the first tile has arrived
  __syncthreads();                   // and so have all other parts

  // -- Main loop over K ----------------------------------------------------------------------
  int stage = 0;
  for (int k0 = 0; k0 < K; k0 += BK) {
#pragma unroll
    for (int k = 0; k < BK; ++k) {
      __align__(16) float rA[TM];  // (TM)
      __align__(16) float rB[TN];  // (TN)
      for (int m = 0; m < TM; m += 4) {
        *reinterpret_cast<float4*>(&rA[m]) =
            *reinterpret_cast<const float4*>(&sA[stage][k][thread_row + m * kLaneRows]);
      }
      for (int n = 0; n < TN; n += 4) {
        *reinterpret_cast<float4*>(&rB[n]) =
            *reinterpret_cast<const float4*>(&sB[stage][k][thread_col + n * kLaneCols]);
      }
      for (int j = 0; j < TN; ++j) {
        const int n = TN - 1 - j;
        for (int i = 0; i < TM; ++i) {
          const int m = i + n % 2 * (TM - 1 - 2 * i);  // serpentine: i or TM - 1 - i
          acc[m][n] += rA[m] * rB[n];
        }
      }
      if (k == 0) {  // after the first multiply-adds, so that their operands are read first
        // Refill the previous stage: all threads have read it and passed the barrier.
        fetch(stage == 0 ? STAGES - 1 : stage - 1, k0 + (STAGES - 1) * BK);
      }
    }

    ptx::cp_async_wait<STAGES - 2>();
    __syncthreads();
    stage = stage == STAGES - 1 ? 0 : stage + 1;
  }
  ptx::cp_async_wait<0>();  // copies past the end of K, all zeros

  // -- Epilogue: C = alpha*acc + beta*C ------------------------------------------------------
  for (int m = 0; m < TM; ++m) {
    const int row = row0 + thread_row + m / 4 * 4 * kLaneRows + m % 4;
    for (int n = 0; n < TN; n += 4) {
      const int col = col0 + thread_col + n * kLaneCols;
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

}  // namespace ladder::async_copy
