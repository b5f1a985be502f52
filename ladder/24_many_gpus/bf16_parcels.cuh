// SPDX-License-Identifier: MIT
/// \file  ladder/24_many_gpus/bf16_parcels.cuh
/// \brief How rows of A travel in BF16: in parcels, which are counted as they arrive.
#pragma once

#include <cstddef>

#include "common/device.cuh"
#include "ladder/24_many_gpus/world.cuh"

namespace ladder::many_gpus {

constexpr int kParcelRows = 4;
/// Elements of K in a parcel. A tile can begin when the first of its rows' chunks are there, so the
/// last rows to arrive are multiplied while they arrive.
constexpr int kChunk = 1024;
constexpr int kCountedRows = 128;  ///< rows that have a counter together: those of a block's tile

/// \brief Parcels, and their counters. A counter has a count for each parcel of 128 rows and a
///        chunk of K, and of each launch: nobody resets it.
struct Parcels {
  const Cut& cut;

  constexpr int chunks() const { return ceil_div(cut.whole.K, kChunk); }
  /// In one chunk of rank q's rows.
  constexpr int of_rank(int q) const { return ceil_div(cut.rows_of(q), kParcelRows); }
  constexpr std::size_t counters() const {
    return static_cast<std::size_t>(cut.ranks) * ceil_div(cut.rows(), kCountedRows) * chunks();
  }
  /// \param row  of rank q's
  constexpr std::size_t counter(int q, int row, int chunk) const {
    const int rows = q * ceil_div(cut.rows(), kCountedRows) + row / kCountedRows;
    return static_cast<std::size_t>(rows) * chunks() + chunk;
  }
  /// What a launch adds to the counter of a row and a chunk.
  constexpr unsigned counted(int q, int row) const {
    const int left = cut.rows_of(q) - row / kCountedRows * kCountedRows;
    return ceil_div(left < kCountedRows ? left : kCountedRows, kParcelRows);
  }
};

}  // namespace ladder::many_gpus
