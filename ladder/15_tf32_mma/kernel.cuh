// SPDX-License-Identifier: MIT
/// \file  ladder/15_tf32_mma/kernel.cuh
/// \brief The tensor cores multiply: one instruction of a warp is 1,024 multiply-adds.
///
/// In rung 10, an FFMA is one multiply-add of a lane, and an SM does 128 of them a cycle. mma.sync
/// takes 16 x 8 words of A and 8 x 8 of B from the registers of a whole warp, rounded to TF32, and
/// adds their product to 16 x 8 sums: more than five times as many multiply-adds in a cycle. Each
/// lane holds four words of A, two of B and four sums, at places that the instruction dictates.
/// It wants A by rows, so A is no longer transposed on the way in, and ldmatrix loads a lane's four
/// words at once: it moves rows of 16 bytes, and hands out their words.
///
/// Traffic  shared memory  (WM + WN)*4 bytes per warp and k, for WM*WN multiply-adds.
#pragma once

#include "common/device.cuh"
#include "common/ptx/cp_async.cuh"
#include "common/ptx/ldmatrix.cuh"
#include "common/ptx/mma.cuh"

namespace ladder::tf32_mma {

/// A tile of A and one of B, in pieces of 4 words. In which order the pieces of a row lie depends
/// on the row, so that the lanes of a warp read from 32 banks: 8 rows of A, 4 words of each, or 4
/// rows of B, 8 words of each.
template <int BM, int BN, int BK>
struct Stage {
  float A[BM][BK];  // (BM, BK)
  float B[BK][BN];  // (BK, BN)

