// SPDX-License-Identifier: MIT
/// \file  ladder/11_stream_k/schedule.cuh
/// \brief The division of work: which parts of which tiles a block sums, and where they lie.
///
/// The host decides it, and every thread of a block follows it by itself: producers and consumers
/// compute the same parts in the same order and need not talk about them.
#pragma once

#include "common/device.cuh"

namespace ladder::stream_k {

/// How the work is divided, decided by the host. Tiles below first_cut are whole; the rounds of the
/// others lie end to end and are cut into equal shares.
struct Division {
  int rounds;     ///< that one tile's K takes
  int first_cut;  ///< tiles from here on are shared
  int sharers;    ///< blocks that share them: 0 to sharers - 1, the last has the first share
  int share;      ///< rounds of each of them, at most one tile's
  int longer;     ///< of them take one round more

  /// \return where a share begins, in the shared tiles' rounds
  __host__ __device__ int start_of(int sharer) const {
    return sharer * share + (sharer < longer ? sharer : longer);
  }

  /// \return the sharer that has this round
  __host__ __device__ int sharer_of(int round) const {
    const int after_longer = round - longer * (share + 1);
    return after_longer < 0 ? round / (share + 1) : longer + after_longer / share;
  }
};

/// A piece of one tile's sum over K.
struct Part {
  int tile;   ///< -1: none
  int begin;  ///< in rounds of K
  int end;
};

/// The parts that one block works on: whole tiles first, then its share of the others.
struct Schedule {
  const Division& division;
  int sharer;     ///< negative: this block has no share
  int next_tile;  ///< whole
  int position;   ///< in the shared tiles' rounds
  int end;

  __device__ explicit Schedule(const Division& division)
      : division(division),
        sharer(division.sharers - 1 - static_cast<int>(blockIdx.x)),
        next_tile(blockIdx.x),
        position(sharer < 0 ? 0 : division.start_of(sharer)),
        end(sharer < 0 ? 0 : division.start_of(sharer + 1)) {}

  __device__ Part next() {
    if (next_tile < division.first_cut) {
      const Part part = {next_tile, 0, division.rounds};
      next_tile += gridDim.x;
      return part;
    }
    if (position == end) return {-1, 0, 0};
    const int tile = position / division.rounds;
    const int begin = position - tile * division.rounds;
    const Part part = {division.first_cut + tile, begin,
                       min(division.rounds, begin + end - position)};
    position += part.end - begin;
    return part;
  }
};

/// Where tiles lie: down a column of BAND of them, then the next column, as blocks do in rung 10.
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

}  // namespace ladder::stream_k
