// SPDX-License-Identifier: MIT
/// \file  ladder/22_hopper_summit/schedule.cuh
/// \brief Which parts of C a cluster computes: whole tiles in turn, then a share of the last ones.
#pragma once

#include "common/device.cuh"

namespace ladder::hopper_summit {

/// A number to divide by, at least 1. A division is dozens of instructions, one after the other,
/// and the first loads would wait for it; multiplying by the reciprocal gives the same quotient of
/// numbers below 2^31.
struct Divisor {
  unsigned value;
  unsigned long long reciprocal;  // 2^64 / value, rounded up, modulo 2^64: of 1, that is 0

  Divisor(int number)
      : value(static_cast<unsigned>(number)),
        reciprocal(~0ULL / static_cast<unsigned>(number) + 1) {}
  __device__ int quotient(int number) const {
    return value == 1 ? number
                      : static_cast<int>(__umul64hi(static_cast<unsigned>(number), reciprocal));
  }
};

/// Where a tile of a cluster begins, in tiles.
struct Position {
  int row;
  int column;
};

/// The order in which clusters take tiles of C: down a column of `band` tiles, then the next one.
class Order {
 public:
  /// \param rows,columns  of tiles of clusters
  Order(int rows, int columns, int band)
      : band_(band),
        last_band_((rows - 1) / band),
        per_band_(band * columns),
        in_band_(band),
        in_last_band_(rows - (rows - 1) / band * band) {}

  __device__ Position position(int tile) const {
    const int band = per_band_.quotient(tile);
    const int rest = tile - band * static_cast<int>(per_band_.value);
    const Divisor& rows = band < last_band_ ? in_band_ : in_last_band_;
    const int column = rows.quotient(rest);
    return {band * band_ + rest - column * static_cast<int>(rows.value), column};
  }

 private:
  int band_;
  int last_band_;
  Divisor per_band_;      // tiles
  Divisor in_band_;       // rows of tiles
  Divisor in_last_band_;  // likewise
};

/// What a launch computes, and how it is cut. Rows and columns of blocks in a cluster are powers of
/// two.
struct Plan {
  int log_rows;        ///< of blocks in a cluster, which share B
  int log_columns;     ///< of blocks in a cluster, which share A
  int k_tiles;         ///< of a tile of C
  Divisor per_tile;    ///< the same
  int whole;           ///< tiles that a cluster computes alone
  int split;           ///< tiles after these, whose k tiles clusters share
  int share;           ///< k tiles that a cluster takes of the split tiles
  unsigned* counters;  ///< (kCounters)  see Pace; null: clusters do not wait for each other
  Order order;         ///< of tiles
  float4* parts;       ///< (2 * blocks, BM*BN/4)  sums of pieces of split tiles
  unsigned* flags;     ///< (split, warpgroups)  pieces that are there; zero before and after
};

/// k tiles of one tile of C.
struct Segment {
  int tile;
  int first;
  int last;  ///< one past it
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
    const int tile = plan_.per_tile.quotient(at_);
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
