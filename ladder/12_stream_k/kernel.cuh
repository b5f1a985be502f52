// SPDX-License-Identifier: MIT
/// \file  ladder/12_stream_k/kernel.cuh
/// \brief One block per SM; whole tiles first, then equal shares of what is left, split along K.
///
/// Rung 11 needs as many waves as its tiles fill, and the last one is rarely full: 133 tiles take
/// 132 SMs as long as 264. Here each SM has one block, which stays. The k tiles of the last,
/// incomplete wave form one long row, and each block takes an equal share of it (schedule.cuh).
/// Each peer of a tile computes a partial tile; one peer adds them up (fixup.cuh). Producers fill
/// stages for the next part while consumers finish this one.
///
/// Traffic  L2  4*M*N*K*(1/BM + 1/BN) bytes, and 8*BM*BN for each partial tile.
#pragma once

#include "common/device.cuh"
#include "common/ptx/fence.cuh"
#include "common/ptx/mbarrier.cuh"
#include "common/ptx/registers.cuh"
#include "common/ptx/tma.cuh"
#include "common/stream_k_schedule.cuh"
#include "ladder/12_stream_k/fixup.cuh"
#include "ladder/12_stream_k/producer.cuh"

namespace ladder::stream_k {

/// \brief  C = alpha*A*B + beta*C by at most as many blocks as there are SMs; all run together.
/// \tparam  BM,BN,BK  block tile in elements; BM is 128, BK is 8
/// \tparam  WM,WN     warp tile in elements; (BM/WM)*(BN/WN) consumer warps after 4 producers
/// \tparam  TM,TN     thread tile in elements, multiples of 4; (WM/TM)*(WN/TN) is 32
/// \tparam  STAGES    stages in the ring, in dynamic shared memory; a multiple of 4
/// \tparam  BAND      block rows that consecutive tiles walk through before the next block column
/// \param   map_b     B as (K, N) with boxes of BK x BN
/// \param   M         extent in elements, any value >= 1
/// \param   N,K       extents in elements, multiples of 4
/// \param   one       1, an argument so that the compiler does not know it: see the epilogue
/// \param   A         (M, K) row-major, 16-byte aligned
/// \param   C         (M, N) row-major, 16-byte aligned; not read when beta == 0
/// \param   partials  (blocks, BM*BN) partial tiles
/// \param   flags     (blocks)  zero; 1 while a block's partial tile waits to be added
template <int BM, int BN, int BK, int WM, int WN, int TM, int TN, int STAGES, int BAND>
__global__ void __launch_bounds__(32 * (kProducerWarps + (BM / WM) * (BN / WN)), 1)
    kernel(const __grid_constant__ ptx::TensorMap map_b, int M, int N, int K, float one,
           float alpha, const float* A, float beta, float* C,
           const __grid_constant__ Decomposition split, float4* partials, unsigned* flags) {
  constexpr int kConsumerWarps = (BM / WM) * (BN / WN);
  constexpr int kConsumers = 32 * kConsumerWarps;
  constexpr int kWarpCols = BN / WN;  // columns of warps in a block tile
  constexpr int kLaneRows = WM / TM;  // rows of lanes in a warp tile
  constexpr int kLaneCols = WN / TN;  // columns of lanes in a warp tile
  static_assert(kLaneRows * kLaneCols == 32, "the lanes of a warp");
  using Stage = stream_k::Stage<BM, BN, BK>;

  // -- Where this thread works ---------------------------------------------------------------
  const int warp = threadIdx.x / 32;
  const int lane = threadIdx.x % 32;
  const TileOrder<BM, BN, BAND> tiles = {(M + BM - 1) / BM, (N + BN - 1) / BN};
  Schedule schedule(split);
  Part part = schedule.next();

  // -- Shared tiles and registers ------------------------------------------------------------
  extern __shared__ __align__(128) unsigned char shared[];
  auto* const stages = reinterpret_cast<Stage*>(shared);  // (STAGES)
  if (threadIdx.x == 0) {
    for (int s = 0; s < STAGES; ++s) {
      ptx::mbarrier_init(&stages[s].full, 2);  // arrivals: the box of B, and A
      ptx::mbarrier_init(&stages[s].empty, kConsumerWarps);
    }
    ptx::fence_mbarrier_init();
  }
  __syncthreads();
  if (warp < kProducerWarps) {
    produce<STAGES>(stages, map_b, M, K, A, tiles, schedule, part);
    return;
  }

  // -- Consumer ------------------------------------------------------------------------------
  ptx::setmaxnreg_inc<208>();
  const int consumer_warp = warp - kProducerWarps;
  const int consumer = 32 * consumer_warp + lane;
  const int thread_row = consumer_warp / kWarpCols * WM + lane / kLaneCols * 4;
  const int thread_col = consumer_warp % kWarpCols * WN + lane % kLaneCols * 4;
  __align__(16) float rA[2][TM];  // (2, TM)
  __align__(16) float rB[2][TN];  // (2, TN)
  const float* sA = &stages->A[0][thread_row];
  const float* sB = &stages->B[0][thread_col];
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
  unsigned offset = 0;  // byte offset of the stage to read
  int phase = 0;
  ptx::mbarrier_wait(&stages->full, phase);
  read(0, 0);
  while (part.tile >= 0) {
    float acc[TM][TN] = {};  // (TM, TN)

    // -- Main loop over K --------------------------------------------------------------------
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
      for (int k = 0; k < BK; ++k) {
        if (k + 1 == BK) {
          __syncwarp();  // all lanes have read this stage
          sA = &next->A[0][thread_row];
          sB = &next->B[0][thread_col];
        }
        read((k + 1) % 2, (k + 1) % BK);
        for (int n = 0; n < TN; ++n) {
          for (int i = 0; i < TM; ++i) {
            const int m = n % 2 == 0 ? TM - 1 - i : i;  // serpentine order
            acc[m][n] += rA[k % 2][m] * rB[k % 2][n];
          }
        }
      }
      if (lane == 0) ptx::mbarrier_arrive(&stage->empty);
    }

    // -- Epilogue: C = alpha*acc + beta*C ----------------------------------------------------
    // If we stored acc itself, ptxas would keep it in aligned quads of registers all through the
    // loop, in the same banks as the operands; one*acc can go to other registers.
    float c[TM][TN];  // (TM, TN)
    for (int m = 0; m < TM; ++m) {
      for (int n = 0; n < TN; ++n) {
        c[m][n] = one * acc[m][n];
      }
    }
    if (part.begin == 0 && part.end < split.k_tiles) {
      const int row_of_k_tiles = (part.tile - split.first_split) * split.k_tiles;
      const int last = split.rank_of(row_of_k_tiles + split.k_tiles - 1);
      fixup<kConsumers>(c, last - schedule.rank, consumer, partials, flags);
    }
    if (part.begin > 0) {  // a peer has the beginning of this tile's K
      store_partial<kConsumers>(c, consumer, partials, flags);
    } else {
      store_tile<kLaneRows, kLaneCols>(c, tiles.row_of(part.tile) + thread_row,
                                       tiles.col_of(part.tile) + thread_col, M, N, alpha, beta, C);
    }
    part = schedule.next();
  }
}

}  // namespace ladder::stream_k
