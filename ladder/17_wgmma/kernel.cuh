// SPDX-License-Identifier: MIT
/// \file  ladder/17_wgmma/kernel.cuh
/// \brief The tensor cores read shared memory themselves: no operand passes a register.
///
/// In rung 16, each warp loads its 64 rows of A and 64 columns of B into registers: shared memory
/// is read four times for A and twice for B, and is busier than the tensor cores. wgmma is an
/// instruction of four warps. It takes 64 rows of A and 256 columns of B from shared memory, where
/// descriptors say that they lie, and goes on by itself until somebody waits. Registers hold
/// nothing but sums. Tiles come as boxes, which the hardware lays out in the swizzle that wgmma
/// reads; one thread asks for the next tile while the tensor cores work on this one.
///
/// Traffic  shared memory  (64 + BN)*2 bytes per warpgroup and k, for 64*BN multiply-adds.
#pragma once

#include "common/device.cuh"
#include "common/ptx/fence.cuh"
#include "common/ptx/mbarrier.cuh"
#include "common/ptx/tma.cuh"
#include "common/ptx/wgmma.cuh"

namespace ladder::wgmma {

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
};

/// \brief   C = alpha*A*B + beta*C; one BM x BN block tile of C per thread block.
/// \tparam  BM,BN,BK  block tile in elements; BM is a multiple of 64, BN of 64 up to 256, BK is 64
/// \tparam  STAGES    tiles in dynamic shared memory: one is multiplied while the others are filled
/// \tparam  BAND      block rows that consecutive blocks walk through before the next block column
/// \param   map_a     A as (M, K) with boxes of BM x BK
/// \param   map_b     B as (K, N) with boxes of BK x 64
/// \param   M         extent in elements, any value >= 1
/// \param   N,K       extents in elements, multiples of 8
/// \param   C         (M, N) row-major, 16-byte aligned; not read when beta == 0
template <int BM, int BN, int BK, int STAGES, int BAND>
__global__ void __launch_bounds__(BM / 64 * 128, 1)
    kernel(const __grid_constant__ ptx::TensorMap map_a,
           const __grid_constant__ ptx::TensorMap map_b, int M, int N, int K, float alpha,
           float beta, bf16* C) {
  static_assert(BK == kBoxColumns, "rows of A, too, are 128 bytes");
  using Stage = wgmma::Stage<BM, BN, BK>;

  // -- Where this thread works ---------------------------------------------------------------
  // Blocks start in the order of their index: down a column of BAND tiles, then the next column.
  const int row0 = (blockIdx.y * BAND + blockIdx.x % BAND) * BM;
  const int col0 = blockIdx.x / BAND * BN;
  const int group_row = threadIdx.x / 128 * 64;  // of the block tile's rows, this warpgroup's first
  const int warp = threadIdx.x / 32 % 4;
  const int lane = threadIdx.x % 32;
  if (row0 >= M) return;  // the last band may extend below C

  // -- Shared tiles and registers ------------------------------------------------------------
  extern __shared__ __align__(1024) unsigned char dynamic_shared[];
  auto& shared = *reinterpret_cast<Shared<BM, BN, BK, STAGES>*>(dynamic_shared);
  float acc[BN / 2] = {};  // (BN/2)  of 64 x BN per warpgroup

  // -- Prologue: start all stages ------------------------------------------------------------
  const int tiles = (K + BK - 1) / BK;
  const auto fetch = [&](int tile) {  // global to shared memory, by one thread
    if (threadIdx.x != 0 || tile >= tiles) return;
    Stage& stage = shared.stages[tile % STAGES];
    ptx::Mbarrier* const full = &shared.full[tile % STAGES];
    ptx::mbarrier_arrive_expect(full, sizeof(Stage));
    ptx::tma_load(stage.A, map_a, row0, tile * BK, full);
    for (int n = 0; n < BN; n += kBoxColumns) {
      ptx::tma_load(stage.B[n / kBoxColumns], map_b, tile * BK, col0 + n, full);
    }
  };
  if (threadIdx.x == 0) {
    for (int s = 0; s < STAGES; ++s) {
      ptx::mbarrier_init(&shared.full[s], 1);
    }
    ptx::fence_mbarrier_init();
  }
  __syncthreads();
  for (int tile = 0; tile < STAGES; ++tile) {
    fetch(tile);
  }

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
    ptx::wgmma_wait<0>();  // the tile has been multiplied
    __syncthreads();       // by all warpgroups
    fetch(tile + STAGES);
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

}  // namespace ladder::wgmma
