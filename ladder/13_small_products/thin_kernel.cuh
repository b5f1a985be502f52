// SPDX-License-Identifier: MIT
/// \file  ladder/13_small_products/thin_kernel.cuh
/// \brief For products with little K: many small blocks, so that some load while others store.
///
/// With K = 8 a tile is 8 multiply-adds per result and then a store: C is most of the traffic, and
/// nothing is left to overlap inside a block. So the overlap is between blocks: tiles and registers
/// are few enough that up to eight blocks share an SM. All loads of a short K are on their way at
/// once, and the lanes of a warp store rows of 256 or 512 bytes.
///
/// Traffic  DRAM  4*(M*K + K*N + M*N) bytes, of which 4*M*N are the result.
#pragma once

#include "common/device.cuh"
#include "common/ptx/cp_async.cuh"

namespace ladder::small_products {

/// What one step of a block holds: kDepth of K.
template <int BM, int BN>
struct __align__(16) ThinStage {
  static constexpr int kDepth = 16;
  float A[BM][kDepth + 4];  // (BM, kDepth)  padded: rows that are read together differ in banks
  float B[kDepth][BN];      // (kDepth, BN)
};

/// \brief   C = alpha*A*B + beta*C; a tile of C, WARPS*LANES_M*TM x 32/LANES_M*TN, per block, tiles
///          row by row.
/// \tparam  LANES_M  lanes of a warp below each other; the others lie beside each other
/// \tparam  TM,TN    results per thread; TN is a multiple of 4
/// \tparam  WARPS    of a block, below each other
/// \tparam  STAGES   of the ring, in dynamic shared memory
/// \tparam  BLOCKS   that share an SM, as far as registers go
/// \param   M        extent in elements, any value >= 1
/// \param   N,K      extents in elements, multiples of 4
/// \param   A        (M, K) row-major, 16-byte aligned
/// \param   B        (K, N) row-major, 16-byte aligned
/// \param   C        (M, N) row-major, 16-byte aligned; not read when beta == 0
template <int LANES_M, int TM, int TN, int WARPS, int STAGES, int BLOCKS>
__global__ void __launch_bounds__(32 * WARPS, BLOCKS)
    thin_kernel(int M, int N, int K, float alpha, const float* A, const float* B, float beta,
                float* C) {
  constexpr int LANES_N = 32 / LANES_M;
  constexpr int BM = WARPS * LANES_M * TM;
  constexpr int BN = LANES_N * TN;
  constexpr int kThreads = 32 * WARPS;
  using Stage = ThinStage<BM, BN>;
  constexpr int kDepth = Stage::kDepth;

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
  const auto fetch = [&](int stage, int k0) {
    // Zeros in rows and columns outside; of K, only what there is.
    for (int i = threadIdx.x; i < BM * kDepth / 4; i += kThreads) {
      const int m = i / (kDepth / 4);
      const int k = i % (kDepth / 4) * 4;
      if (k0 + k < K) {
        ptx::cp_async_16(&ring[stage].A[m][k], A + static_cast<size_t>(row0 + m) * K + k0 + k,
                         row0 + m < M);
      }
    }
    for (int i = threadIdx.x; i < kDepth * BN / 4; i += kThreads) {
      const int k = i / (BN / 4);
      const int n = i % (BN / 4) * 4;
      if (k0 + k < K) {
        ptx::cp_async_16(&ring[stage].B[k][n], B + static_cast<size_t>(k0 + k) * N + col0 + n,
                         col0 + n < N);
      }
    }
    ptx::cp_async_commit();
  };
  for (int stage = 0; stage < STAGES - 1; ++stage) {
    fetch(stage, stage * kDepth);
  }

  // -- Main loop over K ----------------------------------------------------------------------
  int stage = 0;
#pragma unroll 1
  for (int k0 = 0; k0 < K; k0 += kDepth) {
    ptx::cp_async_wait<STAGES - 2>();
    __syncthreads();  // all copies are here, and all have read the stage that is filled next
    fetch(stage == 0 ? STAGES - 1 : stage - 1, k0 + (STAGES - 1) * kDepth);
    const Stage& tile = ring[stage];
    const int depth = min(kDepth, K - k0);
#pragma unroll 1
    for (int k4 = 0; k4 < depth; k4 += 4) {
      __align__(16) float rA[TM][4];  // (TM, 4)  along K, as A lies in memory
      for (int m = 0; m < TM; ++m) {
        *reinterpret_cast<float4*>(rA[m]) =
            *reinterpret_cast<const float4*>(&tile.A[thread_row + m * LANES_M][k4]);
      }
#pragma unroll
      for (int k = 0; k < 4; ++k) {
        __align__(16) float rB[TN];  // (TN)
        for (int n = 0; n < TN; n += 4) {
          *reinterpret_cast<float4*>(&rB[n]) =
              *reinterpret_cast<const float4*>(&tile.B[k4 + k][thread_col + n * LANES_N]);
        }
        for (int n = 0; n < TN; ++n) {
          for (int i = 0; i < TM; ++i) {
            const int m = n % 2 == 0 ? TM - 1 - i : i;  // serpentine: there and back
            acc[m][n] += rA[m][k] * rB[n];
          }
        }
      }
    }
    stage = stage == STAGES - 1 ? 0 : stage + 1;
  }

  // -- Epilogue: C = alpha*acc + beta*C ------------------------------------------------------
  for (int m = 0; m < TM; ++m) {
    const int row = row0 + thread_row + m * LANES_M;
    for (int n = 0; n < TN; n += 4) {
      const int col = col0 + thread_col + n * LANES_N;
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

}  // namespace ladder::small_products
