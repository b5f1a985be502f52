// SPDX-License-Identifier: MIT
/// \file  ladder/14_every_shape/small_kernel.cuh
/// \brief For small or narrow products: each warp is a pipeline of its own, and the warps of a
///        block, or of a cluster of blocks, share K.
///
/// A product of 256 x 256 is over before producers have filled a ring: what counts is how soon
/// every SM multiplies, and how seldom it waits. So tiles are small, several blocks share an SM,
/// and all warps of a block work on one tile, each on k tiles that it copies for itself. No warp
/// reads what another has copied, so the main loop needs no block-wide barrier. At the end, sums
/// meet in shared memory.
///
/// A product with few rows or few columns is bound by DRAM, because each word of the large matrix
/// is used only a few times. A narrow tile that fits it leaves no lane idle, and its many stages
/// keep enough bytes in flight.
///
/// If even small tiles are fewer than the SMs, a *cluster* shares K: a few blocks that run at the
/// same time, on SMs close to each other. Its threads can read the shared memory of all its blocks
/// (*distributed shared memory*, DSMEM), and one barrier connects all of them.
///
/// Traffic  L2  4*M*N*K*(1/BM + 1/BN) bytes; between the SMs of a cluster, the sums of all
///          its blocks but one, 4*WARPS*BM*BN bytes each.
#pragma once

#include "common/device.cuh"
#include "common/ptx/cluster.cuh"
#include "common/ptx/cp_async.cuh"

