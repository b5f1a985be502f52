// SPDX-License-Identifier: MIT
/// \file  ladder/11_stream_k/sums.cuh
/// \brief How sums over parts of K come together: those of a block's warps, and those of blocks.
///
/// Both add in a fixed order, which the shape and the number of SMs decide: a result is the same in
/// every run.
#pragma once

#include "common/device.cuh"
#include "common/ptx/flag.cuh"
#include "common/ptx/named_barrier.cuh"
#include "ladder/11_stream_k/schedule.cuh"

namespace ladder::stream_k {

/// In a tree of blocks, how many neighbours' sums become one.
constexpr int kFanIn = 8;

/// \brief  c = the sum of WARPS_K warps' alpha*acc, for the rows that this warp finishes.
///
/// They meet in shared memory, half of the columns at a time: in the other half's room the ring has
/// more slices.
/// \param  acc   (TM, TN)  this thread's sums over its warp's k
/// \param  c     (TM/WARPS_K, TN)  rows warp_k * TM/WARPS_K and on, over all k
/// \param  sums  (8, TM*TN/8, 32)  shared memory
template <int WARPS_K, int TM, int TN>
__device__ __forceinline__ void add_warps(const float (&acc)[TM][TN], float alpha, int warp,
                                          int warp_k, float4* sums, float (&c)[TM / WARPS_K][TN]) {
  constexpr int kWarps = 8;
  constexpr int kRows = TM / WARPS_K;
  constexpr int kHalf = TN / 2;
  constexpr int kVectors = TM * kHalf / 4 * 32;  // of one warp
  const int lane = threadIdx.x % 32;
  float4* const mine = sums + warp * kVectors + lane;
  const float4* const first = sums + warp % (kWarps / WARPS_K) * kVectors + lane;
#pragma unroll
  for (int n0 = 0; n0 < TN; n0 += kHalf) {
    for (int m = 0; m < TM; ++m) {
      for (int n = 0; n < kHalf; n += 4) {
        const float* a = &acc[m][n0 + n];
        mine[(m * kHalf + n) / 4 * 32] =
            make_float4(alpha * a[0], alpha * a[1], alpha * a[2], alpha * a[3]);
      }
    }
    ptx::barrier_sync<1, 32 * kWarps>();
    for (int m = 0; m < kRows; ++m) {
      for (int n = 0; n < kHalf; n += 4) {
        const float4* const from = first + ((warp_k * kRows + m) * kHalf + n) / 4 * 32;
        float4 sum = *from;
        for (int k = 1; k < WARPS_K; ++k) {
          const float4 other = from[k * (kWarps / WARPS_K) * kVectors];
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
    ptx::barrier_sync<1, 32 * kWarps>();
  }
}

/// \brief  c += what `others` blocks have handed over: the ones 1, 2, ... steps before this one.
///
/// They run when this one does, for the launch is cooperative.
/// \param  c         (kRows, TN)  of each of the consumers
/// \param  partials  (blocks, kRows*TN/4, kConsumers)  in global memory
/// \param  flags     (blocks)  0; 1 while a block's partials wait to be added
template <int kConsumers, int kRows, int TN>
__device__ __forceinline__ void add_handed_over(float (&c)[kRows][TN], int others, int step,
                                                int consumer, const float4* partials,
                                                unsigned* flags) {
  // A warp looks at 32 flags at a time, with all its lanes until all are set.
  for (int first = consumer / 32 * 32; first < others; first += kConsumers) {
    const int other = min(first + consumer % 32 + 1, others);
    unsigned* const flag = &flags[blockIdx.x - other * step];
    while (!__all_sync(0xffffffff, ptx::load_acquire(flag) != 0)) {
    }
    *flag = 0;  // for the next launch
  }
  ptx::barrier_sync<1, kConsumers>();
  constexpr int kVectors = kRows * TN / 4;
  // Parts whose loads are on their way together; g++ ignores the pragma that takes this.
  [[maybe_unused]] constexpr int kAtOnce = kVectors < 16 ? 16 / kVectors : 1;
#pragma unroll kAtOnce
  for (int other = 1; other <= others; ++other) {  // in the order of K
    const size_t block = blockIdx.x - other * step;
    const float4* const handed = partials + block * (kVectors * kConsumers) + consumer;
    for (int m = 0; m < kRows; ++m) {
      for (int n = 0; n < TN; n += 4) {
        const float4 sum = handed[(m * TN + n) / 4 * kConsumers];
        c[m][n + 0] += sum.x;
        c[m][n + 1] += sum.y;
        c[m][n + 2] += sum.z;
        c[m][n + 3] += sum.w;
      }
    }
  }
}

/// \brief  c += what the sharers behind this one have of the part's tile.
///
/// In a tree, of each kFanIn neighbours the first adds what the others have, then of kFanIn of
/// these, until the one with the beginning of K has it all. Without, that one adds everything.
template <bool kTree, int kConsumers, int kRows, int TN>
__device__ __forceinline__ void add_blocks(float (&c)[kRows][TN], const Part& part,
                                           const Division& division, int sharer, int consumer,
                                           const float4* partials, unsigned* flags) {
  const int tile_begin = (part.tile - division.first_cut) * division.rounds;
  const int last = division.sharer_of(tile_begin + division.rounds - 1);
  if constexpr (kTree) {
    const int rank = sharer - division.sharer_of(tile_begin);
    for (int step = 1; rank % (step * kFanIn) == 0 && sharer + step <= last; step *= kFanIn) {
      const int others = min(kFanIn - 1, (last - sharer) / step);
      add_handed_over<kConsumers>(c, others, step, consumer, partials, flags);
    }
  } else {
    add_handed_over<kConsumers>(c, last - sharer, 1, consumer, partials, flags);
  }
}

/// Leaves c to a block that adds it: see add_handed_over().
template <int kConsumers, int kRows, int TN>
__device__ __forceinline__ void hand_over(const float (&c)[kRows][TN], int consumer,
                                          float4* partials, unsigned* flags) {
  constexpr int kVectors = kRows * TN / 4;
  float4* const handed =
      partials + static_cast<size_t>(blockIdx.x) * (kVectors * kConsumers) + consumer;
  for (int m = 0; m < kRows; ++m) {
    for (int n = 0; n < TN; n += 4) {
      handed[(m * TN + n) / 4 * kConsumers] =
          make_float4(c[m][n + 0], c[m][n + 1], c[m][n + 2], c[m][n + 3]);
    }
  }
  ptx::barrier_sync<1, kConsumers>();
  if (consumer == 0) ptx::store_release(&flags[blockIdx.x], 1);
}

}  // namespace ladder::stream_k
