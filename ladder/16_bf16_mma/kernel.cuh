// SPDX-License-Identifier: MIT
/// \file  ladder/16_bf16_mma/kernel.cuh
/// \brief Half the bytes, twice the products, and operands that come a tile at a time.
///
/// Rung 15 rounds every word, and loads those of B one at a time: ldmatrix transposes elements of
/// 16 bits only. With BF16, two elements share a word, and an mma is 16 of K deep in place of 8.
/// All operands come in tiles of 8 x 8 elements, four in a load, also those of B, which have to be
/// transposed: 8 loads for 32 mma, and nothing to round. ldmatrix reads rows of 16 bytes; where a
/// piece of a row lies depends on the row (a swizzle), so that 8 rows of a column are in 32 banks.
///
/// Traffic  shared memory  (WM + WN)*2 bytes per warp and k, for WM*WN multiply-adds.
#pragma once

#include "common/device.cuh"
#include "common/ptx/cp_async.cuh"
#include "common/ptx/ldmatrix.cuh"
#include "common/ptx/mma.cuh"

namespace ladder::bf16_mma {

using bf16 = __nv_bfloat16;

/// A tile of A and one of B, in pieces of 8 elements, 16 bytes.
template <int BM, int BN, int BK>
struct Stage {
  bf16 A[BM][BK];  // (BM, BK)
  bf16 B[BK][BN];  // (BK, BN)

