// SPDX-License-Identifier: MIT
/// \file  emulator/run/block/register_calls.hpp
/// \brief setmaxnreg, which the four warps of a warpgroup must call alike, and which moves
///        registers within a block but makes none.
#pragma once

#include <array>
#include <cstddef>
#include <source_location>
#include <vector>

#include "emulator/run/block/block_scheduler.hpp"
#include "emulator/run/block/fiber_stacks.hpp"

namespace ladder::emulator {

/// \brief The calls of setmaxnreg by the warpgroups of a block.
class RegisterCalls {
 public:
  explicit RegisterCalls(BlockScheduler& scheduler) : scheduler_(scheduler) {}

  void start_block();
  void set(int registers, std::source_location where);

  /// All threads have left: each call must have been made by a whole warpgroup, and what the
  /// warpgroups had in the end must be there.
  void check_at_end();

 private:
  static constexpr unsigned kWarpgroup = 128;

  /// One call by the threads of a warpgroup.
  struct Call {
    int registers;
    unsigned threads;  ///< threads that have come
    unsigned first;    ///< the thread that came first
    std::source_location where;
  };

  void check_sum();

  BlockScheduler& scheduler_;
  std::array<std::vector<Call>, FiberStacks::kMaxStacks / kWarpgroup> calls_;  ///< by warpgroup
  std::array<std::size_t, FiberStacks::kMaxStacks> made_ = {};                 ///< by thread
  bool used_ = false;  ///< since the block started
};

}  // namespace ladder::emulator
