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
#include "ladder/24_many_gpus/stamps.cuh"
#include "ladder/24_many_gpus/world.cuh"

namespace ladder::many_gpus {

/// Number of warps that only travel.
constexpr int kCourierWarps = 4;
constexpr int kCouriers = 32 * kCourierWarps;
/// Loads of 16 bytes with which a courier fetches its part of a load of the whole block: 16 KiB.
constexpr int kLoads = 8;
constexpr int kVectors = kLoads * kCouriers;
/// Block loads under way at a time. None takes a register. 132 SMs have 6 MB on the links together:
/// more than these deliver in the time that one load takes.
constexpr int kUnderWay = 3;

/// Where the couriers' loads arrive. Each has its own places, so they need no barrier.
struct Bag {
  float4 places[kUnderWay + 1][kLoads][kCouriers];  // (kUnderWay + 1, kLoads, kCouriers)
};

/// Up to kVectors vectors that follow each other.
struct Load {
  const float4* from;
  float4* to;
  int count;
};

/// \brief  Copies loads from one rank's memory to another's, by all couriers of a block. While the
///         oldest is stored, the next ones are on their way.
/// \param  load_of    load_of(i) is the i-th Load
/// \param  delivered  delivered(i) is called when this courier has stored its part of the i-th
template <class LoadOf, class Delivered>
__device__ __forceinline__ void carry(int loads, const LoadOf& load_of, const Delivered& delivered,
                                      int courier, Bag& bag) {
  const auto start = [&](int i) {
    if (i < loads) {
      const Load load = load_of(i);
      for (int j = 0; j < kLoads; ++j) {
        const int v = j * kCouriers + courier;
        if (v < load.count) {
          ptx::cp_async_16(&bag.places[i % (kUnderWay + 1)][j][courier], load.from + v, true);
        }
      }
    }
    ptx::cp_async_commit();
  };
  for (int i = 0; i < kUnderWay; ++i)
    start(i);
#pragma unroll 1
  for (int i = 0; i < loads; ++i) {
    start(i + kUnderWay);
    ptx::cp_async_wait<kUnderWay>();
    const Load load = load_of(i);
    for (int j = 0; j < kLoads; ++j) {
      const int v = j * kCouriers + courier;
      if (v < load.count) load.to[v] = bag.places[i % (kUnderWay + 1)][j][courier];
    }
    delivered(i);
  }
}

/// Nanoseconds between two looks at a flag of this block's consumers, whose tiles take hundreds of
/// microseconds: a load that acquires empties the L1 that producers load A through.
constexpr unsigned kNap = 2000;

/// Tells all ranks that this one has begun a launch. Called by `couriers` threads of one block.
__device__ __forceinline__ void enter(const World& world, int courier, int couriers,
                                      unsigned epoch) {
  for (int q = courier; q < world.cut.ranks; q += couriers) {
    ptx::store_release_system(world.windows[q].entered(world.cut.rank), epoch);
  }
}

/// Waits, as a single thread, until rank q has begun this launch.
__device__ __forceinline__ void wait_until_entered(const World& world, int q, unsigned epoch) {
  while (static_cast<int>(ptx::load_acquire_system(world.mine().entered(q)) - epoch) < 0) {
  }
}

/// \brief  Says that this thread, for all that fetched with it, needs nothing more from other
///         ranks. The last one to say so tells the others, and waits for them: this rank's rows may
///         change after this launch.
/// \param  leaving  how many threads say so in a launch
__device__ __forceinline__ void leave(const World& world, unsigned leaving, unsigned epoch) {
  const int ranks = world.cut.ranks;
  __threadfence();
  if (atomicAdd(world.finished, 1u) != epoch * leaving - 1) return;
  __threadfence();
  for (int q = 0; q < ranks; ++q) {
    ptx::store_release_system(world.windows[q].left(ranks, world.cut.rank), epoch);
  }
  for (int q = 0; q < ranks; ++q) {
    while (static_cast<int>(ptx::load_acquire_system(world.mine().left(ranks, q)) - epoch) < 0) {
    }
  }
}

/// Waits until rank q has begun this launch.
__device__ __forceinline__ void wait_for_rank(const World& world, int q, int courier,
                                              unsigned epoch) {
  if (courier == 0) wait_until_entered(world, q, epoch);
  ptx::barrier_sync<2, kCouriers>();
}

/// \brief  Fetches the rows of A that other ranks have, the next rank's first, every gridDim.x-th
///         of them by this block.
/// \param  A  (padded rows, K)  this rank's copy of A
template <class Stamps>
__device__ __forceinline__ void fetch_rows(const World& world, float* A, int K, int courier,
                                           unsigned epoch, Bag& bag, const Stamps& stamps) {
  const Cut& cut = world.cut;
  for (int q = cut.next(cut.rank); q != cut.rank; q = cut.next(q)) {
    wait_for_rank(world, q, courier, epoch);
    const float* const theirs = world.windows[q].data<float>(world.word_bytes);
    const int per_row = (K / 4 + kVectors - 1) / kVectors;
    const int first_row = blockIdx.x;
    const int rows = max(0, cut.rows_of(q) - first_row + static_cast<int>(gridDim.x) - 1) /
                     static_cast<int>(gridDim.x);
    const auto row_of = [&](int i) {
      return q * cut.rows() + first_row + i / per_row * static_cast<int>(gridDim.x);
    };
    const auto load_of = [&](int i) -> Load {
      const int first = i % per_row * kVectors;
      const size_t begin = static_cast<size_t>(row_of(i)) * K + 4 * static_cast<size_t>(first);
      return {reinterpret_cast<const float4*>(theirs + begin), reinterpret_cast<float4*>(A + begin),
              min(kVectors, K / 4 - first)};
    };
    const auto delivered = [&](int i) {
      if ((i + 1) % per_row != 0) return;
      ptx::barrier_sync<2, kCouriers>();
      if (courier == 0) ptx::store_release(&world.here[row_of(i)], epoch);
    };
    const unsigned long long begin = stamps.now();
    carry(rows * per_row, load_of, delivered, courier, bag);
    if (courier == 0) stamps.add(kCourierTrack, Work::fetch, q, begin);
  }
}

/// \brief  Takes this block's partial tiles to the ranks whose C they belong to.
/// \param  vectors  of 16 bytes, in a tile
template <class TileOrder, class Stamps>
__device__ __forceinline__ void deliver_tiles(const World& world, const TileOrder& tiles,
                                              Schedule& schedule, Part part, int vectors,
                                              int courier, unsigned epoch, Bag& bag,
                                              const Stamps& stamps) {
  const Cut& cut = world.cut;
  unsigned sent = 0;
  for (; part.tile >= 0; part = schedule.next()) {
    const RankTile tile = tiles(part.tile);
    if (part.begin > 0 || tile.rank == cut.rank) continue;
    ++sent;
    if (courier == 0) {
      while (ptx::load_acquire(&world.stored[blockIdx.x]) < sent) {
        __nanosleep(kNap);
      }
    }
    wait_for_rank(world, tile.rank, courier, epoch);
    const unsigned long long begin = stamps.now();
    const float4* const box = world.outbox + world.place(tile.rank, tile.index) * vectors;
    float4* const theirs = world.inbox(tile.rank, cut.rank, tile.index, vectors);
    carry(
        vectors / kVectors,
        [&](int i) -> Load {
          return {box + i * kVectors, theirs + i * kVectors, kVectors};
        },
        [](int) {}, courier, bag);
    ptx::barrier_sync<2, kCouriers>();
    if (courier == 0) {
      ptx::store_release_system(
          world.windows[tile.rank].arrived(cut.ranks, world.place(cut.rank, tile.index)), epoch);
      stamps.add(kCourierTrack, Work::deliver, tile.rank, begin);
    }
  }
  if (courier == 0 && sent > 0) world.stored[blockIdx.x] = 0;  // for the next launch
}

/// \brief  A courier warp: tells the others that this rank is here, does its errands, and leaves
///         when nobody needs anything from here any more.
/// \param  part  the first of this block's parts; `schedule` has the others
template <int BM, int BN, class TileOrder, class Stamps>
__device__ __forceinline__ void travel(const World& world, const TileOrder& tiles,
                                       Schedule& schedule, Part part, float* A, int K,
                                       unsigned epoch, Bag& bag, const Stamps& stamps) {
  static_assert(BM * BN / 4 % kVectors == 0, "a tile is a whole number of loads");

  // -- Courier -------------------------------------------------------------------------------
  ptx::setmaxnreg_dec<56>();
  const int courier = threadIdx.x % kCouriers;
  if (blockIdx.x == 0) enter(world, courier, kCouriers, epoch);
  if (world.cut.form == Form::scatter) {
    deliver_tiles(world, tiles, schedule, part, BM * BN / 4, courier, epoch, bag, stamps);
    return;
  }
  fetch_rows(world, A, K, courier, epoch, bag, stamps);
  if (courier == 0) leave(world, gridDim.x, epoch);
}

}  // namespace ladder::many_gpus
