// SPDX-License-Identifier: MIT
/// \file  ladder/12_stream_k/kernel.cuh
/// \brief One block per SM; whole tiles first, then equal shares of what is left, split along K.
///
/// Rung 11 needs as many waves as its tiles fill, and the last one is rarely full: 133 tiles take
/// 132 SMs as long as 264. Here each SM has one block, which stays. The k tiles of the last,
/// incomplete wave form one long row, and each block takes an equal share of it (schedule.cuh).
/// A tile's peers each have a partial tile; one of them adds these up (fixup.cuh). Producers fill
/// stages for the next part while consumers finish this one.
///
/// Traffic  L2  4*M*N*K*(1/BM + 1/BN) bytes, and 8*BM*BN for each partial tile.
#pragma once

#include "common/device.cuh"
#include "common/ptx/fence.cuh"
#include "common/ptx/mbarrier.cuh"
#include "common/ptx/registers.cuh"
#include "common/ptx/tma.cuh"
#include "ladder/12_stream_k/fixup.cuh"
#include "ladder/12_stream_k/schedule.cuh"

namespace ladder::stream_k {

/// How many warps only load.
constexpr int kProducerWarps = 4;

/// What one step of the pipeline holds: BK of K.
template <int BM, int BN, int BK>
struct __align__(128) Stage {
  float A[BK][BM];      // (BK, BM)  A transposed
  float B[BK][BN];      // (BK, BN)
  ptx::Mbarrier full;   // the stage has been filled
  ptx::Mbarrier empty;  // the stage has been read
};

/// \brief  A producer warp: fills every fourth stage, and loads for its next while others store.
/// \param  stages  (STAGES)  the ring in shared memory
/// \param  part    the first of this block's parts; `schedule` has the others
template <int STAGES, int BM, int BN, int BK, class TileOrder>
__device__ __forceinline__ void produce(Stage<BM, BN, BK>* stages, const ptx::TensorMap& map_b,
                                        int M, int K, const float* A, const TileOrder& tiles,
                                        Schedule& schedule, Part part) {
  using Stage = stream_k::Stage<BM, BN, BK>;
  static_assert(BM == 4 * 32 && BK % 4 == 0, "4 x 4 blocks of A for the lanes of a producer");
  static_assert(STAGES % kProducerWarps == 0, "a producer warp has stages of its own");

  // -- Producer ------------------------------------------------------------------------------
  ptx::setmaxnreg_dec<88>();
  const int warp = threadIdx.x / 32;
  const int lane = threadIdx.x % 32;
  const int a_m = lane * 4;  // a thread has 4 x 4 blocks of A beside each other
  int k0 = 0;                // of the next stage
  const float* gA[4];        // this thread's rows there
  int col0 = 0;
  const auto start_part = [&] {  // at part.begin, which may lie in a later part
    while (part.tile >= 0 && part.begin >= part.end) {
      const int behind = part.begin - part.end;
      part = schedule.next();
      part.begin += behind;
    }
    if (part.tile < 0) return;
    k0 = part.begin * BK;
    col0 = tiles.col_of(part.tile);
    for (int m = 0; m < 4; ++m) {
      // Rows below A may hold anything, as those of C are not stored: take the last of A.
      const int row = min(tiles.row_of(part.tile) + a_m + m, M - 1);
      gA[m] = A + static_cast<size_t>(row) * K + k0;
    }
  };
  float4 a[BK / 4][4];
  const auto fetch = [&] {
    if (k0 + BK <= K) {
      for (int k = 0; k < BK; k += 4) {
        for (int m = 0; m < 4; ++m) {
          a[k / 4][m] = *reinterpret_cast<const float4*>(gA[m] + k);
        }
      }
    } else {  // zeros beyond the edge add nothing
      for (int k = 0; k < BK; k += 4) {
        for (int m = 0; m < 4; ++m) {
          a[k / 4][m] = k0 + k < K ? *reinterpret_cast<const float4*>(gA[m] + k) : float4{};
        }
      }
    }
    for (int m = 0; m < 4; ++m) {
      gA[m] += kProducerWarps * BK;
    }
  };
  unsigned offset = warp * sizeof(Stage);  // of the stage to fill, in bytes
  int phase = 1;
  part.begin += warp;
  start_part();
  if (part.tile >= 0) fetch();
  while (part.tile >= 0) {
    Stage* const stage =
        reinterpret_cast<Stage*>(reinterpret_cast<unsigned char*>(stages) + offset);
    ptx::mbarrier_wait(&stage->empty, phase);
    if (lane == 0) {
      ptx::mbarrier_arrive_expect(&stage->full, sizeof stage->B);
      ptx::tma_load(stage->B, map_b, k0, col0, &stage->full);
    }
    for (int k = 0; k < BK; k += 4) {
      float* const sA = &stage->A[k][a_m];
      const float4* r = a[k / 4];
      *reinterpret_cast<float4*>(sA + 0 * BM) = make_float4(r[0].x, r[1].x, r[2].x, r[3].x);
      *reinterpret_cast<float4*>(sA + 1 * BM) = make_float4(r[0].y, r[1].y, r[2].y, r[3].y);
      *reinterpret_cast<float4*>(sA + 2 * BM) = make_float4(r[0].z, r[1].z, r[2].z, r[3].z);
      *reinterpret_cast<float4*>(sA + 3 * BM) = make_float4(r[0].w, r[1].w, r[2].w, r[3].w);
    }
    __syncwarp();
    if (lane == 0) ptx::mbarrier_arrive(&stage->full);
    offset += kProducerWarps * sizeof(Stage);
    if (offset >= STAGES * sizeof(Stage)) {
      offset -= STAGES * sizeof(Stage);
      phase ^= 1;
    }
    part.begin += kProducerWarps;
    k0 += kProducerWarps * BK;
    if (part.begin >= part.end) start_part();
    if (part.tile >= 0) fetch();
  }
  // Consumers read one row ahead, also behind the last stage: let them find zeros.
  if (part.begin == 0) {
    Stage* const stage =
        reinterpret_cast<Stage*>(reinterpret_cast<unsigned char*>(stages) + offset);
    ptx::mbarrier_wait(&stage->empty, phase);
    for (int i = lane; i < BN; i += 32) {
      if (i < BM) stage->A[0][i] = 0.0f;
      stage->B[0][i] = 0.0f;
    }
    __syncwarp();
    if (lane < 2) ptx::mbarrier_arrive(&stage->full);
  }
}

/// \brief  C = alpha*A*B + beta*C by at most as many blocks as there are SMs; all run together.
/// \tparam  BM,BN,BK  block tile in elements; BM is 128, BK is 8
/// \tparam  WM,WN     warp tile in elements; (BM/WM)*(BN/WN) consumer warps behind 4 producers
/// \tparam  TM,TN     thread tile in elements, multiples of 4; (WM/TM)*(WN/TN) is 32
/// \tparam  STAGES    of the ring, in dynamic shared memory; a multiple of 4
/// \tparam  BAND      block rows that consecutive tiles walk through before the next block column
/// \param   map_b     B as (K, N) with boxes of BK x BN
/// \param   M         extent in elements, any value >= 1
/// \param   N,K       extents in elements, multiples of 4
/// \param   A         (M, K) row-major, 16-byte aligned
/// \param   C         (M, N) row-major, 16-byte aligned; not read when beta == 0
/// \param   partials  (blocks, BM*BN) partial tiles
/// \param   flags     (blocks)  zero; 1 while a block's partial tile waits to be added
template <int BM, int BN, int BK, int WM, int WN, int TM, int TN, int STAGES, int BAND>
__global__ void __launch_bounds__(32 * (kProducerWarps + (BM / WM) * (BN / WN)), 1)
    kernel(const __grid_constant__ ptx::TensorMap map_b, int M, int N, int K, float alpha,
           const float* A, float beta, float* C, const __grid_constant__ Decomposition split,
           float4* partials, unsigned* flags) {
  constexpr int kConsumerWarps = (BM / WM) * (BN / WN);
  constexpr int kConsumers = 32 * kConsumerWarps;
  constexpr int kWarpCols = BN / WN;  // warps beside each other
  constexpr int kLaneRows = WM / TM;  // lanes below each other
  constexpr int kLaneCols = WN / TN;  // lanes beside each other
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
      ptx::mbarrier_init(&stages[s].full, 2);  // the box, the rest
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
  unsigned offset = 0;  // of the stage to read, in bytes
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
            const int m = n % 2 == 0 ? TM - 1 - i : i;  // serpentine: there and back
            acc[m][n] += rA[k % 2][m] * rB[k % 2][n];
          }
        }
      }
      if (lane == 0) ptx::mbarrier_arrive(&stage->empty);
    }

    // -- Epilogue: C = alpha*acc + beta*C ----------------------------------------------------
    // Sums stored as they are would have to lie in aligned quads of registers all through the
    // loop, in the same banks as the operands; alpha*acc may lie elsewhere.
    float c[TM][TN];  // (TM, TN)
    for (int m = 0; m < TM; ++m) {
      for (int n = 0; n < TN; ++n) {
        c[m][n] = alpha * acc[m][n];
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
                                       tiles.col_of(part.tile) + thread_col, M, N, beta, C);
    }
    part = schedule.next();
  }
}

}  // namespace ladder::stream_k
