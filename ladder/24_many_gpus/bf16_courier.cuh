// SPDX-License-Identifier: MIT
/// \file  ladder/24_many_gpus/bf16_courier.cuh
/// \brief Couriers of the BF16 kernel: the three warps of the producer's warpgroup that rung 19 has
///        and does not use.
#pragma once

#include "common/device.cuh"
#include "common/ptx/flag.cuh"
#include "common/ptx/named_barrier.cuh"
#include "ladder/24_many_gpus/bf16_parcels.cuh"
#include "ladder/24_many_gpus/courier.cuh"
#include "ladder/24_many_gpus/stamps.cuh"
#include "ladder/24_many_gpus/world.cuh"

namespace ladder::many_gpus {

constexpr int kBf16CourierWarps = 3;
constexpr int kBf16Couriers = 32 * kBf16CourierWarps;
/// Loads of 16 bytes that a lane has under way. They wait in registers, because stages and results
/// leave no room in shared memory: 12 KB of an SM, 1.6 MB of 132.
constexpr int kLaneLoads = 8;

/// \brief  Copies a parcel, or what there is of it, by one warp.
/// \param  from,to  its first vector in another rank's A, and in this rank's copy
/// \param  pitch    of A's rows, in vectors
/// \param  vectors  of a row of the parcel, at most kChunk/8
__device__ __forceinline__ void carry_parcel(const float4* from, float4* to, int pitch, int rows,
                                             int vectors, int lane) {
  constexpr int kRowLoads = kChunk / 8 / 32;  // of a lane, for a row
  constexpr int kRows = kLaneLoads / kRowLoads;
  static_assert(kChunk % (8 * 32) == 0 && kLaneLoads % kRowLoads == 0 && kParcelRows % kRows == 0,
                "whole rows are under way");
#pragma unroll 1
  for (int row0 = 0; row0 < rows; row0 += kRows) {
    const size_t first = static_cast<size_t>(row0) * pitch + lane;
    float4 loaded[kRows][kRowLoads];
    for (int r = 0; r < kRows; ++r) {
      for (int i = 0; i < kRowLoads; ++i) {
        const bool inside = row0 + r < rows && i * 32 + lane < vectors;
        loaded[r][i] = inside ? from[first + static_cast<size_t>(r) * pitch + i * 32] : float4{};
      }
    }
    for (int r = 0; r < kRows; ++r) {
      for (int i = 0; i < kRowLoads; ++i) {
        if (row0 + r < rows && i * 32 + lane < vectors) {
          to[first + static_cast<size_t>(r) * pitch + i * 32] = loaded[r][i];
        }
      }
    }
  }
}

/// \brief  Fetches what other ranks have of A, the next rank's first. Of each rank's rows, all rows
///         of one chunk of K, then of the next. Each courier warp takes a parcel in turn.
/// \param  A  (padded rows, K)  this rank's copy
template <class Stamps>
__device__ __forceinline__ void fetch_parcels(const World& world, __nv_bfloat16* A, int warp,
                                              int lane, unsigned epoch, const Stamps& stamps) {
  const Cut& cut = world.cut;
  const Parcels parcels = {cut};
  const int pitch = cut.whole.K / 8;
  for (int q = cut.next(cut.rank); q != cut.rank; q = cut.next(q)) {
    if (lane == 0) wait_until_entered(world, q, epoch);
    __syncwarp();
    const auto* const theirs = world.windows[q].data<float4>(world.word_bytes);
    const unsigned long long begin_ns = stamps.now();
    const int per_chunk = parcels.of_rank(q);
#pragma unroll 1
    for (int p = blockIdx.x * kBf16CourierWarps + warp; p < per_chunk * parcels.chunks();
         p += gridDim.x * kBf16CourierWarps) {
      const int chunk = p / per_chunk;
      const int row0 = p % per_chunk * kParcelRows;
      const size_t begin =
          (static_cast<size_t>(q) * cut.rows() + row0) * pitch + chunk * (kChunk / 8);
      carry_parcel(theirs + begin, reinterpret_cast<float4*>(A) + begin, pitch,
                   min(kParcelRows, cut.rows_of(q) - row0),
                   min(kChunk / 8, pitch - chunk * (kChunk / 8)), lane);
      __syncwarp();
      if (lane == 0) ptx::add_release(&world.here[parcels.counter(q, row0, chunk)], 1);
    }
    if (warp == 0 && lane == 0) stamps.add(kCourierTrack, Work::fetch, q, begin_ns);
  }
}

/// \brief  Takes this block's tiles of other ranks' C to them, as consumers finish them.
/// \param  count    tiles of all ranks' pairs of rows
/// \param  half     which of a pair's tiles is this block's
/// \param  vectors  of 16 bytes, in a block's tile
template <int PAIR, class TileOrder, class Stamps>
__device__ __forceinline__ void deliver_bf16(const World& world, const TileOrder& tiles, int count,
                                             int half, int vectors, int courier, unsigned epoch,
                                             const Stamps& stamps) {
  const Cut& cut = world.cut;
  const int warp = courier / 32;
  const int lane = courier % 32;
  unsigned sent = 0;
  for (int t = blockIdx.x / PAIR; t < count; t += gridDim.x / PAIR) {
    const RankTile tile = tiles(t);
    if (tile.rank == cut.rank) continue;
    ++sent;
    if (courier == 0) {
      while (ptx::load_acquire(&world.stored[blockIdx.x]) < sent) {
        __nanosleep(kNap);
      }
      wait_until_entered(world, tile.rank, epoch);
    }
    ptx::barrier_sync<4, kBf16Couriers>();
    const unsigned long long begin = stamps.now();
    const int index = tile.index * PAIR + half;
    const float4* const box = world.outbox + world.place(tile.rank, index) * vectors;
    float4* const theirs = world.inbox(tile.rank, cut.rank, index, vectors);
#pragma unroll 1
    for (int first = warp * 32 * kLaneLoads; first < vectors;
         first += kBf16CourierWarps * 32 * kLaneLoads) {
      float4 loaded[kLaneLoads];
#pragma unroll
      for (int i = 0; i < kLaneLoads; ++i)
        loaded[i] = box[first + i * 32 + lane];
#pragma unroll
      for (int i = 0; i < kLaneLoads; ++i)
        theirs[first + i * 32 + lane] = loaded[i];
    }
    ptx::barrier_sync<4, kBf16Couriers>();
    if (courier == 0) {
      ptx::store_release_system(
          world.windows[tile.rank].arrived(cut.ranks, world.place(cut.rank, index)), epoch);
      stamps.add(kCourierTrack, Work::deliver, tile.rank, begin);
    }
  }
  if (courier == 0 && sent > 0) world.stored[blockIdx.x] = 0;  // for the next launch
}

/// \brief  A courier warp from beginning to end; see travel().
template <Form FORM, int PAIR, class TileOrder, class Stamps>
__device__ __forceinline__ void travel_bf16(const World& world, const TileOrder& tiles, int count,
                                            int half, int vectors, __nv_bfloat16* A, unsigned epoch,
                                            const Stamps& stamps) {
  // -- Courier -------------------------------------------------------------------------------
  const int courier = threadIdx.x - 32;  // the producer's warp comes first
  if (blockIdx.x == 0) enter(world, courier, kBf16Couriers, epoch);
  if constexpr (FORM == Form::scatter) {
    deliver_bf16<PAIR>(world, tiles, count, half, vectors, courier, epoch, stamps);
  } else {
    fetch_parcels(world, A, courier / 32, courier % 32, epoch, stamps);
    if (courier % 32 == 0) leave(world, gridDim.x * kBf16CourierWarps, epoch);
  }
}

}  // namespace ladder::many_gpus
