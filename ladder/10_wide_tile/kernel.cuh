// SPDX-License-Identifier: MIT
/// \file  ladder/10_wide_tile/kernel.cuh
/// \brief Twice as many results per thread, and operands that are read one k ahead.
///
/// Since rung 09, copies take no registers. With one block per SM and up to 255 registers for each
/// of its 256 threads, a thread can hold 8 x 16 results: 128 multiply-adds for every 24 words; rung
/// 09 has 64 for 16. There is room for two sets of operands as well, so the words of the next k are
/// read while this one is multiplied.
///
/// Traffic  shared memory  (TM + TN)*4 bytes per thread and k, for TM*TN multiply-adds.
#pragma once

#include "common/device.cuh"
#include "common/ptx/cp_async.cuh"

namespace ladder::wide_tile {

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
__global__ void __launch_bounds__(32 * (BM / WM) * (BN / WN))
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
  __align__(16) float rA[2][TM];                             // (2, TM)
  __align__(16) float rB[2][TN];                             // (2, TN)

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
  const float* row_a = &sA[0][0][thread_row];  // points to the k to read next
  const float* row_b = &sB[0][0][thread_col];
  const auto read = [&](int buffer) {  // one k, shared memory to registers
    for (int n = 0; n < TN; n += 4) {
      *reinterpret_cast<float4*>(&rB[buffer][n]) =
          *reinterpret_cast<const float4*>(row_b + n * kLaneCols);
    }
    for (int m = 0; m < TM; m += 4) {
      *reinterpret_cast<float4*>(&rA[buffer][m]) =
          *reinterpret_cast<const float4*>(row_a + m * kLaneRows);
    }
  };
  for (int stage = 0; stage < STAGES - 1; ++stage) {
    fetch(stage, stage * BK);
  }
  ptx::cp_async_wait<STAGES - 2>();  // this thread's part of the first tile has arrived
  __syncthreads();                   // and so have all other parts
  read(0);

  // -- Main loop over K ----------------------------------------------------------------------
  int stage = 0;
#pragma unroll 1
  for (int k0 = 0; k0 < K; k0 += BK) {
    // Refill the previous stage: all threads have read it and passed the barrier.
    fetch(stage == 0 ? STAGES - 1 : stage - 1, k0 + (STAGES - 1) * BK);
    stage = stage == STAGES - 1 ? 0 : stage + 1;
#pragma unroll
    for (int k = 0; k < BK; ++k) {
      row_a += BM + kPad;
      row_b += BN;
      if (k == BK - 1) {  // the next k is in the next tile
        ptx::cp_async_wait<STAGES - 2>();
        __syncthreads();
        row_a = &sA[stage][0][thread_row];
        row_b = &sB[stage][0][thread_col];
      }
      read((k + 1) % 2);
      for (int j = 0; j < TN; ++j) {
        const int n = TN - 1 - j;
        for (int i = 0; i < TM; ++i) {
          const int m = i + n % 2 * (TM - 1 - 2 * i);  // serpentine: i or TM - 1 - i
          acc[m][n] += rA[k % 2][m] * rB[k % 2][n];
        }
      }
    }
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

}  // namespace ladder::wide_tile
