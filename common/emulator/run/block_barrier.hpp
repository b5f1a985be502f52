// SPDX-License-Identifier: MIT
/// \file  common/emulator/run/block_barrier.hpp
/// \brief __syncthreads() and its votes.
#pragma once

#include <cstdint>
#include <source_location>

#include "common/emulator/run/block_scheduler.hpp"
#include "common/emulator/words/barrier_functions.hpp"

namespace ladder::emulator {

/// \brief The barrier of all threads of a block.
class BlockBarrier {
 public:
  explicit BlockBarrier(BlockScheduler& scheduler) : scheduler_(scheduler) {}

  void start_block() {
    arrived_ = votes_ = 0;
    passed_ = 0;
  }

  /// The running thread waits for all the others.
  BarrierVotes wait(bool vote, std::source_location where);

  /// The running thread has left the kernel: it fails if others wait for it here.
  void leave();

  unsigned arrived() const noexcept { return arrived_; }
  std::uint64_t passed() const noexcept { return passed_; }  ///< how often, since the block started

 private:
  void release();
  [[noreturn]] void fail_divergent(std::source_location where);
  [[noreturn]] void fail_missing(unsigned gone);

  BlockScheduler& scheduler_;
  unsigned arrived_ = 0;  ///< threads at the barrier
  unsigned votes_ = 0;    ///< of them, with a true predicate
  unsigned first_ = 0;    ///< the thread that came first
  BarrierVotes released_ = {};
  std::uint64_t passed_ = 0;
};

}  // namespace ladder::emulator
