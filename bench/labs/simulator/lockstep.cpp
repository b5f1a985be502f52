// SPDX-License-Identifier: MIT
/// \file  bench/labs/simulator/lockstep.cpp
/// \brief Waves of blocks that multiply matrices in step, and what they miss in one cache.
#include "bench/labs/simulator/lockstep.hpp"

#include <algorithm>
#include <numeric>

namespace ladder::labs {
namespace {

constexpr std::uint64_t kElementBytes = 4;

/// Reads `count` elements of a row.
std::uint64_t missed_of(SectoredCache& cache, std::uint64_t first, int count) {
  const std::uint64_t sector = cache.shape().sector_bytes;
  const std::uint64_t end = first + kElementBytes * static_cast<std::uint64_t>(count);
  std::uint64_t missed = 0;
  for (std::uint64_t address = first / sector * sector; address < end; address += sector)
    missed += cache.access(address) ? 0 : sector;
  return missed;
}

}  // namespace

double LockstepReads::burst() const {
  const double largest = static_cast<double>(*std::ranges::max_element(missed_by_step));
  return largest * static_cast<double>(missed_by_step.size()) / static_cast<double>(missed_bytes);
}

LockstepReads lockstep_reads(std::span<const int> order, const TileGrid& grid,
                             const TileShape& tile, int K, int in_flight, const CacheShape& shape) {
  SectoredCache cache(shape, 1);
  const std::uint64_t row_of_a = kElementBytes * static_cast<std::uint64_t>(K);
  const std::uint64_t row_of_b =
      kElementBytes * static_cast<std::uint64_t>(grid.columns) * static_cast<unsigned>(tile.BN);
  const std::uint64_t start_of_b =
      row_of_a * static_cast<std::uint64_t>(grid.rows) * static_cast<unsigned>(tile.BM);
  LockstepReads reads;
  reads.missed_by_step.resize(static_cast<std::size_t>(K / tile.BK));
  const auto read_tiles = [&](int number, int k0) {
    const auto row = static_cast<std::uint64_t>(number / grid.columns * tile.BM);
    const auto column = static_cast<std::uint64_t>(number % grid.columns * tile.BN);
    std::uint64_t missed = 0;
    for (std::uint64_t m = row; m < row + static_cast<unsigned>(tile.BM); ++m)
      missed += missed_of(cache, m * row_of_a + static_cast<unsigned>(k0) * kElementBytes, tile.BK);
    for (auto k = static_cast<std::uint64_t>(k0); k < static_cast<unsigned>(k0 + tile.BK); ++k)
      missed += missed_of(cache, start_of_b + k * row_of_b + column * kElementBytes, tile.BN);
    reads.requested_bytes += kElementBytes * static_cast<std::uint64_t>(tile.BK) *
                             static_cast<unsigned>(tile.BM + tile.BN);
    return missed;
  };
  for (std::size_t first = 0; first < order.size(); first += static_cast<std::size_t>(in_flight)) {
    cache.clear();
    const auto wave = order.subspan(
        first, std::min<std::size_t>(static_cast<std::size_t>(in_flight), order.size() - first));
    for (std::size_t step = 0; step < reads.missed_by_step.size(); ++step)
      for (const int number : wave)
        reads.missed_by_step[step] += read_tiles(number, static_cast<int>(step) * tile.BK);
  }
  reads.missed_bytes =
      std::accumulate(reads.missed_by_step.begin(), reads.missed_by_step.end(), std::uint64_t{0});
  return reads;
}

}  // namespace ladder::labs
