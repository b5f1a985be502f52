// SPDX-License-Identifier: MIT
/// \file  ladder/24_many_gpus/bf16_kernel.cuh
/// \brief One product over several GPUs in BF16: rung 19, whose idle warps are couriers.
///
/// In rung 19, one thread of the first warpgroup loads, and its other three warps do nothing. Here
/// they travel (bf16_courier.cuh). When A is gathered, they fetch other ranks' rows in parcels,
/// along K, and the producer waits for a chunk of K at a time. When C is scattered, they take
/// finished tiles, rounded to BF16, to the rank that adds them in FP32 and rounds once more.
///
/// Traffic  L2  2*M*N*K*(1/(2*BM) + 1/BN) bytes of the rank's slice, and 2*BM*BN twice for each
///          tile of another rank's; links  2*M*K*(ranks-1)/ranks bytes to each rank (gather),
///          2*M*N*(ranks-1)/ranks (scatter).
#pragma once

#include "common/device.cuh"
#include "common/ptx/cluster.cuh"
#include "common/ptx/fence.cuh"
#include "common/ptx/mbarrier.cuh"
#include "common/ptx/registers.cuh"
#include "common/ptx/tma.cuh"
#include "common/ptx/wgmma.cuh"
#include "ladder/24_many_gpus/bf16_courier.cuh"
#include "ladder/24_many_gpus/bf16_producer.cuh"
#include "ladder/24_many_gpus/bf16_results.cuh"
#include "ladder/24_many_gpus/world.cuh"

