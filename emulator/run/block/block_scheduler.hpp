// SPDX-License-Identifier: MIT
/// \file  emulator/run/block/block_scheduler.hpp
/// \brief Lets the threads of a block run in turns on one CPU thread.
///
/// A thread runs until it waits for others; then the next thread in the order of threadIdx that can
/// run goes on. The order is the same in every run.
#pragma once

#include <cstdint>
#include <optional>
#include <source_location>
#include <string>

#include "emulator/run/block/block_failures.hpp"
#include "emulator/run/block/block_threads.hpp"
#include "emulator/run/waits/watched.hpp"

namespace ladder::emulator {

/// Why a block has stopped.
enum class BlockState {
  kEnded,     ///< all that should run of it has run, or it failed
  kWaiting,   ///< for other blocks: all its threads wait, and some for a flag or a cluster
  kSpinning,  ///< its threads have long done only atomics, and may wait for other blocks
};

/// What a scheduler asks when threads wait.
class SchedulerOwner {
 public:
  /// No lane of the warp is ready anymore.
  virtual void all_lanes_stopped(WarpState& warp) = 0;
  /// Wakes threads for which another block has done what they wait for.
  virtual void wake_who_may_go_on() = 0;
  /// Whether a thread waits for another block.
  virtual bool waits_for_other_blocks() const = 0;
  /// Whether threads wait at a barrier for others that cannot come.
  virtual bool is_broken() const = 0;
  /// Lets the threads at the barrier go on if all others have left the kernel. False: they have
  /// not, or nobody is there.
  virtual bool pass_barrier_without_others() = 0;
  /// No thread can go on before a copy arrives, so the oldest arrives. False: none is in flight.
  virtual bool land_oldest_copy() = 0;
  [[noreturn]] virtual void fail_hang() = 0;

 protected:
  ~SchedulerOwner() = default;
};

/// \brief Who goes on when a thread of the block waits, and how threads wait, are woken and fail.
class BlockScheduler {
 public:
  BlockScheduler(BlockThreads& threads, BlockFailures& failures, SchedulerOwner& owner)
      : threads_(threads), failures_(failures), owner_(owner) {}

  void start_grid(Watched& watched) { watched_ = &watched; }

  // -- What the CPU thread calls ---------------------------------------------------------------
  /// Runs the block from its first thread on.
  BlockState run_block(Extent extent);
  /// Goes on with a block that waits or spins.
  BlockState resume();

  // -- The running thread waits ----------------------------------------------------------------
  /// It stops, as a member of one of its warp's sets, until something makes it ready.
  [[gnu::always_inline]] void stop(unsigned WarpState::*set) {
    Lane& lane = running();
    WarpState& warp = threads_.warp_of(lane);
    warp.ready &= ~lane.bit();
    warp.*set |= lane.bit();
    settle(warp);
    suspend();
  }
  /// It stops until `waiting`, which it joins, is woken.
  void wait_for(const LaneWait& wait, ThreadSet& waiting);
  void wake(ThreadSet& waiting);
  /// It goes on when all lanes of its warp have stopped and the observer has looked at them.
  void wait_to_be_looked_at();
  /// Other threads get their turn: at once, or every now and then.
  void step_aside(bool now);
  /// The running thread has told other blocks something. Where lanes take turns, they get theirs
  /// now, whatever the other threads of this block have yet to do.
  void let_others_look();
  /// Goes on with the next thread that can run; the caller may be ready or not. Inlined: behind a
  /// switch, the CPU guesses wrongly where each function returns to.
  [[gnu::always_inline]] void suspend() { go_on_with(threads_.next_ready(running().number)); }
  /// It has come to a barrier where the others of `waiting` are. The last of its warp makes
  /// the warp meet there: what its lanes did before is in order with what they do later.
  void meet_if_last_of_warp(const ThreadSet& waiting);
  /// All lanes of the warp may have stopped.
  void settle(WarpState& warp);
  /// All warps have come to a barrier: they are looked at, and a first slice may be over.
  void look_at_all_warps();

  /// A thread finished or a barrier let threads pass: for the watch, too.
  void note_progress() noexcept {
    idle_turns_ = 0;
    watched_->note_progress();
  }
  /// Another block may have done what threads wait for.
  void wake_who_may_go_on() { owner_.wake_who_may_go_on(); }
  /// Something happened that a thread that spins may wait for.
  void note_change() noexcept { idle_turns_ = 0; }
  /// Ends the block if the watch has asked for it.
  void stop_if_asked() {
    if (watched_->asked_to_stop()) failures_.fail_endless_loop();
  }

  /// See BlockFailures::fail().
  [[noreturn]] void fail(Fault fault, unsigned thread, std::source_location where) {
    failures_.fail(std::move(fault), thread, where);
  }
  [[noreturn]] void fail(Fault fault, std::source_location where) {
    failures_.fail(std::move(fault), running().number, where);
  }
  [[noreturn]] void fail(Fault fault, const Actor& actor) {
    failures_.fail(std::move(fault), actor);
  }
  /// The observer learns of a fault after which the block goes on.
  void report(Fault fault, unsigned thread, std::source_location where);
  /// A thread of this block as the other one of a fault.
  OtherAccess other(unsigned thread, std::source_location where) const;

  BlockThreads& threads() noexcept { return threads_; }
  const BlockThreads& threads() const noexcept { return threads_; }
  Lane& running() noexcept { return threads_.running(); }
  BlockObserver* observer() const noexcept { return threads_.observer(); }

 private:
  /// \param target  null: nobody is ready
  [[gnu::always_inline]] void go_on_with(Lane* target) {
    if (target == nullptr) [[unlikely]]
      target = when_nobody_can_go_on();
    if (target == nullptr) {
      threads_.switch_to_main();
    } else if (target != &running()) {
      threads_.switch_to(*target);
    }
  }
  void look_at(unsigned warp);
  Lane* when_nobody_can_go_on();
  void stop_spinning();
  void park(BlockState state);
  BlockState after_switch();

  BlockThreads& threads_;
  BlockFailures& failures_;
  SchedulerOwner& owner_;
  Watched* watched_ = nullptr;
  Extent extent_ = Extent::kAll;
  unsigned idle_turns_ = 0;  ///< how often threads stepped aside since something happened
  std::optional<BlockState> parked_;
  unsigned parked_lane_ = 0;
};

}  // namespace ladder::emulator
