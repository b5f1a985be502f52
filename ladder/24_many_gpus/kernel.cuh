// SPDX-License-Identifier: MIT
/// \file  ladder/24_many_gpus/kernel.cuh
/// \brief One product over several GPUs: copies and sums between them happen inside the kernel.
///
/// Rung 12 with a third kind of warps, the couriers (courier.cuh). When A is gathered, they fetch
/// the other ranks' rows while this rank's own are multiplied; producers wait for a row only if it
/// is not there yet. When C is scattered, they take each finished partial tile to the rank that
/// owns it and adds all ranks' parts, as rung 12 adds those of its blocks. So a link works while
/// SMs multiply, and no SM is set aside for it.
///
/// Traffic  L2  4*M*N*K*(1/BM + 1/BN) bytes of the rank's slice, and 8*BM*BN for each partial tile;
///          links  4*M*K*(ranks-1)/ranks bytes to each rank (gather), 4*M*N*(ranks-1)/ranks
///          (scatter).
#pragma once

#include "common/device.cuh"
#include "common/ptx/fence.cuh"
#include "common/ptx/mbarrier.cuh"
#include "common/ptx/registers.cuh"
#include "common/ptx/tma.cuh"
#include "common/stream_k_schedule.cuh"
#include "ladder/24_many_gpus/courier.cuh"
#include "ladder/24_many_gpus/fixup.cuh"
#include "ladder/24_many_gpus/producer.cuh"
#include "ladder/24_many_gpus/world.cuh"

namespace ladder::many_gpus {

/// \brief  This rank's part of C = alpha*A*B + beta*C, by at most as many blocks as there are SMs;
///         all run together, at the same time as the other ranks' kernels.
/// \tparam  BM,BN,BK  block tile in elements; BM is 128, BK is 8
/// \tparam  WM,WN     warp tile in elements; (BM/WM)*(BN/WN) consumer warps after 4 producers
///                    and 4 couriers
/// \tparam  TM,TN     thread tile in elements, multiples of 4; (WM/TM)*(WN/TN) is 32
/// \tparam  STAGES    stages in the ring, in dynamic shared memory; a multiple of 4
/// \tparam  BAND      block rows that consecutive tiles walk through before the next block column
/// \param   map_b     B as (K, N) with boxes of BK x BN
/// \param   N,K       of this rank's slice in elements, multiples of 4
/// \param   one       1, an argument so that the compiler does not know it: see the epilogue
/// \param   A         (padded rows, K) row-major, 16-byte aligned; gather: in this rank's window,
///                    and only its own rows are filled
/// \param   C         (M, N), or (own rows, N) when C is scattered; not read when beta == 0
/// \param   partials  (blocks, BM*BN) partial tiles
/// \param   flags     (blocks)  zero; 1 while a block's partial tile waits to be added
/// \param   stamps    NoStamps, or Stamps to record what takes time
template <int BM, int BN, int BK, int WM, int WN, int TM, int TN, int STAGES, int BAND,
          class Stamps>
__global__ void __launch_bounds__(32 * (kProducerWarps + kCourierWarps + (BM / WM) * (BN / WN)), 1)
    kernel(const __grid_constant__ ptx::TensorMap map_b, int N, int K, float one, float alpha,
           float* A, float beta, float* C, const __grid_constant__ Decomposition split,
           float4* partials, unsigned* flags, const __grid_constant__ World world,
           const __grid_constant__ Stamps stamps) {
  constexpr int kConsumerWarps = (BM / WM) * (BN / WN);
  constexpr int kConsumers = 32 * kConsumerWarps;
  constexpr int kWarpCols = BN / WN;  // columns of warps in a block tile
  constexpr int kLaneRows = WM / TM;  // rows of lanes in a warp tile
  constexpr int kLaneCols = WN / TN;  // columns of lanes in a warp tile
  static_assert(kLaneRows * kLaneCols == 32, "the lanes of a warp");
  using Stage = many_gpus::Stage<BM, BN, BK>;

  // -- Where this thread works ---------------------------------------------------------------
  const int warp = threadIdx.x / 32;
  const int lane = threadIdx.x % 32;
  const RankTileOrder<BM, BN, BAND> tiles = {world, (N + BN - 1) / BN};
  Schedule schedule(split);
  Part part = schedule.next();

  // -- Shared tiles and registers ------------------------------------------------------------
  extern __shared__ __align__(128) unsigned char shared[];
  auto* const stages = reinterpret_cast<Stage*>(shared);  // (STAGES)
  __shared__ unsigned shared_epoch;  // the number of this launch, the same on all ranks
  if (threadIdx.x == 0) {
    shared_epoch = atomicAdd(world.started, 1u) / gridDim.x + 1;
    for (int s = 0; s < STAGES; ++s) {
      ptx::mbarrier_init(&stages[s].full, 2);  // arrivals: the box of B, and A
      ptx::mbarrier_init(&stages[s].empty, kConsumerWarps);
    }
    ptx::fence_mbarrier_init();
  }
  __syncthreads();
  if (warp < kProducerWarps) {
    produce<STAGES>(stages, map_b, K, A, tiles, schedule, part, shared_epoch, stamps);
    return;
  }
  if (warp < kProducerWarps + kCourierWarps) {
    Bag& bag = *reinterpret_cast<Bag*>(shared + STAGES * sizeof(Stage));
    travel<BM, BN>(world, tiles, schedule, part, A, K, shared_epoch, bag, stamps);
    return;
  }

  // -- Consumer ------------------------------------------------------------------------------
  ptx::setmaxnreg_inc<184>();
  const int consumer_warp = warp - kProducerWarps - kCourierWarps;
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
  unsigned sent = 0;  // partial tiles left for the couriers
  ptx::mbarrier_wait(&stages->full, phase);
  read(0, 0);
  while (part.tile >= 0) {
    const unsigned long long begin = stamps.now();
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
    const RankTile tile = tiles(part.tile);
    const bool scatter = world.cut.form == Form::scatter;
    if (part.begin > 0) {  // a peer has the beginning of this tile's K
      store_partial<kConsumers>(c, consumer, partials, flags);
    } else if (scatter && tile.rank != world.cut.rank) {
      float4* const box = world.outbox + world.place(tile.rank, tile.index) * (BM * BN / 4);
      leave_for_couriers<kConsumers>(c, consumer, box, world.stored, ++sent);
    } else {
      if (scatter) add_ranks<kConsumers>(c, consumer, world, tile.index, shared_epoch);
      const size_t first_row = scatter ? 0 : static_cast<size_t>(tile.rank) * world.cut.rows();
      store_tile<kLaneRows, kLaneCols>(c, tile.row0 + thread_row, tile.col0 + thread_col,
                                       world.cut.rows_of(tile.rank), N, alpha, beta,
                                       C + first_row * N);
    }
    if (consumer == 0) stamps.add(kConsumerTrack, Work::tile, tile.rank, begin);
    part = schedule.next();
  }
}

}  // namespace ladder::many_gpus
