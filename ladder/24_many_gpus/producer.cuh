// SPDX-License-Identifier: MIT
/// \file  ladder/24_many_gpus/producer.cuh
/// \brief The warps that only load, as in rung 12. Before they read another rank's rows of A, they
///        wait until these have arrived.
#pragma once

#include "common/device.cuh"
#include "common/ptx/flag.cuh"
#include "common/ptx/mbarrier.cuh"
#include "common/ptx/registers.cuh"
#include "common/ptx/tma.cuh"
#include "common/stream_k_schedule.cuh"
#include "ladder/24_many_gpus/stamps.cuh"
#include "ladder/24_many_gpus/world.cuh"

namespace ladder::many_gpus {

/// Number of warps that only load.
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
/// \param  A       (padded rows, K)  of all ranks, as far as they are here
template <int STAGES, int BM, int BN, int BK, class TileOrder, class Stamps>
__device__ __forceinline__ void produce(Stage<BM, BN, BK>* stages, const ptx::TensorMap& map_b,
                                        int K, const float* A, const TileOrder& tiles,
                                        Schedule& schedule, Part part, unsigned epoch,
                                        const Stamps& stamps) {
  using Stage = many_gpus::Stage<BM, BN, BK>;
  static_assert(BM == 4 * 32 && BK % 4 == 0, "4 x 4 blocks of A for the lanes of a producer");
  static_assert(STAGES % kProducerWarps == 0, "a producer warp has stages of its own");

  // -- Producer ------------------------------------------------------------------------------
  ptx::setmaxnreg_dec<88>();
  const int warp = threadIdx.x / 32;
  const int lane = threadIdx.x % 32;
  const int a_m = lane * 4;  // a thread has 4 x 4 blocks of A, side by side
  int k0 = 0;                // where the next stage begins
  const float* gA[4];        // this thread's rows of A, from k0 on
  int col0 = 0;
  const auto start_part = [&] {  // at part.begin, which may be in a later part
    while (part.tile >= 0 && part.begin >= part.end) {
      const int behind = part.begin - part.end;
      part = schedule.next();
      part.begin += behind;
    }
    if (part.tile < 0) return;
    k0 = part.begin * BK;
    const World& world = tiles.world;
    const RankTile tile = tiles(part.tile);
    col0 = tile.col0;
    const bool travels = world.cut.form == Form::gather && tile.rank != world.cut.rank;
    const unsigned long long begin = stamps.now();
    for (int m = 0; m < 4; ++m) {
      // Rows past the rank's may hold anything, because C has no such rows: take its last one.
      const int row =
          tile.rank * world.cut.rows() + min(tile.row0 + a_m + m, world.cut.rows_of(tile.rank) - 1);
      if (travels) {
        while (ptx::load_acquire(&world.here[row]) != epoch) {
        }
      }
      gA[m] = A + static_cast<size_t>(row) * K + k0;
    }
    if (travels && threadIdx.x == 0) stamps.add(kProducerTrack, Work::wait, tile.rank, begin);
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
  unsigned offset = warp * sizeof(Stage);  // byte offset of the stage to fill
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
  // Consumers read one row ahead, even past the last stage: let them find zeros.
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

}  // namespace ladder::many_gpus
