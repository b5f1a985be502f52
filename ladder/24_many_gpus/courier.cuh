// SPDX-License-Identifier: MIT
/// \file  ladder/24_many_gpus/courier.cuh
/// \brief The warps that only travel: they fetch rows of A from other ranks, or take partial tiles
///        there, while the others of their block multiply.
#pragma once

#include "common/device.cuh"
#include "common/ptx/cp_async.cuh"
#include "common/ptx/flag.cuh"
#include "common/ptx/named_barrier.cuh"
#include "common/ptx/registers.cuh"
#include "common/stream_k_schedule.cuh"
#include "ladder/24_many_gpus/world.cuh"

namespace ladder::many_gpus {

/// Number of warps that only travel.
constexpr int kCourierWarps = 4;
constexpr int kCouriers = 32 * kCourierWarps;
/// What a courier has under way at a time, in loads of 16 bytes. Without a register: 132 SMs have
/// 2 MB on the links together, more than these deliver in the time that one load takes.
constexpr int kLoads = 8;

/// Where the couriers' loads arrive. Each has its own places, so they need no barrier.
struct Bag {
  float4 places[2][kLoads][kCouriers];  // (2, kLoads, kCouriers)
};

/// \brief  Copies `count` vectors from one rank's memory to another's, by all couriers of a block.
__device__ __forceinline__ void carry(const float4* from, float4* to, int count, int courier,
                                      Bag& bag) {
  const auto start = [&](int first) {
    for (int i = 0; i < kLoads; ++i) {
      const int v = first + i * kCouriers + courier;
      if (v < count) {
        ptx::cp_async_16(&bag.places[first / (kLoads * kCouriers) % 2][i][courier], from + v, true);
      }
    }
    ptx::cp_async_commit();
  };
  start(0);
#pragma unroll 1
  for (int first = 0; first < count; first += kLoads * kCouriers) {
    start(first + kLoads * kCouriers);
    ptx::cp_async_wait<1>();
    for (int i = 0; i < kLoads; ++i) {
      const int v = first + i * kCouriers + courier;
      if (v < count) to[v] = bag.places[first / (kLoads * kCouriers) % 2][i][courier];
    }
  }
}

/// Waits until rank q has begun this launch.
__device__ __forceinline__ void wait_for_rank(const World& world, int q, int courier,
                                              unsigned epoch) {
  if (courier == 0) {
    while (static_cast<int>(ptx::load_acquire_system(world.mine().entered(q)) - epoch) < 0) {
    }
  }
  ptx::barrier_sync<2, kCouriers>();
}

/// \brief  Fetches the rows of A that other ranks have, the next rank's first, every gridDim.x-th
///         of them by this block.
/// \param  A  (padded rows, K)  this rank's copy of A
__device__ __forceinline__ void fetch_rows(const World& world, float* A, int K, int courier,
                                           unsigned epoch, Bag& bag) {
  const Cut& cut = world.cut;
  for (int q = cut.next(cut.rank); q != cut.rank; q = cut.next(q)) {
    wait_for_rank(world, q, courier, epoch);
    const float* const theirs = world.windows[q].data<float>(world.word_bytes);
#pragma unroll 1
    for (int r = blockIdx.x; r < cut.rows_of(q); r += gridDim.x) {
      const int row = q * cut.rows() + r;
      const size_t first = static_cast<size_t>(row) * K;
      carry(reinterpret_cast<const float4*>(theirs + first), reinterpret_cast<float4*>(A + first),
            K / 4, courier, bag);
      ptx::barrier_sync<2, kCouriers>();
      if (courier == 0) ptx::store_release(&world.here[row], epoch);
    }
  }
}

/// \brief  Takes this block's partial tiles to the ranks whose C they belong to.
/// \param  vectors  of 16 bytes, in a tile
template <class TileOrder>
__device__ __forceinline__ void deliver_tiles(const World& world, const TileOrder& tiles,
                                              Schedule& schedule, Part part, int vectors,
                                              int courier, unsigned epoch, Bag& bag) {
  const Cut& cut = world.cut;
  unsigned sent = 0;
  for (; part.tile >= 0; part = schedule.next()) {
    const RankTile tile = tiles(part.tile);
    if (part.begin > 0 || tile.rank == cut.rank) continue;
    ++sent;
    if (courier == 0) {
      while (ptx::load_acquire(&world.stored[blockIdx.x]) < sent) {
      }
    }
    wait_for_rank(world, tile.rank, courier, epoch);
    carry(world.outbox + world.place(tile.rank, tile.index) * vectors,
          world.inbox(tile.rank, cut.rank, tile.index, vectors), vectors, courier, bag);
    ptx::barrier_sync<2, kCouriers>();
    if (courier == 0) {
      const Window& theirs = world.windows[tile.rank];
      ptx::store_release_system(theirs.arrived(cut.ranks, world.place(cut.rank, tile.index)),
                                epoch);
    }
  }
  if (courier == 0 && sent > 0) world.stored[blockIdx.x] = 0;  // for the next launch
}

/// \brief  A courier warp: tells the others that this rank is here, does its errands, and leaves
///         when nobody needs anything from here any more.
/// \param  part  the first of this block's parts; `schedule` has the others
template <int BM, int BN, class TileOrder>
__device__ __forceinline__ void travel(const World& world, const TileOrder& tiles,
                                       Schedule& schedule, Part part, float* A, int K,
                                       unsigned epoch, Bag& bag) {
  // -- Courier -------------------------------------------------------------------------------
  ptx::setmaxnreg_dec<56>();
  const Cut& cut = world.cut;
  const int courier = threadIdx.x % kCouriers;
  if (blockIdx.x == 0) {
    for (int q = courier; q < cut.ranks; q += kCouriers) {
      ptx::store_release_system(world.windows[q].entered(cut.rank), epoch);
    }
  }
  if (cut.form == Form::scatter) {
    deliver_tiles(world, tiles, schedule, part, BM * BN / 4, courier, epoch, bag);
    return;
  }
  fetch_rows(world, A, K, courier, epoch, bag);
  if (courier != 0) return;
  // The last block to finish tells the others, and waits for them: this rank's rows may change
  // after this launch.
  __threadfence();
  if (atomicAdd(world.finished, 1u) != epoch * gridDim.x - 1) return;
  __threadfence();
  for (int q = 0; q < cut.ranks; ++q) {
    ptx::store_release_system(world.windows[q].left(cut.ranks, cut.rank), epoch);
  }
  for (int q = 0; q < cut.ranks; ++q) {
    while (static_cast<int>(ptx::load_acquire_system(world.mine().left(cut.ranks, q)) - epoch) <
           0) {
    }
  }
}

}  // namespace ladder::many_gpus
