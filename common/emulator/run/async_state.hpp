// SPDX-License-Identifier: MIT
/// \file  common/emulator/run/async_state.hpp
/// \brief What a block remembers of copies that are on their way and of barriers for some of its
///        threads.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <source_location>
#include <vector>

namespace ladder::emulator {

/// Threads of a block, a bit for each.
using ThreadSet = std::array<std::uint32_t, 32>;

/// The cp.async copies that one thread has started and not yet waited for.
struct CopyQueue {
  /// Copies of at most 16 bytes.
  struct Copy {
    void* shared;
    unsigned bytes;
    std::array<std::byte, 16> data;  ///< what arrives
  };
  std::vector<Copy> copies;             ///< oldest first
  std::vector<std::size_t> group_ends;  ///< behind the last copy of each group that was committed

  void clear() {
    copies.clear();
    group_ends.clear();
  }
};

/// An mbarrier. The word in shared memory holds its number and a check value.
struct MbarrierState {
  void* word = nullptr;
  std::uint32_t expected = 0;      ///< arrivals of each phase
  std::uint32_t missing = 0;       ///< of this phase
  std::int64_t missing_bytes = 0;  ///< announced and not arrived; negative: not announced yet
  std::uint32_t phase = 0;
  bool seen = true;  ///< has a thread seen the end of the phase before?
  ThreadSet waiting = {};
};

/// A box that the tensor memory accelerator copies.
struct PendingBox {
  void* shared;
  void* barrier;
  std::vector<std::byte> data;  ///< what arrives
  unsigned thread;              ///< who started it
  std::source_location where;
};

/// bar.sync with a number of threads.
struct NamedBarrier {
  unsigned expected = 0;  ///< threads; 0: nobody waits
  unsigned arrived = 0;
  unsigned first = 0;  ///< thread that came first
  ThreadSet waiting = {};
};

/// A call of setmaxnreg by the threads of a warpgroup.
struct RegisterCall {
  int registers;
  unsigned threads;  ///< that have come
  unsigned first;    ///< thread that came first
  std::source_location where;
};

/// All of the above of one block.
struct AsyncState {
  std::deque<MbarrierState> mbarriers;  ///< the first mbarrier_count are in use
  std::size_t mbarrier_count = 0;
  std::deque<PendingBox> boxes;               ///< on their way, oldest first
  std::vector<PendingBox> arrived_early;      ///< whose phase is not complete; only when traced
  std::vector<std::vector<std::byte>> spare;  ///< memory for boxes to come
  std::array<NamedBarrier, 16> named = {};
  std::array<std::vector<RegisterCall>, 8> register_calls;  ///< by warpgroup
  bool used = false;                                        ///< since the block started

  /// Forgets a block.
  void reset() {
    mbarrier_count = 0;
    boxes.clear();
    arrived_early.clear();
    named = {};
    for (auto& calls : register_calls)
      calls.clear();
    used = false;
  }
};

}  // namespace ladder::emulator
