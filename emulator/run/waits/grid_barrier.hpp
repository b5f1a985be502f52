// SPDX-License-Identifier: MIT
/// \file  emulator/run/waits/grid_barrier.hpp
/// \brief The barrier of all blocks of a cooperative grid.
#pragma once

#include <cstdint>
#include <source_location>
#include <string>

#include "emulator/run/block/block_scheduler.hpp"
#include "emulator/run/waits/flag_waits.hpp"

namespace ladder::emulator {

/// \brief A block's part of the barrier, by flags as blocks of a GPU have them: each block counts
///        how often it has come, and block 0 counts how often all have.
class GridBarrier final : public Awaited {
 public:
  GridBarrier(BlockScheduler& scheduler, FlagWaits& flags) : scheduler_(scheduler), flags_(flags) {}

  /// The running thread, one of its block, waits until every block has called this as often.
  void wait(std::source_location where);

  WaitKind kind() const override { return WaitKind::kGridBarrier; }
  Fields missing(unsigned turns) const override;

 private:
  BlockScheduler& scheduler_;
  FlagWaits& flags_;
};

}  // namespace ladder::emulator
