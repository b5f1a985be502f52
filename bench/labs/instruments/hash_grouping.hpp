// SPDX-License-Identifier: MIT
/// \file  bench/labs/instruments/hash_grouping.hpp
/// \brief Counting equal keys in a hash table, in four ways: what a lab asks for, and what it gets.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "bench/labs/instruments/hash_table.hpp"

namespace ladder::labs {

/// In which order the tuples reach the table.
enum class GroupingWay : std::uint8_t {
  one_pass,  ///< as they come
  rescan,    ///< several passes over all tuples; each takes those of one part of the table
  spill,     ///< the first pass writes what is not its own into a buffer, which the others read
  windows,   ///< tuples are sorted by part of the table, and each block works on its own parts
};

/// What keys and counts are.
enum class KeySize : std::uint8_t {
  wide,    ///< of 8 bytes: a bucket has 16
  narrow,  ///< of 4 bytes: a bucket has 8
};

/// One grouping. The table holds all groups before it begins, and each tuple adds 1 to one of them.
struct Grouping {
  std::uint64_t table_bytes = 0;  ///< a multiple of 16 * kBucketsPerGroup
  std::uint64_t tuples = 0;       ///< a key each
  GroupingWay way = GroupingWay::one_pass;
  int parts = 1;           ///< passes or windows; 1 .. kMostParts
  bool zero_copy = false;  ///< kernels read the tuples from the host's memory
  std::uint64_t seed = 1;
  KeySize keys = KeySize::wide;
  std::uint64_t chunk_tuples = 0;  ///< so many go through all passes before the next; 0: all
  int threads = 0;  ///< of all passes, a multiple of 32; 0: as many as the GPU runs; not of windows

  std::uint64_t word_bytes() const {
    return keys == KeySize::wide ? sizeof(TableWord) : sizeof(NarrowWord);
  }
  std::uint64_t buckets() const { return table_bytes / (2 * word_bytes()); }
  std::uint64_t groups() const { return buckets() / kBucketsPerGroup; }
  /// Tuples that are in the buffer at most.
  std::uint64_t chunk() const {
    return chunk_tuples == 0 || chunk_tuples > tuples ? tuples : chunk_tuples;
  }
};

/// The most passes or windows: a block counts the tuples of each in shared memory.
constexpr int kMostParts = 2048;

class GroupingInstrument {
 public:
  virtual ~GroupingInstrument() = default;
  /// \brief  Groups, once to warm up and then `repeats` times.
  /// \return tuples per second, for each repeat
  /// \throws LabError  table and tuples do not fit
  /// \throws std::logic_error  the table's sums are not those of the tuples
  virtual std::vector<double> tuples_per_second(const Grouping& grouping, int repeats) = 0;
  /// \brief  Groups these keys into an empty table.
  /// \return all buckets; nothing where no kernel
  ///         runs
  virtual std::optional<std::vector<Bucket>> grouped(const Grouping& grouping,
                                                     std::span<const TableWord> keys) = 0;
};

}  // namespace ladder::labs
