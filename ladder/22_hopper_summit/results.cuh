// SPDX-License-Identifier: MIT
/// \file  ladder/22_hopper_summit/results.cuh
/// \brief How results leave while the tensor cores work on the next tile: box by box.
#pragma once

#include "common/device.cuh"
#include "common/ptx/fence.cuh"
#include "common/ptx/ldmatrix.cuh"
#include "common/ptx/named_barrier.cuh"
#include "common/ptx/tma.cuh"

namespace ladder::hopper_summit {

using bf16 = __nv_bfloat16;

constexpr int kBoxColumns = 64;  // elements in a row of 128 bytes, as the swizzle wants them

/// Results of a warpgroup on their way to C, as a box of rows of 128 bytes.
struct Results {
  bf16 box[64][kBoxColumns];  // (64, 64)
};

constexpr int kResults = 2;  // one is filled while the other is stored

/// \brief  Writes a box of 64 columns of a warpgroup's results to shared memory, and lets TMA store
///         it to C.
/// \param  packed  (BN/4)  of 64 x BN, two neighbours to a word
/// \param  row0,col0  of the warpgroup's results in C
template <int WORDS>
__device__ __forceinline__ void store_box(Results& to, int box, const unsigned (&packed)[WORDS],
                                          const ptx::TensorMap& map_c, int row0, int col0,
                                          int barrier) {
  // -- Store ---------------------------------------------------------------------------------
  const int lane = threadIdx.x % 32;
  if (threadIdx.x % 128 == 0) ptx::tma_store_wait_read<kResults - 1>();
  ptx::barrier_sync<128>(barrier);  // the last box but one, which was here, has been read
#pragma unroll
  for (int n = 0; n < kBoxColumns; n += 16) {
    const int row = threadIdx.x % 128 / 32 * 16 + lane % 16;  // that this lane names
    const int piece = (n / 8 + lane / 16) ^ row % 8;          // and the piece of 8 columns
    const unsigned* const from = &packed[(box * kBoxColumns + n) / 4];
    const unsigned words[4] = {from[0], from[1], from[2], from[3]};
    ptx::stmatrix<false>(&to.box[row][piece * 8], words);
  }
  ptx::fence_proxy_async();
  ptx::barrier_sync<128>(barrier);  // all of the box is there
  if (threadIdx.x % 128 == 0) {
    ptx::tma_store(map_c, row0, col0 + box * kBoxColumns, to.box);
    ptx::tma_store_commit();
  }
}

}  // namespace ladder::hopper_summit
