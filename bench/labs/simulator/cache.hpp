// SPDX-License-Identifier: MIT
/// \file  bench/labs/simulator/cache.hpp
/// \brief A cache of lines with sectors, set by set, as the simulated memory system has them.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

namespace ladder::labs {

/// Which line of a full set makes room.
enum class Victim : std::uint8_t { lru, fifo, random, tree_plru };

/// Which set a line belongs to.
enum class SetIndex : std::uint8_t {
  modulo,  ///< line mod sets: lines that lie a power of two apart compete
  /// As modulo, but each row of lines as long as there are sets is rotated by a hash of its number:
  /// neighbours still spread evenly, and no stride competes with itself.
  hashed,
};

struct CacheShape {
  std::uint64_t bytes = 0;
  int ways = 16;
  std::uint64_t line_bytes = 128;
  std::uint64_t sector_bytes = 32;  ///< what a miss fetches; at most 8 to a line
  Victim victim = Victim::lru;
  SetIndex index = SetIndex::hashed;

  std::uint64_t lines() const { return bytes / line_bytes; }
  std::uint64_t sets() const { return lines() / static_cast<std::uint64_t>(ways); }
};

/// Tags of a set-associative cache; holds no data.
class SectoredCache {
 public:
  /// \throws std::invalid_argument  the ways do not divide the lines, tree-PLRU with other than a
  ///         power of two (at most 32) of ways, or more than 8 sectors to a line
  SectoredCache(const CacheShape& shape, std::uint64_t seed);

  /// \brief  Reads the sector of an address, and fetches it if it is not there. Addresses lie below
  ///         2^32 - 1 lines.
  /// \return whether it was there
  bool access(std::uint64_t address) {
    return access(address / shape_.line_bytes, address % shape_.line_bytes / shape_.sector_bytes);
  }
  /// \brief  As access(address), by the number of the line and of the sector in it.
  bool access(std::uint64_t line, std::uint64_t sector) { return access(line, sector, line); }
  /// \brief  As above; `place` tells the set in place of the number of the line.
  bool access(std::uint64_t line, std::uint64_t sector, std::uint64_t place);
  /// Whether the sector of an address is there; changes nothing.
  bool holds(std::uint64_t address) const;
  /// Empties the cache.
  void clear();

  const CacheShape& shape() const { return shape_; }

 private:
  std::uint64_t set_of(std::uint64_t place) const;
  std::size_t victim_in(std::uint64_t set);
  void touch(std::uint64_t set, std::size_t way);

  CacheShape shape_;
  std::uint64_t sets_;
  std::size_t ways_;
  std::uint64_t seed_;
  // Under LRU and FIFO, the newest line of a set comes first.
  std::vector<std::uint32_t> lines_;   // (sets, ways): line + 1; 0 is empty
  std::vector<std::uint8_t> sectors_;  // (sets, ways): a bit for each sector that is there
  std::vector<std::uint32_t> trees_;   // (sets,): the bits of tree-PLRU, node 1 is the root
  std::minstd_rand random_;
};

}  // namespace ladder::labs
