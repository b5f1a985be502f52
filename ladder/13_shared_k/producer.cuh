// SPDX-License-Identifier: MIT
/// \file  ladder/13_shared_k/producer.cuh
/// \brief The warps that only load, as in rung 12, for stages of any depth.
#pragma once

#include "common/device.cuh"
#include "common/ptx/mbarrier.cuh"
#include "common/ptx/registers.cuh"
#include "common/ptx/tma.cuh"
#include "common/stream_k_schedule.cuh"
#include "ladder/13_shared_k/sums.cuh"

namespace ladder::shared_k {

/// What one step of the pipeline holds: BK of K.
template <int BM, int BN, int BK>
struct __align__(128) Stage {
  float A[BK][BM];      // (BK, BM)  A transposed
  float B[BK][BN];      // (BK, BN)
  ptx::Mbarrier full;   // the stage has been filled
  ptx::Mbarrier empty;  // the stage has been read
};

/// \brief  A producer warp: groups of producers fill stages in turn, and each loads for its next
///         stage while the others store.
/// \tparam WARPS_K  consumer warps that share K; BK is 8 for each
/// \param  stages   (STAGES)  the ring in shared memory
/// \param  part     the first of this block's parts; `schedule` has the others
template <int STAGES, int WARPS_K, int BM, int BN, int BK, class TileOrder>
__device__ __forceinline__ void produce(Stage<BM, BN, BK>* stages, const ptx::TensorMap& map_b,
                                        int M, int K, const float* A, const TileOrder& tiles,
                                        Schedule& schedule, Part part) {
  using Stage = shared_k::Stage<BM, BN, BK>;
  constexpr int kDepth = BK / WARPS_K;    // values of k per consumer warp in a stage
  constexpr int kFillers = BM * BK / 32;  // producers of a stage, two 4 x 4 blocks of A each
  constexpr int kGroups = 32 * kProducerWarps / kFillers;  // each with stages of its own

  // -- Producer ------------------------------------------------------------------------------
  ptx::setmaxnreg_dec<88>();
  const int lane = threadIdx.x % 32;
  constexpr int kStepK = BK / 2;  // a thread has a 4 x 4 block of A in each half
  constexpr int kLanesK = kStepK < 16 ? kStepK / 4 : 4;
  constexpr int kLanesM = 32 / kLanesK;
  constexpr int kWarpsM = BM / 4 / kLanesM;
  const int filler = threadIdx.x % kFillers;
  const int a_m = (filler / 32 % kWarpsM * kLanesM + lane % kLanesM) * 4;
  const int a_k = (filler / 32 / kWarpsM * kLanesK + lane / kLanesM) * 4;
  int k0 = 0;          // where the next stage begins
  const float* gA[4];  // this thread's rows of A, from k0 on
  int col0 = 0;
  const auto start = [&] {  // at part.begin, which may be in a later part
    while (part.tile >= 0 && part.begin >= part.end) {
      const int behind = part.begin - part.end;
      part = schedule.next();
      part.begin += behind;
    }
    if (part.tile < 0) return;
    k0 = part.begin * BK;
    col0 = tiles.col_of(part.tile);
    for (int m = 0; m < 4; ++m) {
      // Rows past A may hold anything, because C has no such rows: take the last row of A.
      const int row = min(tiles.row_of(part.tile) + a_m + m, M - 1);
      gA[m] = A + static_cast<size_t>(row) * K + k0 + a_k;
    }
  };
  float4 a[2][4];
  const auto fetch = [&] {
    if (k0 + BK <= K) {
      for (int k = 0; k < BK; k += kStepK) {
        for (int m = 0; m < 4; ++m) {
          a[k / kStepK][m] = *reinterpret_cast<const float4*>(gA[m] + k);
        }
      }
    } else {  // zeros beyond the edge add nothing
      for (int k = 0; k < BK; k += kStepK) {
        const bool inside = k0 + a_k + k < K;
        for (int m = 0; m < 4; ++m) {
          a[k / kStepK][m] = inside ? *reinterpret_cast<const float4*>(gA[m] + k) : float4{};
        }
      }
    }
    for (int m = 0; m < 4; ++m) {
      gA[m] += kGroups * BK;
    }
  };
  const int group = threadIdx.x / kFillers;
  unsigned offset = group * sizeof(Stage);  // byte offset of the stage to fill
  int phase = 1;
  part.begin += group;
  start();
  if (part.tile >= 0) fetch();
  while (part.tile >= 0) {
    Stage* const stage =
        reinterpret_cast<Stage*>(reinterpret_cast<unsigned char*>(stages) + offset);
    ptx::mbarrier_wait(&stage->empty, phase);
    if (filler == 0) {
      ptx::mbarrier_arrive_expect(&stage->full, sizeof stage->B);
      ptx::tma_load(stage->B, map_b, k0, col0, &stage->full);
    }
    for (int k = 0; k < BK; k += kStepK) {
      float* const sA = &stage->A[a_k + k][a_m];
      const float4* r = a[k / kStepK];
      *reinterpret_cast<float4*>(sA + 0 * BM) = make_float4(r[0].x, r[1].x, r[2].x, r[3].x);
      *reinterpret_cast<float4*>(sA + 1 * BM) = make_float4(r[0].y, r[1].y, r[2].y, r[3].y);
      *reinterpret_cast<float4*>(sA + 2 * BM) = make_float4(r[0].z, r[1].z, r[2].z, r[3].z);
      *reinterpret_cast<float4*>(sA + 3 * BM) = make_float4(r[0].w, r[1].w, r[2].w, r[3].w);
    }
    __syncwarp();
    if (lane == 0) ptx::mbarrier_arrive(&stage->full);
    offset += kGroups * sizeof(Stage);
    if (offset >= STAGES * sizeof(Stage)) {
      offset -= STAGES * sizeof(Stage);
      phase ^= 1;
    }
    part.begin += kGroups;
    k0 += kGroups * BK;
    if (part.begin >= part.end) start();
    if (part.tile >= 0) fetch();
  }
  // Consumers read one row ahead, even past the last stage: let them find zeros.
  if (part.begin == 0) {
    Stage* const stage =
        reinterpret_cast<Stage*>(reinterpret_cast<unsigned char*>(stages) + offset);
    ptx::mbarrier_wait(&stage->empty, phase);
    for (int i = filler; i < BM * WARPS_K; i += kFillers) {
      stage->A[i / BM * kDepth][i % BM] = 0.0f;
    }
    for (int i = filler; i < BN * WARPS_K; i += kFillers) {
      stage->B[i / BN * kDepth][i % BN] = 0.0f;
    }
    if (filler == 0) ptx::mbarrier_arrive(&stage->full);
    __syncwarp();
    if (lane == 0) ptx::mbarrier_arrive(&stage->full);
  }
}

}  // namespace ladder::shared_k
