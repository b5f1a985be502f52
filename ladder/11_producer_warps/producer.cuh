// SPDX-License-Identifier: MIT
/// \file  ladder/11_producer_warps/producer.cuh
/// \brief The warps that only load: what they fill, and how.
///
/// TMA brings B in boxes, which one lane requests. A has to be transposed, so it goes through the
/// producers' registers: each loads for its next stage while others store.
#pragma once

#include "common/device.cuh"
#include "common/ptx/mbarrier.cuh"
#include "common/ptx/registers.cuh"
#include "common/ptx/tma.cuh"

namespace ladder::producer_warps {

/// Number of warps that only load: a warpgroup, because setmaxnreg moves registers between those.
/// All 384 threads begin with 168, which is 65,536 / 384 in steps of 8. A producer keeps 88, for 32
/// words of A and their addresses. The 128 * 80 that they give back are 40 more for each of the 256
/// consumers, 208: 176 for sums and operands, the rest for addresses.
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
/// \param  row0    first row of C in this block's tile; col0: its first column
template <int BM, int BN, int BK, int STAGES>
__device__ __forceinline__ void produce(Stage<BM, BN, BK>* stages, const ptx::TensorMap& map_b,
                                        int M, int K, const float* A, int row0, int col0) {
  using Stage = producer_warps::Stage<BM, BN, BK>;
  static_assert(BM == 4 * 32 && BK % 4 == 0, "4 x 4 blocks of A for the lanes of a producer");
  static_assert(STAGES % kProducerWarps == 0, "a producer warp has stages of its own");

  // -- Producer ------------------------------------------------------------------------------
  ptx::setmaxnreg_dec<88>();
  const int warp = threadIdx.x / 32;
  const int lane = threadIdx.x % 32;
  const int a_m = lane * 4;  // a thread has 4 x 4 blocks of A, side by side
  int k0 = warp * BK;        // where the next stage begins
  const float* gA[4];        // this thread's rows of A, from k0 on
  for (int m = 0; m < 4; ++m) {
    // Rows past A may hold anything, because C has no such rows: take the last row of A.
    gA[m] = A + static_cast<size_t>(min(row0 + a_m + m, M - 1)) * K + k0;
  }
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
  const auto advance = [&] {
    offset += kProducerWarps * sizeof(Stage);
    if (offset >= STAGES * sizeof(Stage)) {
      offset -= STAGES * sizeof(Stage);
      phase ^= 1;
    }
  };
  const auto next_stage = [&] {
    return reinterpret_cast<Stage*>(reinterpret_cast<unsigned char*>(stages) + offset);
  };
  fetch();
  while (k0 < K) {
    Stage* const stage = next_stage();
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
    advance();
    k0 += kProducerWarps * BK;
    fetch();
  }
  // Consumers read one row ahead, even past the last stage: let them find zeros.
  if (k0 < K + BK) {
    Stage* const stage = next_stage();
    ptx::mbarrier_wait(&stage->empty, phase);
    for (int i = lane; i < BN; i += 32) {
      if (i < BM) stage->A[0][i] = 0.0f;
      stage->B[0][i] = 0.0f;
    }
    __syncwarp();
    if (lane < 2) ptx::mbarrier_arrive(&stage->full);
  }
}

}  // namespace ladder::producer_warps
