// SPDX-License-Identifier: MIT
/// \file  bench/labs/simulator/lockstep.hpp
/// \brief Waves of blocks that multiply matrices in step, and what they miss in one cache.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bench/labs/analysis/tile_order.hpp"
#include "bench/labs/simulator/cache.hpp"

namespace ladder::labs {

/// What waves read in step.
struct LockstepReads {
  std::uint64_t requested_bytes = 0;
  std::uint64_t missed_bytes = 0;
  std::vector<std::uint64_t> missed_by_step;  ///< bytes, summed over the waves; by step along K

  double hit_rate() const {
    return 1.0 - static_cast<double>(missed_bytes) / static_cast<double>(requested_bytes);
  }
  /// The largest miss of a step over the mean: 1 where misses come evenly.
  double burst() const;
};

/// \brief  Lets all blocks of a wave read their tiles of A and B at one k, then at the next one.
///         Each wave finds an empty cache.
/// \param  K  extent in elements of 4 bytes, a multiple of tile.BK; rows of A and B begin at
///            multiples of 128 bytes
LockstepReads lockstep_reads(std::span<const int> order, const TileGrid& grid,
                             const TileShape& tile, int K, int in_flight, const CacheShape& cache);

}  // namespace ladder::labs
