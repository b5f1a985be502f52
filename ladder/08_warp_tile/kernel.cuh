// SPDX-License-Identifier: MIT
/// \file  ladder/08_warp_tile/kernel.cuh
/// \brief A tile per warp: its lanes and their multiply-adds are arranged to suit the banks.
///
/// The 32 threads of a warp in rung 07 form 2 rows and 16 columns: for each k they need 16 floats
/// of A and 128 of B. In 8 rows and 4 columns they form a warp tile that is nearly square and needs
/// 64 + 32. Registers have banks, too: two, with one read each per cycle, and a multiply-add reads
/// three. In serpentine order through the thread tile, each multiply-add shares an operand with
/// the one before it.
///
/// Traffic  shared memory  (WM + WN)*4 bytes per k and warp.
#pragma once

#include "common/device.cuh"

namespace ladder::warp_tile {

/// \brief   C = alpha*A*B + beta*C; one BM x BN block tile of C per thread block.
/// \tparam  BM,BN,BK  block tile in elements; BM*BK and BK*BN are 4 * threads (1-D)
/// \tparam  WM,WN     warp tile in elements; (BM/WM)*(BN/WN) warps
/// \tparam  TM,TN     thread tile in elements, multiples of 4; (WM/TM)*(WN/TN) is 32
/// \tparam  BAND      block rows that consecutive blocks walk through before the next block column
/// \param   M         extent in elements, any value >= 1
/// \param   N,K       extents in elements, multiples of 4
/// \param   A         (M, K) row-major, 16-byte aligned
/// \param   B         (K, N) row-major, 16-byte aligned
/// \param   C         (M, N) row-major, 16-byte aligned; not read when beta == 0
template <int BM, int BN, int BK, int WM, int WN, int TM, int TN, int BAND>
__global__ void __launch_bounds__(32 * (BM / WM) * (BN / WN), 2)
    kernel(int M, int N, int K, float alpha, const float* A, const float* B, float beta, float* C) {
  constexpr int kWarpCols = BN / WN;  // columns of warps in a block tile
  constexpr int kLaneRows = WM / TM;  // rows of lanes in a warp tile
  constexpr int kLaneCols = WN / TN;  // columns of lanes in a warp tile
  constexpr int kThreads = 32 * (BM / WM) * (BN / WN);
  constexpr int kPad = 4;  // rows of sA start 4 banks apart: transposing lanes do not collide
  static_assert(BM * BK == 4 * kThreads && BK * BN == 4 * kThreads, "one float4 of each tile");
  static_assert(kLaneRows * kLaneCols == 32, "the lanes of a warp");

  // -- Where this thread works ---------------------------------------------------------------
  // Blocks start in the order of their index: down a column of BAND tiles, then the next column.
  const int row0 = (blockIdx.y * BAND + blockIdx.x % BAND) * BM;
  const int col0 = blockIdx.x / BAND * BN;
  const int warp = threadIdx.x / 32;
  const int lane = threadIdx.x % 32;
  const int thread_row = warp / kWarpCols * WM + lane / kLaneCols * 4;
  const int thread_col = warp % kWarpCols * WN + lane % kLaneCols * 4;
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
            *reinterpret_cast<const float4*>(&sA[buffer][k][thread_row + m * kLaneRows]);
      }
      for (int n = 0; n < TN; n += 4) {
        *reinterpret_cast<float4*>(&rB[n]) =
            *reinterpret_cast<const float4*>(&sB[buffer][k][thread_col + n * kLaneCols]);
      }
      for (int m = 0; m < TM; ++m) {
        for (int i = 0; i < TN; ++i) {
          const int n = i + m % 2 * (TN - 1 - 2 * i);  // serpentine: i or TN - 1 - i
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

}  // namespace ladder::warp_tile
