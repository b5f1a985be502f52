// SPDX-License-Identifier: MIT
/// \file  ladder/24_many_gpus/bf16_results.cuh
/// \brief Where a finished tile goes in BF16: into C, or to the rank that owns it.
#pragma once

#include "common/device.cuh"
#include "common/ptx/fence.cuh"
#include "common/ptx/flag.cuh"
#include "common/ptx/ldmatrix.cuh"
#include "common/ptx/named_barrier.cuh"
#include "common/ptx/tma.cuh"
#include "ladder/24_many_gpus/bf16_producer.cuh"
#include "ladder/24_many_gpus/world.cuh"

namespace ladder::many_gpus {

/// Sums of a thread in a vector of 16 bytes.
constexpr int kVectorSums = 8;

/// \brief  Leaves this rank's sums for a tile of another rank's C to the couriers, rounded to BF16:
///         half of the bytes on the link.
/// \param  acc   (SUMS)  of this consumer
/// \param  box   (SUMS/8, kConsumers)  the tile's place in the outbox
/// \param  sent  tiles that this block has left so far
template <int kConsumers, int SUMS>
__device__ __forceinline__ void leave_bf16(const float (&acc)[SUMS], int consumer, float4* box,
                                           unsigned* stored, unsigned sent) {
#pragma unroll
  for (int v = 0; v < SUMS / kVectorSums; ++v) {
    __align__(16) __nv_bfloat162 pairs[kVectorSums / 2];
    for (int i = 0; i < kVectorSums / 2; ++i) {
      pairs[i] =
          __float22bfloat162_rn({acc[v * kVectorSums + 2 * i], acc[v * kVectorSums + 2 * i + 1]});
    }
    box[v * kConsumers + consumer] = *reinterpret_cast<const float4*>(pairs);
  }
  ptx::barrier_sync<3, kConsumers>();
  if (consumer == 0) ptx::store_release(&stored[blockIdx.x], sent);
}

/// \brief  acc += what all other ranks have sent, in the order of their numbers.
/// \param  acc   (SUMS)  of this consumer, for a tile of this rank's own
/// \param  tile  its number among them; waits until all others' parts of it are in the inbox
template <int kConsumers, int SUMS>
__device__ __forceinline__ void add_bf16(float (&acc)[SUMS], int consumer, const World& world,
                                         int tile, unsigned epoch) {
  const int ranks = world.cut.ranks;
  for (int q = consumer; q < ranks; q += kConsumers) {
    if (q == world.cut.rank) continue;
    const unsigned* const flag = world.mine().arrived(ranks, world.place(q, tile));
    while (ptx::load_acquire_system(flag) != epoch) {
    }
  }
  ptx::barrier_sync<3, kConsumers>();
#pragma unroll 1
  for (int q = 0; q < ranks; ++q) {
    if (q == world.cut.rank) continue;
    const float4* const theirs =
        world.inbox(world.cut.rank, q, tile, SUMS / kVectorSums * kConsumers) + consumer;
#pragma unroll
    for (int v = 0; v < SUMS / kVectorSums; ++v) {
      const float4 vector = theirs[v * kConsumers];
      const auto* const pairs = reinterpret_cast<const __nv_bfloat162*>(&vector);
      for (int i = 0; i < kVectorSums / 2; ++i) {
        const float2 sums = __bfloat1622float2(pairs[i]);
        acc[v * kVectorSums + 2 * i] += sums.x;
        acc[v * kVectorSums + 2 * i + 1] += sums.y;
      }
    }
  }
}

/// A place in C, in elements, for 64 rows of a warpgroup.
struct Place {
  int first_row;  ///< of the rank whose rows these are, in C
  int row0;       ///< in that rank's rows
  int rows;       ///< that it has
  int col0;
};

/// \brief  C = alpha*acc + beta*C for a warpgroup's 64 x BN, as far as its rank has such rows. As
///         in rung 19 it leaves as boxes; only a box that reaches over the end of a rank's rows is
///         stored row by row.
/// \param  acc    (BN/2)
/// \param  boxes  (kResults)  of this warpgroup
template <int BN>
__device__ __forceinline__ void store_bf16(const float (&acc)[BN / 2], const Place& place,
                                           int group, Results* boxes, const ptx::TensorMap& map_c,
                                           int N, float alpha, float beta, bf16* C) {
  const int warp = threadIdx.x / 32 % 4;
  const int lane = threadIdx.x % 32;
  bf16* const rank_c = C + static_cast<size_t>(place.first_row) * N;
#pragma unroll
  for (int box = 0; box < BN / kBoxColumns; ++box) {
    Results& results = boxes[box % kResults];
    const int box_col = place.col0 + box * kBoxColumns;
    if (threadIdx.x % 128 == 0) ptx::tma_store_wait_read<kResults - 1>();
    ptx::barrier_sync<128>(1 + group);  // the box before the last one has been read
    for (int n = 0; n < kBoxColumns; n += 16) {
      unsigned words[4];  // two neighbours each; 8 rows further down; the same 8 columns further
      for (int i = 0; i < 4; ++i) {
        const int row = place.row0 + warp * 16 + i % 2 * 8 + lane / 4;
        const int col = box_col + n + i / 2 * 8 + lane % 4 * 2;
        const float* const sums = &acc[(box * kBoxColumns + n) / 2 + i * 2];
        float2 c = {};
        if (beta != 0.0f && row < place.rows && col < N) {
          c = __bfloat1622float2(*reinterpret_cast<const __nv_bfloat162*>(
              rank_c + static_cast<size_t>(row) * N + col));
        }
        const __nv_bfloat162 pair =
            __float22bfloat162_rn({alpha * sums[0] + beta * c.x, alpha * sums[1] + beta * c.y});
        words[i] = reinterpret_cast<const unsigned&>(pair);
      }
      const int row = warp * 16 + lane % 16;  // that this lane names, and the piece of 8 columns
      const int piece = (n / 8 + lane / 16) ^ row % 8;
      ptx::stmatrix<false>(&results.box[row][piece * 8], words);
    }
    ptx::fence_proxy_async();
    ptx::barrier_sync<128>(1 + group);  // all of the box is there
    const bool whole = place.row0 + 64 <= place.rows;
    if (threadIdx.x % 128 == 0) {
      if (whole) ptx::tma_store(map_c, place.first_row + place.row0, box_col, results.box);
      ptx::tma_store_commit();  // a group for each box, even an empty one: see the wait above
    }
    if (whole) continue;
#pragma unroll 1
    for (int v = threadIdx.x % 128; v < 64 * 8; v += 128) {  // 8 vectors of a row
      const int row = v / 8;
      const int col = box_col + v % 8 * 8;
      if (place.row0 + row < place.rows && col < N) {
        *reinterpret_cast<float4*>(rank_c + static_cast<size_t>(place.row0 + row) * N + col) =
            *reinterpret_cast<const float4*>(&results.box[row][(v % 8 ^ row % 8) * 8]);
      }
    }
  }
}

}  // namespace ladder::many_gpus
