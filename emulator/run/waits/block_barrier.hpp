// SPDX-License-Identifier: MIT
/// \file  emulator/run/waits/block_barrier.hpp
/// \brief __syncthreads() and its votes.
#pragma once

#include <cstdint>
#include <source_location>
#include <string>

#include "emulator/run/block/block_scheduler.hpp"
#include "emulator/words/barrier_functions.hpp"

namespace ladder::emulator {

/// \brief The barrier of all threads of a block. If some wait at another line, the others go on as
///        far as they can, so that the report can name all of them.
class BlockBarrier {
 public:
  explicit BlockBarrier(BlockScheduler& scheduler) : scheduler_(scheduler) {}

  void start_block() {
    arrived_ = votes_ = 0;
    passed_ = 0;
    diverged_ = false;
  }

  /// The running thread waits for all the others.
  BarrierVotes wait(bool vote, std::source_location where);

  /// \brief From Volta on, a barrier waits for those threads of the block that have not left the
  ///        kernel. Lets them go on if all of them are here, and tells the observer.
  /// \return false: they are not
  bool pass_without_others();

  /// Do threads wait here for others that may never come?
  bool is_broken() const noexcept {
    return arrived_ > 0 && (diverged_ || scheduler_.threads().finished() > 0);
  }
  /// It is broken, and no thread can go on.
  [[noreturn]] void fail();

  unsigned arrived() const noexcept { return arrived_; }
  std::uint64_t passed() const noexcept { return passed_; }  ///< how often, since the block started

 private:
  void release();
  Fault fault(FaultKind kind) const;

  BlockScheduler& scheduler_;
  unsigned arrived_ = 0;   ///< threads at the barrier
  unsigned votes_ = 0;     ///< of them, with a true predicate
  unsigned first_ = 0;     ///< the thread that came first
  bool diverged_ = false;  ///< they are not all at the same line
  BarrierVotes released_ = {};
  std::uint64_t passed_ = 0;
};

}  // namespace ladder::emulator
