// SPDX-License-Identifier: MIT
/// \file  ladder/13_shared_k/sums.cuh
/// \brief How sums over parts of K come together: those of a block's warps, and those of blocks.
///
/// Both add in a fixed order, which the shape and the number of SMs decide, so a result is the same
/// in every run.
#pragma once

#include "common/device.cuh"
#include "common/ptx/flag.cuh"
#include "common/ptx/named_barrier.cuh"
#include "common/stream_k_schedule.cuh"

namespace ladder::shared_k {

/// Number of warps that only load, and of warps that multiply.
constexpr int kProducerWarps = 4;
constexpr int kConsumerWarps = 8;
constexpr int kConsumers = 32 * kConsumerWarps;

/// Number of partial tiles that become one at each step of the tree.
constexpr int kFanIn = 8;

/// \brief  c = the sum of WARPS_K warps' acc, for the rows that this warp finishes.
///
/// They meet in shared memory, half of the columns at a time. The room for the other half goes to
/// the ring, which gets more stages.
/// \param  acc   (TM, TN)  this thread's sums over its warp's k
/// \param  one   1: what is stored is one*acc, which may be in other registers than acc
/// \param  c     (TM/WARPS_K, TN)  rows from warp_k * TM/WARPS_K on, over all k
/// \param  sums  (8, TM*TN/8, 32)  shared memory
template <int WARPS_K, int TM, int TN>
__device__ __forceinline__ void add_warps(const float (&acc)[TM][TN], float one, int warp,
                                          int warp_k, float4* sums, float (&c)[TM / WARPS_K][TN]) {
  if constexpr (WARPS_K == 1) {
    for (int m = 0; m < TM; ++m) {
      for (int n = 0; n < TN; ++n) {
        c[m][n] = one * acc[m][n];
      }
    }
    return;
  }
  constexpr int kRows = TM / WARPS_K;
  constexpr int kHalf = TN / 2;
  constexpr int kVectors = TM * kHalf / 4 * 32;  // vectors of one warp
  const int lane = threadIdx.x % 32;
  float4* const mine = sums + warp * kVectors + lane;
  const float4* const first = sums + warp % (kConsumerWarps / WARPS_K) * kVectors + lane;
#pragma unroll
  for (int n0 = 0; n0 < TN; n0 += kHalf) {
    for (int m = 0; m < TM; ++m) {
      for (int n = 0; n < kHalf; n += 4) {
        const float* a = &acc[m][n0 + n];
        mine[(m * kHalf + n) / 4 * 32] =
            make_float4(one * a[0], one * a[1], one * a[2], one * a[3]);
      }
    }
    ptx::barrier_sync<1, kConsumers>();
    for (int m = 0; m < kRows; ++m) {
      for (int n = 0; n < kHalf; n += 4) {
        const float4* const from = first + ((warp_k * kRows + m) * kHalf + n) / 4 * 32;
        float4 sum = *from;
        for (int k = 1; k < WARPS_K; ++k) {
          const float4 other = from[k * (kConsumerWarps / WARPS_K) * kVectors];
          sum.x += other.x;
          sum.y += other.y;
          sum.z += other.z;
          sum.w += other.w;
        }
        c[m][n0 + n + 0] = sum.x;
        c[m][n0 + n + 1] = sum.y;
        c[m][n0 + n + 2] = sum.z;
        c[m][n0 + n + 3] = sum.w;
      }
    }
    ptx::barrier_sync<1, kConsumers>();
  }
}

/// \brief  c += the partial tiles of `peers` blocks: those 1, 2, ... steps before this one.
///
/// They run at the same time as this one, because the launch is cooperative.
/// \param  c         (kRows, TN)  of each of the consumers
/// \param  partials  (blocks, kRows*TN/4, kConsumers)  in global memory
/// \param  flags     (blocks)  waits until the peers' flags are 1, and resets them to 0
template <int kRows, int TN>
__device__ __forceinline__ void add_partials(float (&c)[kRows][TN], int peers, int step,
                                             int consumer, const float4* partials,
                                             unsigned* flags) {
  // A warp looks at 32 flags at a time, with all its lanes until all are set.
  for (int first = consumer / 32 * 32; first < peers; first += kConsumers) {
    const int peer = min(first + consumer % 32 + 1, peers);
    unsigned* const flag = &flags[blockIdx.x - peer * step];
    while (!__all_sync(0xffffffff, ptx::load_acquire(flag) != 0)) {
    }
    *flag = 0;  // for the next launch
  }
  ptx::barrier_sync<1, kConsumers>();
  constexpr int kVectors = kRows * TN / 4;
  // Partial tiles whose loads are in flight together; g++ ignores the pragma that uses this.
  [[maybe_unused]] constexpr int kAtOnce = kVectors < 16 ? 16 / kVectors : 1;
#pragma unroll kAtOnce
  for (int peer = 1; peer <= peers; ++peer) {  // in the order of K
    const size_t block = blockIdx.x - peer * step;
    const float4* const theirs = partials + block * (kVectors * kConsumers) + consumer;
    for (int m = 0; m < kRows; ++m) {
      for (int n = 0; n < TN; n += 4) {
        const float4 sum = theirs[(m * TN + n) / 4 * kConsumers];
        c[m][n + 0] += sum.x;
        c[m][n + 1] += sum.y;
        c[m][n + 2] += sum.z;
        c[m][n + 3] += sum.w;
      }
    }
  }
}

/// \brief  c += what the peers with later parts of this tile's K have.
///
/// In a tree, the first of each kFanIn neighbours adds what the others have. Then kFanIn of these
/// do the same, until the one with the beginning of K has it all. Otherwise that one adds all.
template <bool kTree, int kRows, int TN>
__device__ __forceinline__ void fixup(float (&c)[kRows][TN], const Part& part,
                                      const Decomposition& split, int rank, int consumer,
                                      const float4* partials, unsigned* flags) {
  const int tile_begin = (part.tile - split.first_split) * split.k_tiles;
  const int last = split.rank_of(tile_begin + split.k_tiles - 1);
  if constexpr (kTree) {
    const int place = rank - split.rank_of(tile_begin);  // among the tile's peers
    for (int step = 1; place % (step * kFanIn) == 0 && rank + step <= last; step *= kFanIn) {
      const int peers = min(kFanIn - 1, (last - rank) / step);
      add_partials(c, peers, step, consumer, partials, flags);
    }
  } else {
    add_partials(c, last - rank, 1, consumer, partials, flags);
  }
}

/// Leaves this block's partial tile to the peer that adds it: see add_partials().
template <int kRows, int TN>
__device__ __forceinline__ void store_partial(const float (&c)[kRows][TN], int consumer,
                                              float4* partials, unsigned* flags) {
  constexpr int kVectors = kRows * TN / 4;
  float4* const mine =
      partials + static_cast<size_t>(blockIdx.x) * (kVectors * kConsumers) + consumer;
  for (int m = 0; m < kRows; ++m) {
    for (int n = 0; n < TN; n += 4) {
      mine[(m * TN + n) / 4 * kConsumers] =
          make_float4(c[m][n + 0], c[m][n + 1], c[m][n + 2], c[m][n + 3]);
    }
  }
  ptx::barrier_sync<1, kConsumers>();
  if (consumer == 0) ptx::store_release(&flags[blockIdx.x], 1);
}

}  // namespace ladder::shared_k