  static_assert(BK == 32, "two rows of A in 128 bytes");
  static_assert(BN % 64 == 0, "rows of B start in bank 0");
  /// The piece of A with (m, k). In all rows it is one of four: two rows later, another one.
  static __device__ int column_a(int m, int k) { return (k / 8 ^ m / 2 % 4) * 8; }
  /// The piece of B with (k, n): in the next row another one of eight.
  static __device__ int column_b(int k, int n) { return (n / 8 ^ k % 8) * 8; }
};

/// \brief   C = alpha*A*B + beta*C; one BM x BN block tile of C per thread block.
/// \tparam  BM,BN,BK  block tile in elements; BK is 32, BM*BK/8 and BK*BN/8 are multiples of the
///                    threads (1-D)
/// \tparam  WM,WN     warp tile in elements, multiples of 16; (BM/WM)*(BN/WN) warps
/// \tparam  STAGES    tiles in dynamic shared memory: one is read while the others are filled
/// \tparam  BAND      block rows that consecutive blocks walk through before the next block column
/// \param   M         extent in elements, any value >= 1
/// \param   N,K       extents in elements, multiples of 8
/// \param   A         (M, K) row-major, 16-byte aligned
/// \param   B         (K, N) row-major, 16-byte aligned
/// \param   C         (M, N) row-major, 16-byte aligned; not read when beta == 0
template <int BM, int BN, int BK, int WM, int WN, int STAGES, int BAND>
__global__ void __launch_bounds__(32 * (BM / WM) * (BN / WN), 1)
    kernel(int M, int N, int K, float alpha, const bf16* A, const bf16* B, float beta, bf16* C) {
  constexpr int kWarpCols = BN / WN;  // columns of warps in a block tile
  constexpr int kTileRows = WM / 16;  // rows of mma tiles in a warp tile
  constexpr int kTileCols = WN / 8;   // columns of mma tiles in a warp tile
  constexpr int kThreads = 32 * (BM / WM) * (BN / WN);
  using Stage = bf16_mma::Stage<BM, BN, BK>;

  // -- Where this thread works ---------------------------------------------------------------
  // Blocks start in the order of their index: down a column of BAND tiles, then the next column.
  const int row0 = (blockIdx.y * BAND + blockIdx.x % BAND) * BM;
  const int col0 = blockIdx.x / BAND * BN;
  const int warp = threadIdx.x / 32;
  const int lane = threadIdx.x % 32;
  const int warp_row = warp / kWarpCols * WM;
  const int warp_col = warp % kWarpCols * WN;
  const int a_m = threadIdx.x / (BK / 8);  // the first piece of A that this thread copies
  const int a_k = threadIdx.x % (BK / 8) * 8;
  const int b_k = threadIdx.x / (BN / 8);  // and its first piece of B
  const int b_n = threadIdx.x % (BN / 8) * 8;
  const bf16* gA = A + static_cast<size_t>(row0 + a_m) * K + a_k;
  const bf16* gB = B + static_cast<size_t>(b_k) * N + col0 + b_n;
  if (row0 >= M) return;  // the last band may extend below C

  // -- Shared tiles and registers ------------------------------------------------------------
  extern __shared__ __align__(128) unsigned char shared[];
  auto* const stages = reinterpret_cast<Stage*>(shared);  // (STAGES)
  float acc[kTileRows][kTileCols][4] = {};                // (WM/16, WN/8, 4)
  unsigned rA[2][kTileRows][4];                           // (2, WM/16, 4)   two elements each
  unsigned rB[2][kTileCols / 2][4];                       // (2, WN/16, 4)   of two mma tiles

  // -- Prologue: start all stages but one ----------------------------------------------------
  // A tile is copied in parts, one for each 16 of K that are multiplied meanwhile.
  constexpr int kParts = BK / 16;
  constexpr int kRowsA = 8 * kThreads / BK;  // that all threads copy at once
  constexpr int kRowsB = 8 * kThreads / BN;
  const auto fetch = [&](int stage, int part, int k0) {  // global to shared memory
    // Zeros beyond the edges add nothing.
    for (int m = part * BM / kParts; m < (part + 1) * BM / kParts; m += kRowsA) {
      bf16* const sA = &stages[stage].A[a_m + m][Stage::column_a(a_m, a_k)];
      ptx::cp_async_16(sA, gA, row0 + a_m + m < M && k0 < K - a_k);
      gA += static_cast<size_t>(kRowsA) * K;
    }
    for (int k = part * BK / kParts; k < (part + 1) * BK / kParts; k += kRowsB) {
      bf16* const sB = &stages[stage].B[b_k + k][Stage::column_b(b_k, b_n)];
      ptx::cp_async_16(sB, gB, k0 + k < K - b_k && col0 + b_n < N);
      gB += static_cast<size_t>(kRowsB) * N;
    }
    if (part == kParts - 1) {  // all parts are one group
      ptx::cp_async_commit();
      gA += BK - static_cast<size_t>(BM) * K;
    }
  };
  const auto read = [&](int buffer, const Stage& stage, int k0) {  // 16 of K, to registers
    const int k = k0 + lane % 16;  // the row of B that this lane names
    for (int n = 0; n < kTileCols / 2; ++n) {
      const int col = warp_col + n * 16 + lane / 16 * 8;
      ptx::ldmatrix<true>(rB[buffer][n], &stage.B[k][Stage::column_b(k, col)]);
    }
    for (int m = 0; m < kTileRows; ++m) {
      const int row = warp_row + m * 16 + lane % 16;  // and of A
      const int column = Stage::column_a(row, k0 + lane / 16 * 8);
      ptx::ldmatrix<false>(rA[buffer][m], &stage.A[row][column]);
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
    for (int k = 0; k < BK; k += 16) {
      const int buffer = k / 16 % 2;
      if (k + 16 == BK) {                  // the next k is in the next tile
        ptx::cp_async_wait<STAGES - 3>();  // the group of this tile is not complete
        __syncthreads();
        stage = stage == STAGES - 1 ? 0 : stage + 1;
      }
      read(1 - buffer, stages[stage], (k + 16) % BK);
      for (int m = 0; m < kTileRows; ++m) {
        for (int n = 0; n < kTileCols; ++n) {
          const unsigned b[] = {rB[buffer][n / 2][n % 2 * 2], rB[buffer][n / 2][n % 2 * 2 + 1]};
          ptx::mma_bf16(acc[m][n], rA[buffer][m], b);
        }
        if (m == kTileRows / 2) fetch(refilled, k / 16, k0 + (STAGES - 1) * BK);
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
      auto* gC = reinterpret_cast<__nv_bfloat162*>(C + static_cast<size_t>(row) * N + col);
      float2 c = beta == 0.0f ? float2{} : __bfloat1622float2(*gC);
      c.x = alpha * acc[m / 2][n][m % 2 * 2 + 0] + beta * c.x;
      c.y = alpha * acc[m / 2][n][m % 2 * 2 + 1] + beta * c.y;
      *gC = __float22bfloat162_rn(c);
    }
  }
}

}  // namespace ladder::bf16_mma
