// SPDX-License-Identifier: MIT
/// \file  ladder/18_producer_warpgroup/kernel.cuh
/// \brief One warpgroup only loads, two only multiply; barriers in shared memory connect them.
///
/// In rung 17, the warpgroups meet at a barrier in each tile, and the one that comes first waits.
/// Here the work is divided as in rung 11: a producer fills the stages of a ring, consumers empty
/// them, and each stage has a barrier for "full" and one for "empty". A consumer may be a few tiles
/// ahead of the other. Boxes need a single thread of the producer's; its warpgroup takes registers
/// that nobody misses: 384 threads can have 168 each, and a consumer needs fewer.
///
/// Traffic  L2  2*M*N*K*(1/BM + 1/BN) bytes.
#pragma once

#include "common/device.cuh"
#include "common/ptx/fence.cuh"
#include "common/ptx/mbarrier.cuh"
#include "common/ptx/tma.cuh"
#include "common/ptx/wgmma.cuh"

namespace ladder::producer_warpgroup {

using bf16 = __nv_bfloat16;

constexpr int kBoxColumns = 64;  // elements in a row of 128 bytes, as the swizzle wants them

/// A tile of A and one of B, as boxes of rows of 128 bytes.
template <int BM, int BN, int BK>
struct Stage {
  bf16 A[BM][BK];                             // (BM, BK)
  bf16 B[BN / kBoxColumns][BK][kBoxColumns];  // (BN/64, BK, 64)
};

/// What a block has in shared memory.
template <int BM, int BN, int BK, int STAGES>
struct Shared {
  Stage<BM, BN, BK> stages[STAGES];  // (STAGES)
  ptx::Mbarrier full[STAGES];        // (STAGES)  the stage has been filled
  ptx::Mbarrier empty[STAGES];       // (STAGES)  the stage has been multiplied
};

/// \brief  The producer, a single thread: fills a stage for each tile as soon as it is empty.
/// \param  row0  first row of C in this block's tile; col0: its first column
template <int BM, int BN, int BK, int STAGES>
__device__ __forceinline__ void produce(Shared<BM, BN, BK, STAGES>& shared,
                                        const ptx::TensorMap& map_a, const ptx::TensorMap& map_b,
                                        int tiles, int row0, int col0) {
  using Stage = producer_warpgroup::Stage<BM, BN, BK>;

  // -- Producer ------------------------------------------------------------------------------
  for (int tile = 0; tile < tiles; ++tile) {
    Stage& stage = shared.stages[tile % STAGES];
    ptx::Mbarrier* const full = &shared.full[tile % STAGES];
    ptx::mbarrier_wait(&shared.empty[tile % STAGES], (tile / STAGES + 1) % 2);
    ptx::mbarrier_arrive_expect(full, sizeof(Stage));
    ptx::tma_load(stage.A, map_a, row0, tile * BK, full);
    for (int n = 0; n < BN; n += kBoxColumns) {
      ptx::tma_load(stage.B[n / kBoxColumns], map_b, tile * BK, col0 + n, full);
    }
  }
}

/// \brief   C = alpha*A*B + beta*C; one BM x BN block tile of C per thread block.
/// \tparam  BM,BN,BK  block tile in elements; BM is a multiple of 64, BN of 64 up to 256, BK is 64
///                    and one warpgroup per 64 rows after the producer's
/// \tparam  STAGES    stages in the ring, in dynamic shared memory
/// \tparam  BAND      block rows that consecutive blocks walk through before the next block column
/// \param   map_a     A as (M, K) with boxes of BM x BK
/// \param   map_b     B as (K, N) with boxes of BK x 64
/// \param   M         extent in elements, any value >= 1
/// \param   N,K       extents in elements, multiples of 8
/// \param   C         (M, N) row-major, 16-byte aligned; not read when beta == 0
template <int BM, int BN, int BK, int STAGES, int BAND>
__global__ void __launch_bounds__(128 + BM / 64 * 128, 1)
    kernel(const __grid_constant__ ptx::TensorMap map_a,
           const __grid_constant__ ptx::TensorMap map_b, int M, int N, int K, float alpha,
           float beta, bf16* C) {
  constexpr int kConsumerGroups = BM / 64;
  static_assert(BK == kBoxColumns, "rows of A, too, are 128 bytes");
  using Stage = producer_warpgroup::Stage<BM, BN, BK>;

  // -- Where this thread works ---------------------------------------------------------------
  // Blocks start in the order of their index: down a column of BAND tiles, then the next column.
  const int row0 = (blockIdx.y * BAND + blockIdx.x % BAND) * BM;
  const int col0 = blockIdx.x / BAND * BN;
  const int warpgroup = threadIdx.x / 128;
  if (row0 >= M) return;  // the last band may extend below C

  // -- Shared tiles and registers ------------------------------------------------------------
  extern __shared__ __align__(1024) unsigned char dynamic_shared[];
  auto& shared = *reinterpret_cast<Shared<BM, BN, BK, STAGES>*>(dynamic_shared);
  if (threadIdx.x == 0) {
    for (int s = 0; s < STAGES; ++s) {
      ptx::mbarrier_init(&shared.full[s], 1);
      ptx::mbarrier_init(&shared.empty[s], kConsumerGroups);
    }
    ptx::fence_mbarrier_init();
  }
  __syncthreads();
  const int tiles = (K + BK - 1) / BK;

  if (warpgroup == 0) {
    if (threadIdx.x == 0) produce<BM, BN, BK, STAGES>(shared, map_a, map_b, tiles, row0, col0);
    return;
  }

  // -- Consumer ------------------------------------------------------------------------------
  const int group_row = (warpgroup - 1) * 64;  // of the block tile's rows, this warpgroup's first
  const int warp = threadIdx.x / 32 % 4;
  const int lane = threadIdx.x % 32;
  float acc[BN / 2] = {};  // (BN/2)  of 64 x BN per warpgroup

  // -- Main loop over K ----------------------------------------------------------------------
#pragma unroll 1
  for (int tile = 0; tile < tiles; ++tile) {
    Stage& stage = shared.stages[tile % STAGES];
    ptx::mbarrier_wait(&shared.full[tile % STAGES], tile / STAGES % 2);
    ptx::wgmma_fence();
    for (int k = 0; k < BK; k += 16) {
      ptx::wgmma<BN, false, true>(
          acc,
          ptx::matrix_descriptor(&stage.A[group_row][k], 16, 8 * sizeof stage.A[0],
                                 ptx::Swizzle::rows_of_128),
          ptx::matrix_descriptor(&stage.B[0][k][0], sizeof stage.B[0], 8 * sizeof stage.B[0][0],
                                 ptx::Swizzle::rows_of_128),
          true);
    }
    ptx::wgmma_commit();
    ptx::wgmma_wait<0>();
    if (threadIdx.x % 128 == 0) ptx::mbarrier_arrive(&shared.empty[tile % STAGES]);
  }

  // -- Epilogue: C = alpha*acc + beta*C ------------------------------------------------------
  for (int m = 0; m < 2; ++m) {
    const int row = row0 + group_row + warp * 16 + m * 8 + lane / 4;
    for (int n = 0; n < BN / 8; ++n) {
      const int col = col0 + n * 8 + lane % 4 * 2;
      if (row >= M || col >= N) continue;
      auto* gC = reinterpret_cast<__nv_bfloat162*>(C + static_cast<size_t>(row) * N + col);
      float2 c = beta == 0.0f ? float2{} : __bfloat1622float2(*gC);
      c.x = alpha * acc[n * 4 + m * 2 + 0] + beta * c.x;
      c.y = alpha * acc[n * 4 + m * 2 + 1] + beta * c.y;
      *gC = __float22bfloat162_rn(c);
    }
  }
}

}  // namespace ladder::producer_warpgroup
