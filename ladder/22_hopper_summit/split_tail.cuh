// SPDX-License-Identifier: MIT
/// \file  ladder/22_hopper_summit/split_tail.cuh
/// \brief How clusters that share the k tiles of a split tile of C add up their sums: each leaves
///        its own, and the last to come adds them. Nobody waits, so clusters need not run together.
#pragma once

#include "common/device.cuh"
#include "common/ptx/named_barrier.cuh"
#include "ladder/22_hopper_summit/schedule.cuh"

namespace ladder::hopper_summit {

/// The pieces of a split tile, as one warpgroup of each cluster has them.
struct Pieces {
  int cluster;    ///< that has the first piece; the next clusters have the others
  int count;      ///< of pieces
  int own;        ///< number of this one
  int warpgroup;  ///< in the cluster
  int warpgroups;

  /// Where the sums of a piece are among those of all. A cluster has two slots, because it may have
  /// the end of one tile and the beginning of another.
  __device__ int slot(int piece) const {
    return ((cluster + piece) * 2 + (piece == 0 ? 1 : 0)) * warpgroups + warpgroup;
  }
};

/// The pieces of the tile to which a segment of this cluster belongs.
__device__ __forceinline__ Pieces pieces_of(const Plan& plan, const Segment& segment, int warpgroup,
                                            int warpgroups) {
  const int begin = (segment.tile - plan.whole) * plan.k_tiles;  // through all split tiles
  const int first = begin / plan.share;
  return {.cluster = first,
          .count = (begin + plan.k_tiles - 1) / plan.share - first + 1,
          .own = (begin + segment.first) / plan.share - first,
          .warpgroup = warpgroup,
          .warpgroups = warpgroups};
}

/// \brief   Leaves a warpgroup's sums.
/// \param   counter  of the tile's pieces that have been left, for this warpgroup; zero before and
///                   after
/// \param   is_last  a word in shared memory, of this warpgroup
/// \return  true if those of all other pieces have been left, too
template <int SUMS>
__device__ __forceinline__ bool leave_part(float4* parts, const Pieces& pieces, unsigned* counter,
                                           const float (&acc)[SUMS], unsigned* is_last,
                                           int barrier) {
  float4* const to =
      parts + static_cast<size_t>(pieces.slot(pieces.own)) * (SUMS / 4) * 128 + threadIdx.x % 128;
#pragma unroll
  for (int i = 0; i < SUMS / 4; ++i) {
    to[i * 128] = make_float4(acc[4 * i], acc[4 * i + 1], acc[4 * i + 2], acc[4 * i + 3]);
  }
  __threadfence();
  ptx::barrier_sync<128>(barrier);
  if (threadIdx.x % 128 == 0) {
    *is_last = atomicAdd(counter, 1) == pieces.count - 1u;
    if (*is_last != 0) *counter = 0;  // for the next launch
    __threadfence();
  }
  ptx::barrier_sync<128>(barrier);
  return *is_last != 0;
}

/// Adds the sums of all other pieces, in the same order whoever does it.
template <int SUMS>
__device__ __forceinline__ void add_parts(const float4* parts, const Pieces& pieces,
                                          float (&acc)[SUMS]) {
  const bool from_zero = pieces.own > 1;  // the first two may change places in a sum
  if (from_zero) {
#pragma unroll
    for (float& sum : acc)
      sum = -0.0f;  // which changes nothing that is added
  }
#pragma unroll 1
  for (int piece = 0; piece < pieces.count; ++piece) {
    if (piece == pieces.own && !from_zero) continue;
    const float4* const from =
        parts + static_cast<size_t>(pieces.slot(piece)) * (SUMS / 4) * 128 + threadIdx.x % 128;
#pragma unroll
    for (int i = 0; i < SUMS / 4; ++i) {
      const float4 four = __ldcg(&from[i * 128]);
      acc[4 * i] += four.x;
      acc[4 * i + 1] += four.y;
      acc[4 * i + 2] += four.z;
      acc[4 * i + 3] += four.w;
    }
  }
}

}  // namespace ladder::hopper_summit
