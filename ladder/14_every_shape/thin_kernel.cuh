// SPDX-License-Identifier: MIT
/// \file  ladder/14_every_shape/thin_kernel.cuh
/// \brief For products with little K: many small blocks, so that some load while others store.
///
/// With K = 8 a tile is 8 multiply-adds per result and then a store: C is most of the traffic, and
/// nothing is left to overlap inside a block. So blocks overlap with each other: tiles are small
/// and registers few, so several blocks share an SM. All loads of a short K are in flight at once,
/// and the lanes of a warp store rows of 128 to 512 bytes.
///
/// With K = 100 a loop has few steps, and whatever a step costs besides its multiply-adds shows.
/// So a copy is one instruction, with pointers that are computed once; operands are read one k
/// ahead; and the last step multiplies only what is left of K.
///
/// Traffic  DRAM  4*(M*K + K*N + M*N) bytes; 4*M*N of them are the result.
#pragma once

#include "common/device.cuh"
#include "common/ptx/cp_async.cuh"

namespace ladder::every_shape {

/// What one step of a block holds: DEPTH of K.
template <int BM, int BN, int DEPTH>
struct __align__(16) ThinStage {
  float A[BM][DEPTH + 4];  // (BM, DEPTH)  padded: rows that are read together differ in banks
  float B[DEPTH][BN];      // (DEPTH, BN)
};

/// \brief  C = alpha*acc + beta*C for a thread's results.
/// \param  row0,col0  place of its first result; the next row is LANES_M further down, the next
///                    four columns are 32 / LANES_M groups of four to the right
template <int LANES_M, int TM, int TN>
__device__ __forceinline__ void store(const float (&acc)[TM][TN], int row0, int col0, int M, int N,
                                      float alpha, float beta, float* C) {
  for (int m = 0; m < TM; ++m) {
    const int row = row0 + m * LANES_M;
    for (int n = 0; n < TN; n += 4) {
      const int col = col0 + n * (32 / LANES_M);
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

/// \brief   C = alpha*A*B + beta*C; a tile of C, WARPS*LANES_M*TM x 32/LANES_M*TN, per block, tiles
///          row by row.
/// \tparam  LANES_M  rows of lanes in a warp, which has 32 / LANES_M columns of them
/// \tparam  TM,TN    results per thread; TN is a multiple of 4
/// \tparam  WARPS    rows of warps in a block
/// \tparam  DEPTH    values of k per stage, a multiple of 8
/// \tparam  STAGES   stages in the ring, in dynamic shared memory
/// \tparam  BLOCKS   blocks that share an SM, if registers are the limit
/// \param   M        extent in elements, any value >= 1
/// \param   N,K      extents in elements, multiples of 4
/// \param   A        (M, K) row-major, 16-byte aligned
/// \param   B        (K, N) row-major, 16-byte aligned
/// \param   C        (M, N) row-major, 16-byte aligned; not read when beta == 0
template <int LANES_M, int TM, int TN, int WARPS, int DEPTH, int STAGES, int BLOCKS>
__global__ void __launch_bounds__(32 * WARPS, BLOCKS)
    thin_kernel(int M, int N, int K, float alpha, const float* A, const float* B, float beta,
                float* C) {
  constexpr int LANES_N = 32 / LANES_M;
  constexpr int BM = WARPS * LANES_M * TM;
  constexpr int BN = LANES_N * TN;
  constexpr int kThreads = 32 * WARPS;
  using Stage = ThinStage<BM, BN, DEPTH>;

  // -- Where this thread works ---------------------------------------------------------------
  const int warp = threadIdx.x / 32;
  const int lane = threadIdx.x % 32;
  const int tiles_n = (N + BN - 1) / BN;
  const int row0 = blockIdx.x / tiles_n * BM;
  const int col0 = blockIdx.x % tiles_n * BN;
  const int thread_row = warp * LANES_M * TM + lane / LANES_N;
  const int thread_col = lane % LANES_N * 4;

  // -- Shared tiles and registers ------------------------------------------------------------
  extern __shared__ __align__(16) unsigned char shared_bytes[];
  Stage* const ring = reinterpret_cast<Stage*>(shared_bytes);  // (STAGES)
  float acc[TM][TN] = {};                                      // (TM, TN)

  // -- Prologue: start all stages but one ----------------------------------------------------
  constexpr int kVectorsA = DEPTH / 4;  // vectors in a row
  constexpr int kVectorsB = BN / 4;
  constexpr int kRowsA = kThreads / kVectorsA;  // rows that the block copies at a time
  constexpr int kRowsB = kThreads / kVectorsB;
  static_assert(kThreads % kVectorsB == 0 && DEPTH % kRowsB == 0);
  const int a_m = threadIdx.x / kVectorsA;
  const int a_k = threadIdx.x % kVectorsA * 4;
  const int b_k = threadIdx.x / kVectorsB;
  const int b_n = threadIdx.x % kVectorsB * 4;
  const float* gA = A + static_cast<size_t>(row0 + a_m) * K + a_k;
  const float* gB = B + static_cast<size_t>(b_k) * N + col0 + b_n;
  int left = K;  // values of k that no stage has yet
  const auto fetch = [&](Stage& stage) {
    // Rows and columns outside get zeros; along K, we copy only what there is.
    for (int m = 0; m < BM; m += kRowsA) {
      if (BM % kRowsA != 0 && a_m + m >= BM) break;
      if (a_k < left) {
        ptx::cp_async_16(&stage.A[a_m + m][a_k], gA + static_cast<size_t>(m) * K,
                         row0 + a_m + m < M);
      }
    }
    for (int k = 0; k < DEPTH; k += kRowsB) {
      if (b_k + k < left) {
        ptx::cp_async_16(&stage.B[b_k + k][b_n], gB + static_cast<size_t>(k) * N, col0 + b_n < N);
      }
    }
    ptx::cp_async_commit();
    gA += DEPTH;
    gB += static_cast<size_t>(DEPTH) * N;
    left -= DEPTH;
  };
  for (int stage = 0; stage < STAGES - 1; ++stage) {
    fetch(ring[stage]);
  }

  // -- Main loop over K ----------------------------------------------------------------------
  __align__(16) float rA[2][TM][4];  // (2, TM, 4)  along K, as A lies in memory
  __align__(16) float rB[2][TN];     // (2, TN)
  const float* sA = nullptr;         // this thread's part of the stage
  const float* sB = nullptr;
  const auto read_a = [&](int k) {
    for (int m = 0; m < TM; ++m) {
      *reinterpret_cast<float4*>(rA[k / 4 % 2][m]) =
          *reinterpret_cast<const float4*>(sA + m * LANES_M * (DEPTH + 4) + k);
    }
  };
  const auto read_b = [&](int k) {
    for (int n = 0; n < TN; n += 4) {
      *reinterpret_cast<float4*>(&rB[k % 2][n]) =
          *reinterpret_cast<const float4*>(sB + k * BN + n * LANES_N);
    }
  };
  const auto multiply = [&](int k) {
    for (int n = 0; n < TN; ++n) {
      for (int i = 0; i < TM; ++i) {
        const int m = n % 2 == 0 ? TM - 1 - i : i;  // serpentine order
        acc[m][n] += rA[k / 4 % 2][m][k % 4] * rB[k % 2][n];
      }
    }
  };
  int stage = 0;
#pragma unroll 1
  for (int k0 = 0; k0 < K; k0 += DEPTH) {
    ptx::cp_async_wait<STAGES - 2>();
    __syncthreads();  // all copies have arrived, and all have read the stage to fill next
    fetch(ring[stage == 0 ? STAGES - 1 : stage - 1]);
    sA = &ring[stage].A[thread_row][0];
    sB = &ring[stage].B[0][thread_col];
    if (k0 + DEPTH <= K) {
      read_a(0);
      read_b(0);
#pragma unroll
      for (int k = 0; k < DEPTH; ++k) {
        if (k % 4 == 0 && k + 4 < DEPTH) read_a(k + 4);
        if (k + 1 < DEPTH) read_b(k + 1);
        multiply(k);
      }
    } else {  // the rest of K, four at a time
#pragma unroll 1
      for (int k = k0; k < K; k += 4) {
        read_a(0);
#pragma unroll
        for (int i = 0; i < 4; ++i) {
          read_b(i);
          multiply(i);
        }
        sA += 4;
        sB += 4 * BN;
      }
    }
    stage = stage == STAGES - 1 ? 0 : stage + 1;
  }

  // -- Epilogue: C = alpha*acc + beta*C ------------------------------------------------------
  store<LANES_M>(acc, row0 + thread_row, col0 + thread_col, M, N, alpha, beta, C);
}

}  // namespace ladder::every_shape
