// SPDX-License-Identifier: MIT
/// \file  emulator/trace/sector_cache.hpp
/// \brief A cache as GPUs have them: lines of 128 bytes, each sector of 32 bytes fetched by itself.
///        L1 and the partitions of L2 are such caches; replay.hpp puts them together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "emulator/trace/block_stream.hpp"

namespace ladder::emulator {

/// \brief A line of global memory with the one hash that decides all about its place: the set of a
///        cache that keeps it, its home partition of L2, and whether it is in a sample of the
///        lines. The lines of a sample are those that would fill some sets of every cache, and no
///        others.
struct HashedLine {
  explicit HashedLine(std::uint64_t line) : number(line), hash(line * kOdd) {
    hash ^= hash >> 32;  // only the upper half of the product depends on all bits of the number
    hash *= kOdd;
  }

  /// Is the line in the sample of one line in 2^halvings? The mask is sample_mask(halvings).
  bool sampled(std::uint64_t mask) const { return (hash & mask) == 0; }
  static std::uint64_t sample_mask(unsigned halvings) { return ~(~std::uint64_t{0} >> halvings); }

  /// 0 to count - 1; independent of the sample and of the set
  unsigned home(unsigned count) const {
    return static_cast<unsigned>(((hash & 0xFFFF'FFFF) * count) >> 32);
  }

  static constexpr std::uint64_t kOdd = 0x9E37'79B9'7F4A'7C15;  ///< 2^64 over the golden ratio
  std::uint64_t number;                                         ///< byte address / 128
  std::uint64_t hash;
};

/// \brief Set-associative, with write-back. In a set, the least recently used line makes room.
///
/// Lines are dealt to the sets by a hash: without one, the rows of a matrix whose length is a power
/// of two would meet in a few sets. NVIDIA publishes neither hash nor policy.
class SectorCache {
 public:
  /// \param bytes     capacity; without room for one line, the cache misses always
  /// \param ways      lines in a set, at least 1
  /// \param halvings  for lines of a sample only: 1 / 2^halvings of the capacity
  SectorCache(std::size_t bytes, int ways, unsigned halvings = 0);

  /// \brief  Reads sectors of a line and keeps them.
  /// \return those that were not there, a bit each
  unsigned read(const HashedLine& line, unsigned sectors);

  /// \brief Keeps written sectors until the line has to make room. Nothing is fetched: a sector
  ///        written in part keeps a mask of its bytes.
  void write(const HashedLine& line, unsigned sectors);

  /// Sectors that were written, and written back to make room for other lines.
  std::uint64_t written_back() const { return written_back_; }

  /// Sectors that are written and not written back.
  std::uint64_t dirty() const;

 private:
  struct Entry {
    std::uint64_t line : 56;
    std::uint64_t valid : 4;  ///< sectors; empty places are line 0 without sectors
    std::uint64_t dirty : 4;  ///< sectors, a subset of the valid ones
  };

  Entry& bring_to_front(const HashedLine& line);

  std::size_t ways_ = 0;
  std::uint64_t sets_ = 0;
  unsigned halvings_ = 0;
  std::vector<Entry> entries_;  ///< [set][way], the most recently used first
  std::uint64_t written_back_ = 0;
};

}  // namespace ladder::emulator
