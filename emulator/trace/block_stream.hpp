// SPDX-License-Identifier: MIT
/// \file  emulator/trace/block_stream.hpp
/// \brief What a block asks of global memory, in an order and a form that a cache model can replay:
///        also for other blocks that do the same elsewhere in the arrays.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <vector>

namespace ladder::emulator {

inline constexpr std::size_t kLineBytes = 128;
inline constexpr std::size_t kSectorBytes = 32;

/// Sectors of one line, a bit for each of its four.
struct LineTouch {
  std::int32_t line;      ///< relative to the line of the access
  std::uint32_t sectors;  ///< bits 0-3; never 0
  /// Asked for once more, or beyond the edge of a box: L2 answers, and no more comes from DRAM.
  bool again = false;
};

/// The lines that one request touches, in ascending order.
using LinePattern = std::vector<LineTouch>;

/// One request of a warp to global memory.
struct StreamAccess {
  std::int64_t line;         ///< of its lowest byte, counted from the start of the array
  std::uint32_t pattern;     ///< index into the trace's line patterns
  std::uint32_t array : 30;  ///< index into the trace's arrays
  /// 0: reads; 1: writes all bytes of its sectors or some of them; 2: reads, but not in L1
  std::uint32_t store : 2;
};

/// \brief All requests of one block. A slice is what the block does between two barriers or until
///        the next boxes have landed, or a part of it where both are far apart; blocks that run
///        side by side are interleaved slice by slice.
struct BlockStream {
  std::vector<StreamAccess> accesses;
  std::vector<std::uint32_t> slice_ends;  ///< index behind the last access of each slice, ascending
};

/// How far a block is from its stream in each array, in lines: 0 in most arrays.
class LineShifts {
 public:
  LineShifts() = default;
  /// \param of_first  of the first arrays
  LineShifts(std::initializer_list<std::int64_t> of_first) {
    std::uint32_t array = 0;
    for (const std::int64_t lines : of_first)
      add(array++, lines);
  }

  /// \param array  behind all before
  void add(std::uint32_t array, std::int64_t lines) {
    if (lines != 0) shifts_.push_back({array, lines});
  }

  std::int64_t operator[](std::size_t array) const {
    const auto found = std::ranges::lower_bound(shifts_, array, {}, &Shift::array);
    return found != shifts_.end() && found->array == array ? found->lines : 0;
  }

  /// From another block of the stream.
  LineShifts operator-(const LineShifts& other) const;

 private:
  struct Shift {
    std::uint32_t array;
    std::int64_t lines;
  };
  std::vector<Shift> shifts_;  ///< that are not 0, by array
};

/// A block of the grid: what it does, and how far from the arrays' places in its stream.
struct ReplayBlock {
  const BlockStream* stream;
  LineShifts line_shift;  ///< added to StreamAccess::line
};

}  // namespace ladder::emulator