namespace ladder::many_gpus {

/// \brief   This rank's part of C = alpha*A*B + beta*C. All blocks run together, at the same time
///          as the other ranks' kernels; clusters take tiles of 2*BM x BN in turn.
/// \tparam  FORM      what travels: rows of A, or tiles of C
/// \tparam  BM,BN,BK  block tile in elements; BM is 128, BN a multiple of 128 up to 256, BK is 64
/// \tparam  STAGES    stages in the ring, in dynamic shared memory
/// \tparam  BAND      pairs of block rows that consecutive tiles walk through
/// \param   map_a     A as (rows of all ranks, K) with boxes of BM x BK
/// \param   map_b     B as (K, N) with boxes of BK x 64
/// \param   map_c     C with boxes of 64 x 64
/// \param   count     tiles of all ranks
/// \param   N,K       of this rank's slice in elements, multiples of 8
/// \param   A         (padded rows, K)  gather: in this rank's window, its own rows are filled
/// \param   C         (M, N), or (own rows, N) when C is scattered; not read when beta == 0
/// \param   stamps    NoStamps, or Stamps to record what takes time
template <Form FORM, int BM, int BN, int BK, int STAGES, int BAND, class Stamps>
__global__ void __launch_bounds__(128 + BM / 64 * 128, 1)
    bf16_kernel(const __grid_constant__ ptx::TensorMap map_a,
                const __grid_constant__ ptx::TensorMap map_b,
                const __grid_constant__ ptx::TensorMap map_c, int count, int N, int K, float alpha,
                bf16* A, float beta, bf16* C, const __grid_constant__ World world,
                const __grid_constant__ Stamps stamps) {
  constexpr int kConsumerGroups = BM / 64;
  constexpr int kConsumers = 128 * kConsumerGroups;
  constexpr int kTileVectors = BM * BN / kVectorSums;
  static_assert(BK == kBoxColumns, "rows of A, too, are 128 bytes");
  using Stage = Bf16Stage<BM, BN, BK>;

  // -- Where this thread works ---------------------------------------------------------------
  const RankTileOrder<kPair * BM, BN, BAND> tiles = {world, (N + BN - 1) / BN};
  const int k_tiles = (K + BK - 1) / BK;
  const int warpgroup = threadIdx.x / 128;
  const int half = ptx::cluster_rank();  // of the pair's rows

  // -- Shared tiles and registers ------------------------------------------------------------
  extern __shared__ __align__(1024) unsigned char dynamic_shared[];
  auto& shared = *reinterpret_cast<Shared<BM, BN, BK, STAGES>*>(dynamic_shared);
  if (threadIdx.x == 0) {
    shared.epoch = atomicAdd(world.started, 1u) / gridDim.x + 1;
    for (int s = 0; s < STAGES; ++s) {
      ptx::mbarrier_init(&shared.full[s], 1);
      ptx::mbarrier_init(&shared.empty[s], kPair * kConsumerGroups);
    }
    ptx::fence_mbarrier_init();
  }
  ptx::cluster_sync();
  const unsigned epoch = shared.epoch;

  if (warpgroup == 0) {
    ptx::setmaxnreg_dec<72>();
    if (threadIdx.x >= 32) {
      travel_bf16<FORM, kPair>(world, tiles, count, half, kTileVectors, A, epoch, stamps);
    } else if (threadIdx.x == 0) {
      produce_bf16<FORM>(shared, map_a, map_b, tiles, count, k_tiles, epoch, stamps);
    }
    __syncwarp();
    ptx::cluster_sync();
    return;
  }

  // -- Consumer ------------------------------------------------------------------------------
  ptx::setmaxnreg_inc<216>();
  const int group = warpgroup - 1;
  const int group_row = group * 64;  // of the block tile's rows, this warpgroup's first
  const int consumer = threadIdx.x - 128;
  float acc[BN / 2];  // (BN/2)  of 64 x BN per warpgroup

  int multiplied = 0;
  unsigned sent = 0;  // tiles left for the couriers
  for (int t = blockIdx.x / kPair; t < count; t += gridDim.x / kPair) {
    const unsigned long long begin = stamps.now();

    // -- Main loop over K --------------------------------------------------------------------
#pragma unroll 1
    for (int k_tile = 0; k_tile < k_tiles; ++k_tile, ++multiplied) {
      Stage& stage = shared.stages[multiplied % STAGES];
      ptx::mbarrier_wait(&shared.full[multiplied % STAGES], multiplied / STAGES % 2);
      ptx::wgmma_fence();
      for (int k = 0; k < BK; k += 16) {
        ptx::wgmma<BN, false, true>(
            acc,
            ptx::matrix_descriptor(&stage.A[group_row][k], 16, 8 * sizeof stage.A[0],
                                   ptx::Swizzle::rows_of_128),
            ptx::matrix_descriptor(&stage.B[0][k][0], sizeof stage.B[0], 8 * sizeof stage.B[0][0],
                                   ptx::Swizzle::rows_of_128),
            k_tile > 0 || k > 0);
      }
      ptx::wgmma_commit();
      ptx::wgmma_wait<0>();
      if (threadIdx.x % 128 < kPair) {
        ptx::mbarrier_arrive_in_block(&shared.empty[multiplied % STAGES], threadIdx.x % 128);
      }
    }

    // -- Epilogue: C = alpha*acc + beta*C ----------------------------------------------------
    const RankTile tile = tiles(t);
    const int index = tile.index * kPair + half;
    if (FORM == Form::scatter && tile.rank != world.cut.rank) {
      float4* const box = world.outbox + world.place(tile.rank, index) * kTileVectors;
      leave_bf16<kConsumers>(acc, consumer, box, world.stored, ++sent);
      if (consumer == 0) stamps.add(kConsumerTrack, Work::tile, tile.rank, begin);
      continue;
    }
    if (FORM == Form::scatter) add_bf16<kConsumers>(acc, consumer, world, index, epoch);
    const Place place = {.first_row = FORM == Form::scatter ? 0 : tile.rank * world.cut.rows(),
                         .row0 = tile.row0 + half * BM + group_row,
                         .rows = world.cut.rows_of(tile.rank),
                         .col0 = tile.col0};
    store_bf16<BN>(acc, place, group, shared.results[group], map_c, N, alpha, beta, C);
    if (consumer == 0) stamps.add(kConsumerTrack, Work::tile, tile.rank, begin);
  }
  if (threadIdx.x % 128 == 0) ptx::tma_store_wait_read<0>();
  ptx::cluster_sync();  // the other block may still send boxes and arrivals here
}

}  // namespace ladder::many_gpus
