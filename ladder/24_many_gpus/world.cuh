// SPDX-License-Identifier: MIT
/// \file  ladder/24_many_gpus/world.cuh
/// \brief Which rank this is, where the others' memory lies, and in which order it visits them.
#pragma once

#include "common/device.cuh"
#include "common/stream_k_schedule.cuh"
#include "ladder/24_many_gpus/cut.hpp"

namespace ladder::many_gpus {

/// The memory that a rank opens to the others. It begins with flags, each an epoch: the number of
/// the launch that set it, so that nobody has to reset them.
struct Window {
  unsigned char* memory;

  /// (ranks)  rank q has begun this launch: what it lends is ready, what it lent before is free
  __device__ unsigned* entered(int q) const { return words() + q; }
  /// (ranks)  rank q has taken all that it needs from here
  __device__ unsigned* left(int ranks, int q) const { return words() + ranks + q; }
  /// (ranks * tiles)  a partial tile is in the inbox: see World::place()
  __device__ unsigned* arrived(int ranks, size_t place) const {
    return words() + 2 * ranks + place;
  }
  /// What the ranks exchange: rows of A (gather), or partial tiles (scatter).
  template <class T>
  __device__ T* data(size_t word_bytes) const {
    return reinterpret_cast<T*>(memory + word_bytes);
  }

 private:
  __device__ unsigned* words() const { return reinterpret_cast<unsigned*>(memory); }
};

/// All ranks, seen from one of them.
struct World {
  Cut cut;
  size_t word_bytes;      ///< of a window, before its data
  int tiles_per_rank;     ///< partial tiles that an inbox has room for, from each rank (scatter)
  const Window* windows;  ///< (ranks)  in global memory
  unsigned* started;      ///< (1)  blocks that have ever started here
  unsigned* finished;     ///< (1)  blocks whose couriers have ever finished
  unsigned* here;         ///< gather: (padded rows)  epoch in which a row of A arrived; in BF16
                          ///< (Parcels::counters())  parcels that have ever arrived
  unsigned* stored;  ///< (blocks)  partial tiles that a block has left for its couriers (scatter)
  float4* outbox;    ///< (ranks, tiles_per_rank, BM*BN/4)  partial tiles for others (scatter)

  __device__ Window mine() const { return windows[cut.rank]; }
  /// Where rank `owner` gets partial tiles of its C from rank `from`.
  __device__ float4* inbox(int owner, int from, int tile, int vectors) const {
    return windows[owner].data<float4>(word_bytes) + place(from, tile) * vectors;
  }
  /// Number of a rank's tile among those of all ranks.
  __device__ size_t place(int rank, int tile) const {
    return static_cast<size_t>(rank) * tiles_per_rank + tile;
  }
};

/// A tile of C among those of the rank whose rows it lies in.
struct RankTile {
  int rank;   ///< whose rows of A (gather) or C (scatter)
  int index;  ///< among that rank's tiles
  int row0;   ///< in that rank's rows
  int col0;
};

/// \brief Where tiles lie: those of one rank's rows after those of another's. A rank that gathers
///        begins with its own rows, because they are here; one that scatters ends with its own,
///        because it adds to them what the others send. No two ranks turn to the same peer at a
///        time.
template <int BM, int BN, int BAND>
struct RankTileOrder {
  const World& world;
  int tiles_n;  ///< block columns of C

  __device__ RankTile operator()(int tile) const {
    const Cut& cut = world.cut;
    int rank = cut.form == Form::gather ? cut.rank : cut.next(cut.rank);
    TileOrder<BM, BN, BAND> tiles = of_rank(rank);
    while (tile >= tiles.tiles_m * tiles_n) {
      tile -= tiles.tiles_m * tiles_n;
      rank = cut.next(rank);
      tiles = of_rank(rank);
    }
    if (cut.form == Form::gather) {  // row by row, as they arrive
      const TileOrder<BM, BN, 1> as_they_arrive = {tiles.tiles_m, tiles_n};
      return {rank, tile, as_they_arrive.row_of(tile), as_they_arrive.col_of(tile)};
    }
    return {rank, tile, tiles.row_of(tile), tiles.col_of(tile)};
  }

 private:
  __device__ TileOrder<BM, BN, BAND> of_rank(int rank) const {
    return {(world.cut.rows_of(rank) + BM - 1) / BM, tiles_n};
  }
};

}  // namespace ladder::many_gpus
