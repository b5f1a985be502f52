// SPDX-License-Identifier: MIT
/// \file  ladder/13_shared_k/kernel.cuh
/// \brief Stream-K with smaller tiles as well: eight consumer warps on one k, or on 2, 4, 8 of
///        them.
///
/// Rung 12 has one tile, 128 x 256: a product of 1024 x 1024 has 32 of them for 132 SMs, and splits
/// each along K among four blocks. A smaller tile needs fewer splits, but not fewer consumers: here
/// the warps that a smaller tile would leave idle share its K. Their sums meet in shared memory
/// before they go to a peer or to C (sums.cuh).
///
/// Traffic  L2  4*M*N*K*(1/BM + 1/BN) bytes, and 8*BM*BN for each partial tile.
#pragma once

#include "common/device.cuh"
#include "common/ptx/fence.cuh"
#include "common/ptx/mbarrier.cuh"
#include "common/ptx/registers.cuh"
#include "common/ptx/tma.cuh"
#include "common/stream_k_schedule.cuh"
#include "ladder/13_shared_k/producer.cuh"
#include "ladder/13_shared_k/sums.cuh"

namespace ladder::shared_k {

/// \brief  C = alpha*c + beta*C, for `kRows` rows of a thread's results, starting at row `first`.
/// \param  row0,col0  place of the thread's first result in C; its results come in groups of 4 x 4
///                    that are kLaneRows and kLaneCols groups apart
template <int kLaneRows, int kLaneCols, int kRows, int TN>
__device__ __forceinline__ void store(const float (&c)[kRows][TN], int row0, int first, int col0,
                                      int M, int N, float alpha, float beta, float* C) {
  for (int m = 0; m < kRows; ++m) {
    const int i = first + m;
    const int row = row0 + i / 4 * 4 * kLaneRows + i % 4;
    for (int n = 0; n < TN; n += 4) {
      const int col = col0 + n * kLaneCols;
      if (row < M && col < N) {
        float4* gC = reinterpret_cast<float4*>(C + static_cast<size_t>(row) * N + col);
        const float4 old = beta != 0.0f ? *gC : float4{};
        *gC = make_float4(alpha * c[m][n + 0] + beta * old.x, alpha * c[m][n + 1] + beta * old.y,
                          alpha * c[m][n + 2] + beta * old.z, alpha * c[m][n + 3] + beta * old.w);
      }
    }
  }
}

/// \brief   C = alpha*A*B + beta*C by at most as many blocks as there are SMs; all run together.
/// \tparam  WARPS_M,WARPS_N,WARPS_K  consumer warps along M, N and K, 8 in all; each works on 64 x
///                   64, so the block tile is 64*WARPS_M x 64*WARPS_N
/// \tparam  STAGES   stages in the ring, in dynamic shared memory, 4 or more; then 64 x 32 floats
///                   per consumer warp if WARPS_K > 1
/// \tparam  BAND     block rows that consecutive tiles walk through before the next block column
/// \param   map_b    B as (K, N) with boxes of 8*WARPS_K x 64*WARPS_N
/// \param   M        extent in elements, any value >= 1
/// \param   N,K      extents in elements, multiples of 4
/// \param   one      1, an argument so that the compiler does not know it: see the epilogue
/// \param   A        (M, K) row-major, 16-byte aligned
/// \param   C        (M, N) row-major, 16-byte aligned; not read when beta == 0
/// \param   partials (blocks, BM*BN) partial tiles
/// \param   flags    (blocks)  zero; 1 while a block's partial tile waits to be added
template <int WARPS_M, int WARPS_N, int WARPS_K, int STAGES, int BAND>
__global__ void __launch_bounds__(32 * kProducerWarps + kConsumers, 1)
    kernel(const __grid_constant__ ptx::TensorMap map_b, int M, int N, int K, float one,
           float alpha, const float* A, float beta, float* C,
           const __grid_constant__ Decomposition split, float4* partials, unsigned* flags) {
  constexpr int WM = 64;
  constexpr int WN = 64;
  constexpr int TM = 8;
  constexpr int TN = 16;
  constexpr int kLaneRows = WM / TM;  // rows of lanes in a warp tile
  constexpr int kLaneCols = WN / TN;  // columns of lanes in a warp tile
  constexpr int BM = WM * WARPS_M;
  constexpr int BN = WN * WARPS_N;
  constexpr int kDepth = 8;  // values of k per warp in a stage
  constexpr int BK = kDepth * WARPS_K;
  constexpr int kFillerWarps = BM * BK / 32 / 32;  // producer warps that fill a stage
  constexpr int kRows = TM / WARPS_K;              // rows of results that a thread finishes
  static_assert(WARPS_M * WARPS_N * WARPS_K == kConsumerWarps);
  using Stage = shared_k::Stage<BM, BN, BK>;

  // -- Where this thread works ---------------------------------------------------------------
  const int warp = threadIdx.x / 32;
  const int lane = threadIdx.x % 32;
  const TileOrder<BM, BN, BAND> tiles = {(M + BM - 1) / BM, (N + BN - 1) / BN};
  Schedule schedule(split);
  Part part = schedule.next();

  // -- Shared tiles and registers ------------------------------------------------------------
  extern __shared__ __align__(128) unsigned char shared[];
  Stage* const stages = reinterpret_cast<Stage*>(shared);  // (STAGES)
  float4* const sums = reinterpret_cast<float4*>(stages + STAGES);
  if (threadIdx.x == 0) {
    for (int s = 0; s < STAGES; ++s) {
      ptx::mbarrier_init(&stages[s].full, 1 + kFillerWarps);
      ptx::mbarrier_init(&stages[s].empty, kConsumerWarps);
    }
    ptx::fence_mbarrier_init();
  }
  __syncthreads();

  if (warp < kProducerWarps) {
    produce<STAGES, WARPS_K>(stages, map_b, M, K, A, tiles, schedule, part);
  } else {
    // -- Consumer ----------------------------------------------------------------------------
    ptx::setmaxnreg_inc<208>();
    const int consumer = threadIdx.x - 32 * kProducerWarps;
    const int warp_k = (warp - kProducerWarps) / (WARPS_M * WARPS_N);
    const int warp_tile = (warp - kProducerWarps) % (WARPS_M * WARPS_N);
    const int thread_row = warp_tile / WARPS_N * WM + lane / kLaneCols * 4;
    const int thread_col = warp_tile % WARPS_N * WN + lane % kLaneCols * 4;
    __align__(16) float rA[2][TM];  // (2, TM)
    __align__(16) float rB[2][TN];  // (2, TN)
    unsigned offset = 0;            // byte offset of the stage to read
    int phase = 0;
    const float* sA = &stages->A[warp_k * kDepth][thread_row];
    const float* sB = &stages->B[warp_k * kDepth][thread_col];
    const auto read = [&](int buffer, int k) {
      for (int n = 0; n < TN; n += 4) {
        *reinterpret_cast<float4*>(&rB[buffer][n]) =
            *reinterpret_cast<const float4*>(sB + k * BN + n * kLaneCols);
      }
      for (int m = 0; m < TM; m += 4) {
        *reinterpret_cast<float4*>(&rA[buffer][m]) =
            *reinterpret_cast<const float4*>(sA + k * BM + m * kLaneRows);
      }
    };
    ptx::mbarrier_wait(&stages->full, phase);
    read(0, 0);
    while (part.tile >= 0) {
      float acc[TM][TN] = {};  // (TM, TN)

      // -- Main loop over K ------------------------------------------------------------------
#pragma unroll 1
      for (int k_tile = part.begin; k_tile < part.end; ++k_tile) {
        Stage* const stage = reinterpret_cast<Stage*>(shared + offset);
        offset += sizeof(Stage);
        if (offset == STAGES * sizeof(Stage)) {
          offset = 0;
          phase ^= 1;
        }
        Stage* const next = reinterpret_cast<Stage*>(shared + offset);
        ptx::mbarrier_wait(&next->full, phase);
#pragma unroll
        for (int k = 0; k < kDepth; ++k) {
          if (k + 1 == kDepth) {
            __syncwarp();  // all lanes have read this stage
            sA = &next->A[warp_k * kDepth][thread_row];
            sB = &next->B[warp_k * kDepth][thread_col];
          }
          read((k + 1) % 2, (k + 1) % kDepth);
          // The order decides how often operands of neighbours meet in a register bank.
          for (int i = 0; i < TM; ++i) {
            for (int j = 0; j < TN; ++j) {
              const int m = TM - 1 - i;
              const int n = i % 2 == 0 ? TN - 1 - j : j;  // serpentine order
              acc[m][n] += rA[k % 2][m] * rB[k % 2][n];
            }
          }
        }
        if (lane == 0) ptx::mbarrier_arrive(&stage->empty);
      }

      // -- Epilogue: C = alpha*acc + beta*C --------------------------------------------------
      // If we stored acc itself, ptxas would keep it in aligned quads of registers all through the
      // loop, in the same banks as the operands; one*acc can go to other registers.
      float c[kRows][TN];  // (kRows, TN)
      add_warps<WARPS_K>(acc, one, warp - kProducerWarps, warp_k, sums, c);
      // The many peers of a small tile add up in a tree; the first peer of a large tile adds all.
      constexpr bool kTree = WARPS_K > 1;
      if (part.begin > 0 ? kTree : part.end < split.k_tiles) {
        fixup<kTree>(c, part, split, schedule.rank, consumer, partials, flags);
      }
      if (part.begin > 0) {  // a peer has the beginning of this tile's K
        store_partial(c, consumer, partials, flags);
      } else {
        store<kLaneRows, kLaneCols>(c, tiles.row_of(part.tile) + thread_row, warp_k * kRows,
                                    tiles.col_of(part.tile) + thread_col, M, N, alpha, beta, C);
      }
      part = schedule.next();
    }
  }
}

}  // namespace ladder::shared_k
