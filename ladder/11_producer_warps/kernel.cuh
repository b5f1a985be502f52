// SPDX-License-Identifier: MIT
/// \file  ladder/11_producer_warps/kernel.cuh
/// \brief Four warps only load, eight only multiply; barriers in shared memory connect them.
///
/// In rung 10 every warp computes addresses, starts copies and meets all others at a barrier in
/// each tile. Here the work is divided: producers fill the stages of a ring, consumers read them,
/// and each stage has a barrier for "full" and one for "empty". B comes by TMA, a whole box per
/// instruction; A has to be transposed and goes through the producers' registers. They need
/// few of them, and give the rest to the consumers.
///
/// Traffic  L2  4*M*N*K*(1/BM + 1/BN) bytes;  issue slots  about 100 of a producer per stage.
#pragma once

#include "common/device.cuh"
#include "common/ptx/fence.cuh"
#include "common/ptx/mbarrier.cuh"
#include "common/ptx/registers.cuh"
#include "common/ptx/tma.cuh"
#include "ladder/11_producer_warps/producer.cuh"

namespace ladder::producer_warps {

/// \brief  C = alpha*A*B + beta*C; one BM x BN block tile of C per thread block.
/// \tparam  BM,BN,BK  block tile in elements; BM is 128, BK is 8
/// \tparam  WM,WN     warp tile in elements; (BM/WM)*(BN/WN) consumer warps after 4 producers
/// \tparam  TM,TN     thread tile in elements, multiples of 4; (WM/TM)*(WN/TN) is 32
/// \tparam  STAGES    stages in the ring, in dynamic shared memory; a multiple of 4
/// \tparam  BAND      block rows that consecutive blocks walk through before the next block column
/// \param   map_b     B as (K, N) with boxes of BK x BN
/// \param   M         extent in elements, any value >= 1
/// \param   N,K       extents in elements, multiples of 4
/// \param   A         (M, K) row-major, 16-byte aligned
/// \param   C         (M, N) row-major, 16-byte aligned; not read when beta == 0
template <int BM, int BN, int BK, int WM, int WN, int TM, int TN, int STAGES, int BAND>
__global__ void __launch_bounds__(32 * (kProducerWarps + (BM / WM) * (BN / WN)), 1)
    kernel(const __grid_constant__ ptx::TensorMap map_b, int M, int N, int K, float alpha,
           const float* A, float beta, float* C) {
  constexpr int kConsumerWarps = (BM / WM) * (BN / WN);
  constexpr int kWarpCols = BN / WN;  // columns of warps in a block tile
  constexpr int kLaneRows = WM / TM;  // rows of lanes in a warp tile
  constexpr int kLaneCols = WN / TN;  // columns of lanes in a warp tile
  static_assert(kLaneRows * kLaneCols == 32, "the lanes of a warp");
  using Stage = producer_warps::Stage<BM, BN, BK>;

  // -- Where this thread works ---------------------------------------------------------------
  // Blocks start in the order of their index: down a column of BAND tiles, then the next column.
  const int row0 = (blockIdx.y * BAND + blockIdx.x % BAND) * BM;
  const int col0 = blockIdx.x / BAND * BN;
  const int warp = threadIdx.x / 32;
  const int lane = threadIdx.x % 32;
  if (row0 >= M) return;  // the last band may extend below C

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
    produce<BM, BN, BK, STAGES>(stages, map_b, M, K, A, row0, col0);
    return;
  }

  // -- Consumer ------------------------------------------------------------------------------
  ptx::setmaxnreg_inc<208>();
  const int consumer = warp - kProducerWarps;
  const int thread_row = consumer / kWarpCols * WM + lane / kLaneCols * 4;
  const int thread_col = consumer % kWarpCols * WN + lane % kLaneCols * 4;
  float acc[TM][TN] = {};         // (TM, TN)
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

  // -- Main loop over K ----------------------------------------------------------------------
  unsigned offset = 0;  // byte offset of the stage to read
  int phase = 0;
  ptx::mbarrier_wait(&stages->full, phase);
  read(0, 0);
#pragma unroll 1
  for (int k0 = 0; k0 < K; k0 += BK) {
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

  // -- Epilogue: C = alpha*acc + beta*C ------------------------------------------------------
  for (int m = 0; m < TM; ++m) {
    const int row = row0 + thread_row + m / 4 * 4 * kLaneRows + m % 4;
    for (int n = 0; n < TN; n += 4) {
      const int col = col0 + thread_col + n * kLaneCols;
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

}  // namespace ladder::producer_warps
