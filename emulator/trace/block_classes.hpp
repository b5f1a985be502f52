// SPDX-License-Identifier: MIT
/// \file  emulator/trace/block_classes.hpp
/// \brief Finds the blocks of a grid that do the same, each elsewhere in the arrays.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "emulator/trace/block_stream.hpp"
#include "emulator/trace/trace.hpp"

namespace ladder::emulator {

/// Blocks that ask the same.
struct BlockClass {
  BlockStream stream;
  std::uint64_t representative = 0;  ///< the lowest
  std::uint64_t members = 0;
};

/// \brief The classes of all grids of a trace; blocks are compared within their grid.
class BlockClasses {
 public:
  /// \param arrays  their number
  BlockClasses(std::size_t arrays, std::function<bool(ArrayShifts&)> complete_shifts);

  void start_grid();
  /// The grid failed: nobody can replay blocks that did not run.
  void forget_grid();

  /// \brief  Puts a block into its class, a new one if it does what none did before.
  /// \param  complete  the stream is all that the block does
  TracedBlock add(std::uint64_t block, BlockStream stream, bool complete);

  /// \brief Makes the shifts of the grid's blocks count from their class's representative.
  ///
  /// A class has the stream of the block that happened to end first, until its representative's
  /// takes that place.
  void count_shifts_from_representatives(std::span<TracedBlock> launched) const;

  std::span<BlockClass> of_this_grid() { return std::span(classes_).subspan(first_); }
  std::span<BlockClass> all() { return classes_; }

 private:
  bool find_shifts(const BlockStream& other, const BlockStream& stream);
  std::optional<LineShifts> line_shifts(bool complete);

  std::function<bool(ArrayShifts&)> complete_shifts_;
  std::vector<BlockClass> classes_;
  std::size_t first_ = 0;  ///< of the grid that runs
  /// Of this grid: classes whose blocks may do the same, ascending.
  std::unordered_map<std::uint64_t, std::vector<std::size_t>> by_shape_;
  ArrayShifts shifts_;                  ///< between the streams compared last
  std::vector<std::uint32_t> touched_;  ///< arrays whose shifts are known
};

}  // namespace ladder::emulator