  static_assert(BK == 16, "two rows of A in 32 banks");
  static_assert(BN % 32 == 0, "rows of B start in bank 0");
  /// Where the word of A with (m, k) lies in its row: two rows later, in another one of 4 pieces.
  static __device__ int column_a(int m, int k) { return (k / 4 ^ m / 2 % 4) * 4 + k % 4; }
  /// Where the word of B with (k, n) lies: in the next row, two pieces on.
  static __device__ int column_b(int k, int n) { return (n / 4 ^ k % 4 * 2) * 4 + n % 4; }
};

/// \brief   C = alpha*A*B + beta*C; one BM x BN block tile of C per thread block.
/// \tparam  BM,BN,BK  block tile in elements; BK is 16, BM*BK/4 and BK*BN/4 are multiples of the
///                    threads (1-D)
/// \tparam  WM,WN     warp tile in elements, multiples of 16 and 8; (BM/WM)*(BN/WN) warps
/// \tparam  STAGES    tiles in dynamic shared memory: one is read while the others are filled
/// \tparam  BAND      block rows that consecutive blocks walk through before the next block column
/// \param   M         extent in elements, any value >= 1
/// \param   N,K       extents in elements, multiples of 4
/// \param   A         (M, K) row-major, 16-byte aligned; rounded to TF32
/// \param   B         (K, N) row-major, 16-byte aligned; rounded to TF32
/// \param   C         (M, N) row-major, 16-byte aligned; not read when beta == 0
template <int BM, int BN, int BK, int WM, int WN, int STAGES, int BAND>
__global__ void __launch_bounds__(32 * (BM / WM) * (BN / WN), 1)
    kernel(int M, int N, int K, float alpha, const float* A, const float* B, float beta, float* C) {
  constexpr int kWarpCols = BN / WN;  // columns of warps in a block tile
  constexpr int kTileRows = WM / 16;  // rows of mma tiles in a warp tile
  constexpr int kTileCols = WN / 8;   // columns of mma tiles in a warp tile
  constexpr int kThreads = 32 * (BM / WM) * (BN / WN);
  using Stage = tf32_mma::Stage<BM, BN, BK>;

  // -- Where this thread works ---------------------------------------------------------------
  // Blocks start in the order of their index: down a column of BAND tiles, then the next column.
  const int row0 = (blockIdx.y * BAND + blockIdx.x % BAND) * BM;
  const int col0 = blockIdx.x / BAND * BN;
  const int warp = threadIdx.x / 32;
  const int lane = threadIdx.x % 32;
  const int warp_row = warp / kWarpCols * WM;
  const int warp_col = warp % kWarpCols * WN;
  const int a_m = threadIdx.x / (BK / 4);  // the first float4 of A that this thread copies
  const int a_k = threadIdx.x % (BK / 4) * 4;
  const int b_k = threadIdx.x / (BN / 4);  // and its first float4 of B
  const int b_n = threadIdx.x % (BN / 4) * 4;
  const float* gA = A + static_cast<size_t>(row0 + a_m) * K + a_k;
  const float* gB = B + static_cast<size_t>(b_k) * N + col0 + b_n;
  if (row0 >= M) return;  // the last band may extend below C

  // -- Shared tiles and registers ------------------------------------------------------------
  extern __shared__ __align__(128) unsigned char shared[];
  auto* const stages = reinterpret_cast<Stage*>(shared);  // (STAGES)
  float acc[kTileRows][kTileCols][4] = {};                // (WM/16, WN/8, 4)
  unsigned rA[2][kTileRows][4];                           // (2, WM/16, 4)   bits of floats
  float rB[2][kTileCols][2];                              // (2, WN/8, 2)

  // -- Prologue: start all stages but one ----------------------------------------------------
  // A tile is copied in parts, one for each 8 of K that are multiplied meanwhile.
  constexpr int kParts = BK / 8;
  constexpr int kRowsA = 4 * kThreads / BK;  // that all threads copy at once
  constexpr int kRowsB = 4 * kThreads / BN;
  const auto fetch = [&](int stage, int part, int k0) {  // global to shared memory
    // Zeros beyond the edges add nothing.
    for (int m = part * BM / kParts; m < (part + 1) * BM / kParts; m += kRowsA) {
      float* const sA = &stages[stage].A[a_m + m][Stage::column_a(a_m, a_k)];
      ptx::cp_async_16(sA, gA, row0 + a_m + m < M && k0 < K - a_k);
      gA += static_cast<size_t>(kRowsA) * K;
    }
    for (int k = part * BK / kParts; k < (part + 1) * BK / kParts; k += kRowsB) {
      float* const sB = &stages[stage].B[b_k + k][Stage::column_b(b_k, b_n)];
      ptx::cp_async_16(sB, gB, k0 + k < K - b_k && col0 + b_n < N);
      gB += static_cast<size_t>(kRowsB) * N;
    }
    if (part == kParts - 1) {  // all parts are one group
      ptx::cp_async_commit();
      gA += BK - static_cast<size_t>(BM) * K;
    }
  };
  const auto read = [&](int buffer, const Stage& stage, int k) {  // 8 of K, to registers
    for (int n = 0; n < kTileCols; ++n) {
      for (int i = 0; i < 2; ++i) {
        const int row = k + lane % 4 + i * 4;
        const int col = Stage::column_b(lane % 4, warp_col + n * 8 + lane / 4);
        rB[buffer][n][i] = stage.B[row][col];
      }
    }
    for (int m = 0; m < kTileRows; ++m) {
      const int row = warp_row + m * 16 + lane % 16;  // of A, which this lane names
      const int col = Stage::column_a(row, k + lane / 16 * 4);
      ptx::ldmatrix<false>(rA[buffer][m], &stage.A[row][col]);
    }
  };
  for (int stage = 0; stage < STAGES - 1; ++stage) {
    for (int part = 0; part < kParts; ++part)
      fetch(stage, part, stage * BK);
  }
  ptx::cp_async_wait<STAGES - 2>();  // this thread's part of the first tile has arrived
  __syncthreads();                   // and so have all other parts
  read(0, stages[0], 0);

  // -- Main loop over K ----------------------------------------------------------------------
  int stage = 0;
#pragma unroll STAGES  // in each copy of the loop, the stage is a constant
  for (int k0 = 0; k0 < K; k0 += BK) {
    // Refill the previous stage: all threads have read it and passed the barrier.
    const int refilled = stage == 0 ? STAGES - 1 : stage - 1;
#pragma unroll
    for (int k = 0; k < BK; k += 8) {
      const int buffer = k / 8 % 2;
      if (k + 8 == BK) {                   // the next k is in the next tile
        ptx::cp_async_wait<STAGES - 3>();  // the group of this tile is not complete
        __syncthreads();
        stage = stage == STAGES - 1 ? 0 : stage + 1;
      }
      read(1 - buffer, stages[stage], (k + 8) % BK);
      unsigned a[kTileRows][4];  // (WM/16, 4)
      for (int m = 0; m < kTileRows; ++m) {
        for (int i = 0; i < 4; ++i) {
          a[m][i] = ptx::to_tf32(__uint_as_float(rA[buffer][m][i]));
        }
      }
      for (int n = 0; n < kTileCols; ++n) {
        const unsigned b[] = {ptx::to_tf32(rB[buffer][n][0]), ptx::to_tf32(rB[buffer][n][1])};
        for (int m = 0; m < kTileRows; ++m) {
          ptx::mma_tf32(acc[m][n], a[m], b);
        }
        if (n == kTileCols / 2) fetch(refilled, k / 8, k0 + (STAGES - 1) * BK);
      }
    }
  }
  ptx::cp_async_wait<0>();  // copies past the end of K, all zeros

  // -- Epilogue: C = alpha*acc + beta*C ------------------------------------------------------
  for (int m = 0; m < 2 * kTileRows; ++m) {
    const int row = row0 + warp_row + m * 8 + lane / 4;
    for (int n = 0; n < kTileCols; ++n) {
      const int col = col0 + warp_col + n * 8 + lane % 4 * 2;
      if (row >= M || col >= N) continue;
      float2* gC = reinterpret_cast<float2*>(C + static_cast<size_t>(row) * N + col);
      float2 c = beta == 0.0f ? float2{} : *gC;
      c.x = alpha * acc[m / 2][n][m % 2 * 2 + 0] + beta * c.x;
      c.y = alpha * acc[m / 2][n][m % 2 * 2 + 1] + beta * c.y;
      *gC = c;
    }
  }
}

}  // namespace ladder::tf32_mma
