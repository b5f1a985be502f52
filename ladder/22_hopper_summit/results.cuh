// SPDX-License-Identifier: MIT
/// \file  ladder/22_hopper_summit/results.cuh
/// \brief How results leave while the tensor cores work on the next tile: box by box.
#pragma once

#include "common/device.cuh"
#include "common/ptx/fence.cuh"
#include "common/ptx/ldmatrix.cuh"
#include "common/ptx/mbarrier.cuh"
#include "common/ptx/named_barrier.cuh"
#include "common/ptx/tma.cuh"

namespace ladder::hopper_summit {

using bf16 = __nv_bfloat16;

constexpr int kBoxColumns = 64;  // elements in a row of 128 bytes, as the swizzle wants them

/// Results of a warpgroup on their way to C, as a box of rows of 128 bytes.
template <int BOX>
struct Results {
  bf16 box[BOX][kBoxColumns];  // (BOX, 64)
};

constexpr int kResults = 2;  // one is filled while the other is stored

/// Where a lane finds, or leaves, eight results of a warpgroup's box: those of one row and of half
/// of the warp's 16 columns.
template <int BOX>
__device__ __forceinline__ bf16* eight_of(Results<BOX>& results, int row, int half) {
  const int piece = (threadIdx.x % 128 / 32 * 2 + half) ^ row % 8;
  return &results.box[row][piece * 8];
}

/// \brief  Writes a box of BOX rows of a warpgroup's results to shared memory, and lets TMA store
///         it to C.
/// \param  packed    (BM/4)  of BM x 64, two neighbours of a column to a word
/// \param  row0,col0  of the warpgroup's results in C
template <int BOX, int WORDS>
__device__ __forceinline__ void store_box(Results<BOX>& to, int box,
                                          const unsigned (&packed)[WORDS],
                                          const ptx::TensorMap& map_c, int row0, int col0,
                                          int barrier) {
  // -- Store ---------------------------------------------------------------------------------
  const int lane = threadIdx.x % 32;
  if (threadIdx.x % 128 == 0) ptx::tma_store_wait_read<kResults - 1>();
  ptx::barrier_sync<128>(barrier);  // the last box but one, which was here, has been read
#pragma unroll
  for (int m = 0; m < BOX; m += 16) {
    const unsigned* const from = &packed[(box * BOX + m) / 4];
    const unsigned words[4] = {from[0], from[1], from[2], from[3]};
    ptx::stmatrix<true>(eight_of(to, m + lane / 16 * 8 + lane % 8, lane / 8 % 2), words);
  }
  ptx::fence_proxy_async();
  ptx::barrier_sync<128>(barrier);  // all of the box is there
  if (threadIdx.x % 128 == 0) {
    ptx::tma_store(map_c, row0 + box * BOX, col0, to.box);
    ptx::tma_store_commit();
  }
}

/// \brief  Adds beta*C to a warpgroup's sums, box by box: TMA brings C to where results leave.
/// \param  results  (kResults)  of the warpgroup
/// \param  full     (kResults)  the box of C is there
/// \param  parity   a bit for each of them, of its next round
/// \param  acc      (BM/2)  times alpha already
template <int BOX, int SUMS>
__device__ __forceinline__ void add_c(Results<BOX> (&results)[kResults],
                                      ptx::Mbarrier (&full)[kResults], unsigned& parity,
                                      const ptx::TensorMap& map_c, int row0, int col0, float beta,
                                      float (&acc)[SUMS], int barrier) {
  constexpr int kBoxes = SUMS * 2 / BOX;
  const bool asks = threadIdx.x % 128 == 0;
  const int lane = threadIdx.x % 32;
  const auto fetch = [&](int box) {
    ptx::Mbarrier* const come = &full[box % kResults];
    ptx::mbarrier_arrive_expect(come, sizeof(Results<BOX>));
    ptx::tma_load(results[box % kResults].box, map_c, row0 + box * BOX, col0, come);
  };
  if (asks) {
    ptx::tma_store_wait_read<0>();  // the results that were there have left
    for (int box = 0; box < kResults && box < kBoxes; ++box)
      fetch(box);
  }
#pragma unroll
  for (int box = 0; box < kBoxes; ++box) {
    ptx::mbarrier_wait(&full[box % kResults], parity >> box % kResults & 1);
    parity ^= 1U << box % kResults;
#pragma unroll
    for (int m = 0; m < BOX; m += 16) {
      unsigned words[4];
      ptx::ldmatrix<true>(
          words, eight_of(results[box % kResults], m + lane / 16 * 8 + lane % 8, lane / 8 % 2));
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        const float2 c = __bfloat1622float2(reinterpret_cast<const __nv_bfloat162&>(words[i]));
        float* const sums = &acc[(box * BOX + m) / 2 + 2 * i];
        sums[0] += beta * c.x;
        sums[1] += beta * c.y;
      }
    }
    ptx::fence_proxy_async();         // what has been read is in registers, not on its way
    ptx::barrier_sync<128>(barrier);  // by all of the warpgroup
    if (asks && box + kResults < kBoxes) fetch(box + kResults);
  }
}

}  // namespace ladder::hopper_summit
