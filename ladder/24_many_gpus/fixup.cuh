// SPDX-License-Identifier: MIT
/// \file  ladder/24_many_gpus/fixup.cuh
/// \brief How the partial tiles of several blocks, and of several ranks, become one tile of C.
///
/// The peers of a tile are the blocks that have a part of its K. The one with the beginning of K
/// adds what the others have, always in the order of K. So on the same number of SMs, a result is
/// the same in every run. Ranks add up each other's partial tiles in the same manner.
#pragma once

#include "common/device.cuh"
#include "common/ptx/flag.cuh"
#include "common/ptx/named_barrier.cuh"
#include "ladder/24_many_gpus/world.cuh"

namespace ladder::many_gpus {

/// \brief  Leaves this block's partial tile in global memory for the peer that adds it.
/// \param  c         (TM, TN)  this consumer's part of it
/// \param  partials  (blocks, TM*TN/4, kConsumers)  in global memory
/// \param  flags     (blocks)  0; 1 when the block's partial tile is complete
template <int kConsumers, int TM, int TN>
__device__ __forceinline__ void store_partial(const float (&c)[TM][TN], int consumer,
                                              float4* partials, unsigned* flags) {
  constexpr int kVectors = TM * TN / 4;
  float4* const mine =
      partials + static_cast<size_t>(blockIdx.x) * (kVectors * kConsumers) + consumer;
  for (int m = 0; m < TM; ++m) {
    for (int n = 0; n < TN; n += 4) {
      mine[(m * TN + n) / 4 * kConsumers] =
          make_float4(c[m][n + 0], c[m][n + 1], c[m][n + 2], c[m][n + 3]);
    }
  }
  ptx::barrier_sync<1, kConsumers>();
  if (consumer == 0) ptx::store_release(&flags[blockIdx.x], 1);
}

/// \brief  c += the partial tiles of the `peers` blocks with the next lower numbers.
///
/// They run at the same time as this one, because the launch is cooperative.
/// \param  c         (TM, TN)  this consumer's part of the tile
/// \param  partials  (blocks, TM*TN/4, kConsumers)  in global memory
/// \param  flags     (blocks)  waits until the peers' flags are 1, and resets them to 0
template <int kConsumers, int TM, int TN>
__device__ __forceinline__ void fixup(float (&c)[TM][TN], int peers, int consumer,
                                      const float4* partials, unsigned* flags) {
  // A warp looks at 32 flags at a time, with all its lanes until all are set.
  for (int first = consumer / 32 * 32; first < peers; first += kConsumers) {
    const int peer = min(first + consumer % 32 + 1, peers);
    unsigned* const flag = &flags[blockIdx.x - peer];
    while (!__all_sync(0xffffffff, ptx::load_acquire(flag) != 0)) {
    }
    *flag = 0;  // for the next launch
  }
  ptx::barrier_sync<1, kConsumers>();
  constexpr int kVectors = TM * TN / 4;
#pragma unroll 1
  for (int peer = 1; peer <= peers; ++peer) {  // in the order of K
    const size_t block = blockIdx.x - peer;
    const float4* const theirs = partials + block * (kVectors * kConsumers) + consumer;
    for (int m = 0; m < TM; ++m) {
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

/// \brief  Leaves this rank's sums for a tile of another rank's C to the couriers, who take it
///         there.
/// \param  c     (TM, TN)  this consumer's part of it
/// \param  box   (TM*TN/4, kConsumers)  the tile's place in the outbox
/// \param  sent  tiles that this block has left so far
template <int kConsumers, int TM, int TN>
__device__ __forceinline__ void leave_for_couriers(const float (&c)[TM][TN], int consumer,
                                                   float4* box, unsigned* stored, unsigned sent) {
  for (int m = 0; m < TM; ++m) {
    for (int n = 0; n < TN; n += 4) {
      box[(m * TN + n) / 4 * kConsumers + consumer] =
          make_float4(c[m][n + 0], c[m][n + 1], c[m][n + 2], c[m][n + 3]);
    }
  }
  ptx::barrier_sync<1, kConsumers>();
  if (consumer == 0) ptx::store_release(&stored[blockIdx.x], sent);
}

/// \brief  c += the partial tiles of all other ranks, in the order of their numbers.
/// \param  c     (TM, TN)  this consumer's part of a tile of this rank's own
/// \param  tile  its number among them; waits until all others' parts of it are in the inbox
template <int kConsumers, int TM, int TN>
__device__ __forceinline__ void add_ranks(float (&c)[TM][TN], int consumer, const World& world,
                                          int tile, unsigned epoch) {
  const int ranks = world.cut.ranks;
  for (int q = consumer; q < ranks; q += kConsumers) {
    if (q == world.cut.rank) continue;
    const unsigned* const flag = world.mine().arrived(ranks, world.place(q, tile));
    while (ptx::load_acquire_system(flag) != epoch) {
    }
  }
  ptx::barrier_sync<1, kConsumers>();
  constexpr int kVectors = TM * TN / 4;
#pragma unroll 1
  for (int q = 0; q < ranks; ++q) {
    if (q == world.cut.rank) continue;
    const float4* const theirs =
        world.inbox(world.cut.rank, q, tile, kVectors * kConsumers) + consumer;
    for (int m = 0; m < TM; ++m) {
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

/// \brief  C = alpha*c + beta*C for this thread's part of a tile, as far as it lies inside of C.
/// \param  c        (TM, TN)  sums over all of K
/// \param  row0,col0  place of the thread's first result in C
template <int kLaneRows, int kLaneCols, int TM, int TN>
__device__ __forceinline__ void store_tile(const float (&c)[TM][TN], int row0, int col0, int M,
                                           int N, float alpha, float beta, float* C) {
  for (int m = 0; m < TM; ++m) {
    const int row = row0 + m / 4 * 4 * kLaneRows + m % 4;
    for (int n = 0; n < TN; n += 4) {
      const int col = col0 + n * kLaneCols;
      if (row >= M || col >= N) continue;
      float4* gC = reinterpret_cast<float4*>(C + static_cast<size_t>(row) * N + col);
      const float4 old = beta == 0.0f ? float4{} : *gC;
      *gC = make_float4(alpha * c[m][n + 0] + beta * old.x, alpha * c[m][n + 1] + beta * old.y,
                        alpha * c[m][n + 2] + beta * old.z, alpha * c[m][n + 3] + beta * old.w);
    }
  }
}

}  // namespace ladder::many_gpus
