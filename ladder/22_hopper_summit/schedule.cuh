// SPDX-License-Identifier: MIT
/// \file  ladder/22_hopper_summit/schedule.cuh
/// \brief Which parts of C a cluster computes: whole tiles in turn, then a share of the last ones.
#pragma once

#include "common/device.cuh"

namespace ladder::hopper_summit {

/// What a launch computes, and how it is cut.
struct Plan {
  int k_tiles;         ///< of a tile of C
  int whole;           ///< tiles that a cluster computes alone
  int split;           ///< tiles after these, whose k tiles clusters share
  int share;           ///< k tiles that a cluster takes of the split tiles
  unsigned* counters;  ///< (kCounters)  see Pace; null: clusters do not wait for each other
  int band;            ///< rows of clusters' tiles that consecutive tiles walk through
  float4* parts;       ///< (2 * blocks, BM*BN/4)  sums of pieces of split tiles
  unsigned* flags;     ///< (split, warpgroups)  pieces that are there; zero before and after
};

/// k tiles of one tile of C.
struct Segment {
  int tile;
  int first;
  int last;  ///< one past it
};

/// Where the tiles of C are, in the order in which clusters take them: down a column of `band`
/// tiles, then the next column. BM and BN are those of a cluster.
template <int BM, int BN>
struct Order {
  int rows;  // of tiles
  int columns;
  int band;

  __device__ Order(int M, int N, int band_rows)
      : rows((M + BM - 1) / BM), columns((N + BN - 1) / BN), band(band_rows) {}
  __device__ int row(int tile) const {  // of the tile, in elements
    const int first = tile / (band * columns) * band;
    return (first + tile % (band * columns) % min(band, rows - first)) * BM;
  }
  __device__ int column(int tile) const {
    const int first = tile / (band * columns) * band;
    return tile % (band * columns) / min(band, rows - first) * BN;
  }
};

/// The segments of one cluster, one after the other.
class Segments {
 public:
  __device__ Segments(const Plan& plan, int cluster, int clusters)
      : plan_(plan),
        clusters_(clusters),
        tile_(cluster),
        at_(cluster * plan.share),
        end_(min(at_ + plan.share, plan.split * plan.k_tiles)) {}

  /// k tiles in all segments that are left.
  __device__ int k_tiles() const {
    const int whole = tile_ < plan_.whole ? (plan_.whole - tile_ - 1) / clusters_ + 1 : 0;
    return whole * plan_.k_tiles + max(0, end_ - at_);
  }
  __device__ bool next(Segment& segment) {
    if (tile_ < plan_.whole) {
      segment = {tile_, 0, plan_.k_tiles};
      tile_ += clusters_;
      return true;
    }
    if (at_ >= end_) return false;
    const int tile = at_ / plan_.k_tiles;
    const int first = at_ - tile * plan_.k_tiles;
    segment = {plan_.whole + tile, first, min(plan_.k_tiles, first + end_ - at_)};
    at_ += segment.last - first;
    return true;
  }

 private:
  const Plan& plan_;
  int clusters_;
  int tile_;
  int at_;  // k tile, counted through all split tiles
  int end_;
};

}  // namespace ladder::hopper_summit