namespace ladder::every_shape {

/// What one step of a warp's pipeline holds: kDepth of K.
template <int BM, int BN>
struct __align__(16) SmallStage {
  static constexpr int kDepth = 16;
  float A[BM][kDepth + 4];  // (BM, kDepth)  padded: rows that are read together differ in banks
  float B[kDepth][BN];      // (kDepth, BN)
};

/// \brief   C = alpha times the sums of all warps of all blocks of a cluster + beta*C. Each block
///          finishes an equal share of the tile.
/// \tparam  kVectors  a warp's sums in vectors of 16 bytes; vector i belongs to lane i % 32
/// \tparam  kRing     vectors from one warp's sums to those of the next
/// \param   sums      (WARPS, kRing)  in the shared memory of each block
/// \param   row0      first row of C in the tile; col0: its first column
template <int LANES_N, int TN, int WARPS, int CLUSTER, int kVectors, int kRing>
__device__ __forceinline__ void store_share(float4* sums, int rank, int row0, int col0, int M,
                                            int N, float alpha, float beta, float* C) {
  constexpr int LANES_M = 32 / LANES_N;
  constexpr int kShare = (kVectors + CLUSTER - 1) / CLUSTER;
  const int end = min((rank + 1) * kShare, kVectors);
  for (int i = rank * kShare + threadIdx.x; i < end; i += 32 * WARPS) {
    float4 c = {};
    for (int block = 0; block < CLUSTER; ++block) {
      const float4* from = sums + i;
      if constexpr (CLUSTER > 1) from = ptx::in_block(sums + i, block);
      for (int w = 0; w < WARPS; ++w) {
        const float4 sum = from[w * kRing];
        c.x += sum.x;
        c.y += sum.y;
        c.z += sum.z;
        c.w += sum.w;
      }
    }
    const int row = row0 + i % 32 / LANES_N + i / 32 / (TN / 4) * LANES_M;
    const int col = col0 + i % LANES_N * 4 + i / 32 % (TN / 4) * 4 * LANES_N;
    if (row < M && col < N) {
      float4* gC = reinterpret_cast<float4*>(C + static_cast<size_t>(row) * N + col);
      const float4 old = beta != 0.0f ? *gC : float4{};
      *gC = make_float4(alpha * c.x + beta * old.x, alpha * c.y + beta * old.y,
                        alpha * c.z + beta * old.z, alpha * c.w + beta * old.w);
    }
  }
}

/// \brief   C = alpha*A*B + beta*C; a tile of C, LANES_M*TM x 32/LANES_M*TN, per cluster; launched
///          as CLUSTER blocks per tile, tiles row by row.
/// \tparam  LANES_M  rows of lanes in a warp, which has 32 / LANES_M columns of them
/// \tparam  TM,TN    results per thread, over its warp's part of K; TN is a multiple of 4
/// \tparam  WARPS    warps of a block, all of which share K
/// \tparam  CLUSTER  blocks that share K
/// \tparam  STAGES   stages in each warp's ring, in dynamic shared memory
/// \tparam  BLOCKS   blocks that share an SM, if registers are the limit
/// \param   M        extent in elements, any value >= 1
/// \param   N,K      extents in elements, multiples of 4
/// \param   one      1, an argument so that the compiler does not know it: see kernel()
/// \param   A        (M, K) row-major, 16-byte aligned
/// \param   B        (K, N) row-major, 16-byte aligned
/// \param   C        (M, N) row-major, 16-byte aligned; not read when beta == 0
template <int LANES_M, int TM, int TN, int WARPS, int CLUSTER, int STAGES, int BLOCKS>
__global__ void __launch_bounds__(32 * WARPS, BLOCKS)
    small_kernel(int M, int N, int K, float one, float alpha, const float* A, const float* B,
                 float beta, float* C) {
  constexpr int LANES_N = 32 / LANES_M;
  constexpr int BM = LANES_M * TM;
  constexpr int BN = LANES_N * TN;
  using Stage = SmallStage<BM, BN>;
  constexpr int kDepth = Stage::kDepth;
  constexpr int kStep = kDepth * WARPS * CLUSTER;  // values of k that all warps multiply at a time

  // -- Where this thread works ---------------------------------------------------------------
  const int warp = threadIdx.x / 32;
  const int lane = threadIdx.x % 32;
  const int rank = CLUSTER == 1 ? 0 : ptx::cluster_rank();
  const int tiles_n = (N + BN - 1) / BN;
  const int row0 = blockIdx.x / CLUSTER / tiles_n * BM;
  const int col0 = blockIdx.x / CLUSTER % tiles_n * BN;
  const int lane_row = lane / LANES_N;
  const int lane_col = lane % LANES_N * 4;

  // -- Shared tiles and registers ------------------------------------------------------------
  extern __shared__ __align__(16) unsigned char shared_bytes[];
  Stage* const ring = reinterpret_cast<Stage*>(shared_bytes) + warp * STAGES;
  float acc[TM][TN] = {};  // (TM, TN)

  // -- Prologue: start all stages but one ----------------------------------------------------
  constexpr int kVectorsA = kDepth / 4;  // vectors in a row
  constexpr int kVectorsB = BN / 4;
  const int first_k = (rank * WARPS + warp) * kDepth;
  const int a_row = lane / kVectorsA;
  const int a_k = lane % kVectorsA * 4;
  int copy_k = first_k;  // where the next stage to copy begins
  const float* gA = A + static_cast<size_t>(row0 + a_row) * K + copy_k + a_k;
  const float* gB = B + static_cast<size_t>(copy_k) * N + col0;
  const auto fetch = [&](int stage) {
    if (copy_k < K) {
      for (int i = 0; i < BM; i += 32 / kVectorsA) {
        if (BM % (32 / kVectorsA) != 0 && a_row + i >= BM) break;
        ptx::cp_async_16(&ring[stage].A[a_row + i][a_k], gA + static_cast<size_t>(i) * K,
                         row0 + a_row + i < M && copy_k + a_k < K);
      }
      for (int i = 0; i < kDepth * kVectorsB; i += 32) {
        if (kDepth * kVectorsB % 32 != 0 && lane + i >= kDepth * kVectorsB) break;
        const int k = (lane + i) / kVectorsB;
        const int col = (lane + i) % kVectorsB * 4;
        ptx::cp_async_16(&ring[stage].B[k][col], gB + static_cast<size_t>(k) * N + col,
                         copy_k + k < K && col0 + col < N);
      }
    }
    ptx::cp_async_commit();  // past the end of K, an empty group
    gA += kStep;
    gB += static_cast<size_t>(kStep) * N;
    copy_k += kStep;
  };
  for (int stage = 0; stage < STAGES - 1; ++stage) {
    fetch(stage);
  }

  // -- Main loop over K ----------------------------------------------------------------------
  int stage = 0;
#pragma unroll 1
  for (int k0 = first_k; k0 < K; k0 += kStep) {
    ptx::cp_async_wait<STAGES - 2>();
    __syncwarp();  // all lanes' copies have arrived, and all have read the stage to fill next
    fetch(stage == 0 ? STAGES - 1 : stage - 1);
    const Stage& tile = ring[stage];
#pragma unroll
    for (int k4 = 0; k4 < kDepth; k4 += 4) {
      __align__(16) float rA[TM][4];  // (TM, 4)  along K, as A lies in memory
      for (int m = 0; m < TM; ++m) {
        *reinterpret_cast<float4*>(rA[m]) =
            *reinterpret_cast<const float4*>(&tile.A[lane_row + m * LANES_M][k4]);
      }
#pragma unroll
      for (int k = 0; k < 4; ++k) {
        __align__(16) float rB[TN];  // (TN)
        for (int n = 0; n < TN; n += 4) {
          *reinterpret_cast<float4*>(&rB[n]) =
              *reinterpret_cast<const float4*>(&tile.B[k4 + k][lane_col + n * LANES_N]);
        }
        for (int n = 0; n < TN; ++n) {
          for (int i = 0; i < TM; ++i) {
            const int m = n % 2 == 0 ? TM - 1 - i : i;  // serpentine order
            acc[m][n] += rA[m][k] * rB[n];
          }
        }
      }
    }
    stage = stage == STAGES - 1 ? 0 : stage + 1;
  }

  // -- Epilogue: C = alpha*acc + beta*C ------------------------------------------------------
  __syncwarp();  // all stages of this warp have been read: its sums take their place
  constexpr int kVectors = TM * TN / 4 * 32;
  constexpr int kRing = STAGES * sizeof(Stage) / sizeof(float4);
  static_assert(kVectors <= kRing, "the sums of a warp fit its ring");
  float4* const sums = reinterpret_cast<float4*>(shared_bytes);
  for (int m = 0; m < TM; ++m) {
    for (int n = 0; n < TN; n += 4) {
      sums[warp * kRing + (m * TN + n) / 4 * 32 + lane] = make_float4(
          one * acc[m][n + 0], one * acc[m][n + 1], one * acc[m][n + 2], one * acc[m][n + 3]);
    }
  }
  if constexpr (CLUSTER > 1) {
    ptx::cluster_sync();
  } else {
    __syncthreads();
  }
  store_share<LANES_N, TN, WARPS, CLUSTER, kVectors, kRing>(sums, rank, row0, col0, M, N, alpha,
                                                            beta, C);
  if constexpr (CLUSTER > 1) ptx::cluster_sync();  // the others have read this block's sums
}

}  // namespace ladder::every_shape
