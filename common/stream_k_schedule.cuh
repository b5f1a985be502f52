// SPDX-License-Identifier: MIT
/// \file  common/stream_k_schedule.cuh
/// \brief Stream-K: which parts of which tiles a block works on, and where tiles lie. Rungs 12 to
///        14 share it.
///
/// The host decides how the work is split, and every thread of a block follows that plan by itself:
/// producers and consumers work out the same parts in the same order, without communicating.
#pragma once

#include "common/device.cuh"
#include "common/gemm.hpp"

namespace ladder {

/// How the work is split, decided by the host. Tiles below first_split are whole. The k tiles of
/// all others form one long row, and each rank has an equal share of it.
struct Decomposition {
  int k_tiles;      ///< that one tile of C takes
  int first_split;  ///< tiles from here on are split along K
  int ranks;        ///< blocks that share them: block `ranks - 1 - r` has rank r
  int share;        ///< k tiles of each rank, at most those of one tile
  int longer;       ///< so many ranks, the first ones, have one k tile more

  /// \return where a rank's share begins, in the row of k tiles
  __host__ __device__ int start_of(int rank) const {
    return rank * share + (rank < longer ? rank : longer);
  }

  /// \return the rank whose share holds this k tile of the row
  __host__ __device__ int rank_of(int k_tile) const {
    const int after_longer = k_tile - longer * (share + 1);
    return after_longer < 0 ? k_tile / (share + 1) : longer + after_longer / share;
  }
};

/// \brief  How to split tiles among blocks: whole tiles as long as every block gets one, then as
///         many ranks as finish the rest soonest. The fewest, if several are as fast.
/// \param  k_tiles  of one tile
/// \param  sms      blocks; each has an SM to itself
/// \param  cost     cost(k_tiles, peers): what a rank takes to multiply so many k tiles, and to add
///                  up what so many peers have
template <class Cost>
Decomposition decompose(long long tiles, int k_tiles, int sms, Cost cost) {
  const int left = static_cast<int>(tiles % sms);
  const int whole = static_cast<int>(tiles - left);
  if (left == 0) return {k_tiles, whole, 0, 0, 0};
  const long long row = static_cast<long long>(left) * k_tiles;
  const auto cost_of = [&](int ranks) {
    return cost(static_cast<int>((row + ranks - 1) / ranks), ceil_div(ranks, left));
  };
  int best = left;  // one tile per rank
  for (int ranks = left + 1; ranks <= sms && ranks <= row; ++ranks) {
    if (cost_of(ranks) < cost_of(best)) best = ranks;
  }
  return {k_tiles, whole, best, static_cast<int>(row / best), static_cast<int>(row % best)};
}

/// \brief Number of partial tiles that the first of a tile's peers adds, one after the other.
/// \param fan_in  of the tree in which peers add; 1: the first peer adds all
inline int parts_in_turn(int fan_in, int peers) {
  if (fan_in == 1) return peers - 1;
  int parts = 0;
  for (; peers > 1; peers = ceil_div(peers, fan_in)) {
    parts += (peers < fan_in ? peers : fan_in) - 1;
  }
  return parts;
}

/// A piece of one tile's sum over K.
struct Part {
  int tile;   ///< -1: none
  int begin;  ///< in k tiles
  int end;
};

/// The parts that one block works on: whole tiles first, then its share of the split ones.
struct Schedule {
  const Decomposition& split;
  int rank;       ///< negative: this block has no share
  int next_tile;  ///< whole
  int position;   ///< in the row of k tiles
  int end;

  __device__ explicit Schedule(const Decomposition& split)
      : split(split),
        rank(split.ranks - 1 - static_cast<int>(blockIdx.x)),
        next_tile(blockIdx.x),
        position(rank < 0 ? 0 : split.start_of(rank)),
        end(rank < 0 ? 0 : split.start_of(rank + 1)) {}

  __device__ Part next() {
    if (next_tile < split.first_split) {
      const Part part = {next_tile, 0, split.k_tiles};
      next_tile += gridDim.x;
      return part;
    }
    if (position == end) return {-1, 0, 0};
    const int tile = position / split.k_tiles;
    const int begin = position - tile * split.k_tiles;
    const Part part = {split.first_split + tile, begin, min(split.k_tiles, begin + end - position)};
    position += part.end - begin;
    return part;
  }
};

/// Where tiles lie: down a column of BAND of them, then the next column, as blocks do in rung 11.
template <int BM, int BN, int BAND>
struct TileOrder {
  int tiles_m;  ///< block rows of C
  int tiles_n;  ///< block columns of C

  /// \return the first row of C in the tile
  __device__ int row_of(int tile) const {
    const int band = tile / (BAND * tiles_n);
    const int height = min(BAND, tiles_m - band * BAND);
    return (band * BAND + tile % (BAND * tiles_n) % height) * BM;
  }

  /// \return the first column of C in the tile
  __device__ int col_of(int tile) const {
    const int band = tile / (BAND * tiles_n);
    const int height = min(BAND, tiles_m - band * BAND);
    return tile % (BAND * tiles_n) / height * BN;
  }
};

}  // namespace ladder
