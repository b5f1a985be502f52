// SPDX-License-Identifier: MIT
/// \file  emulator/trace/stream_slices.hpp
/// \brief Cuts what a block asks of global memory into slices.
#pragma once

#include <array>
#include <cstdint>
#include <utility>

#include "emulator/trace/block_stream.hpp"
#include "emulator/trace/tracer_state.hpp"

namespace ladder::emulator {

/// \brief The stream of the block that runs. A slice ends at a barrier, when boxes have landed, or
///        when a warp's log has been full.
class StreamSlices {
 public:
  void start_block();
  void add(const StreamAccess& access) { stream_.accesses.push_back(access); }

  /// A slice is over, or the block.
  void end();
  /// A slice is over if it has any accesses.
  void end_if_any();
  /// The warp's log was full and has been looked at.
  void count_chunk(unsigned warp) { ++chunks_[warp]; }
  /// What comes next is of this warp: behind a full log of its own, that is a new slice.
  void go_on_with(unsigned warp);

  /// \brief Is what the block has done enough to tell what it will do? It has ended a slice; and
  ///        the arrays that it has touched by then say where in the others it will be, or it has
  ///        done so many times.
  bool are_enough(const TraceWishes& wishes) const;

  BlockStream take() { return std::exchange(stream_, BlockStream()); }

 private:
  void mark_end();

  BlockStream stream_;
  std::array<std::uint32_t, 32> chunks_ = {};  ///< full logs of each warp since the last barrier
  std::uint32_t slice_chunk_ = 0;              ///< the slice that is being filled has these
};

}  // namespace ladder::emulator
