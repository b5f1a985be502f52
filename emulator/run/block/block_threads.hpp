// SPDX-License-Identifier: MIT
/// \file  emulator/run/block/block_threads.hpp
/// \brief The threads of one block as fibers, one of which runs on the CPU thread.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>

#include "emulator/run/block/block_observer.hpp"
#include "emulator/run/block/fiber_stacks.hpp"
#include "emulator/run/block/lane.hpp"
#include "emulator/run/grid_plan.hpp"

namespace ladder::emulator {

/// \brief The fibers of a block: which one runs, and which are ready to.
class BlockThreads {
 public:
  /// \param life  what each fiber does, forever: whichever thread it has, runs
  explicit BlockThreads(std::function<void()> life);
  BlockThreads(const BlockThreads&) = delete;
  BlockThreads& operator=(const BlockThreads&) = delete;

  void start_grid(const GridPlan& plan, BlockObserver* observer);

  /// All threads are ready to begin.
  void start_block(std::uint64_t block);

  /// Switches to `next`; returns when another thread switches back to the caller.
  [[gnu::always_inline]] void switch_to(Lane& next) {
    left_ = running_;
    running_ = &next;
    if (observer_ != nullptr) {
      if (left_ != &main_) observer_->leave(left_->number);
      if (&next != &main_) observer_->enter(next.number);
    }
    boost::context::fiber from = std::move(next.fiber.get()).resume();
    left_->fiber.get() = std::move(from);
  }

  /// The running thread has left the kernel, and its fiber and its stack go on as `next`, which has
  /// not begun: a switch is dearer, and so are stacks that are not in the cache.
  void go_on_as(Lane& next) {
    Lane& done = *running_;
    std::swap(done.stack, next.stack);
    done.fiber.get() = std::move(next.fiber.get());
    if (observer_ != nullptr) {
      observer_->leave(done.number);
      observer_->enter(next.number);
    }
    running_ = &next;
  }

  /// Leaves the block to the CPU thread.
  void switch_to_main() { switch_to(main_); }

  /// The ready lane whose turn is next, as thread_turns() has it; null if none.
  Lane* next_ready(unsigned after) { return lane_by_lane_ ? lowest_ready() : next_after(after); }

  /// The first ready lane after `after`, around the block and up to `after` itself; null if none.
  Lane* next_after(unsigned after) {
    const unsigned warps = this->warps();
    unsigned w = after / 32;
    const unsigned behind = warps_[w].ready & (~1u << after % 32);
    if (behind != 0) return &lanes_[32 * w + static_cast<unsigned>(__builtin_ctz(behind))];
    for (unsigned step = 0; step < warps; ++step) {
      w = w + 1 == warps ? 0 : w + 1;
      const unsigned ready = warps_[w].ready;
      if (ready != 0) return &lanes_[32 * w + static_cast<unsigned>(__builtin_ctz(ready))];
    }
    return nullptr;
  }

  /// The running thread enters the kernel, and leaves it.
  void begin() noexcept { running_->has_begun = true; }
  void finish() noexcept;

  /// Abandons all threads where they are.
  void forget();

  /// See thread_turns().
  bool lane_by_lane() const noexcept { return lane_by_lane_; }
  const GridPlan& plan() const noexcept { return *plan_; }
  BlockObserver* observer() const noexcept { return observer_; }
  const FiberStacks& stacks() const noexcept { return stacks_; }
  unsigned stack_of(unsigned thread) const noexcept { return lanes_[thread].stack; }
  std::uint64_t block() const noexcept { return block_; }
  PackedIndex block_index() const noexcept { return block_index_; }

  Lane& running() noexcept { return *running_; }
  const Lane& running() const noexcept { return *running_; }
  const Lane& left() const noexcept { return *left_; }             ///< the one that ran before
  bool is_running() const noexcept { return running_ != &main_; }  ///< whether any thread runs
  Lane& lane(unsigned number) noexcept { return lanes_[number]; }
  const Lane& lane(unsigned number) const noexcept { return lanes_[number]; }

  unsigned count() const noexcept { return plan_->threads; }
  unsigned finished() const noexcept { return finished_; }
  bool all_finished() const noexcept { return finished_ == plan_->threads; }
  unsigned warps() const noexcept { return (plan_->threads + 31) / 32; }
  WarpState& warp(unsigned number) noexcept { return warps_[number]; }
  const WarpState& warp(unsigned number) const noexcept { return warps_[number]; }
  WarpState& warp_of(const Lane& lane) noexcept { return warps_[lane.number / 32]; }
  const WarpState& warp_of(const Lane& lane) const noexcept { return warps_[lane.number / 32]; }
  unsigned number_of(const WarpState& warp) const noexcept {
    return static_cast<unsigned>(&warp - warps_.data());
  }

  /// Number within the block of the lowest of `lanes` of a warp, which are not empty.
  unsigned first_lane(const WarpState& warp, unsigned lanes) const noexcept {
    return 32 * number_of(warp) + static_cast<unsigned>(__builtin_ctz(lanes));
  }

  /// The first thread that has left the kernel; there is one.
  unsigned first_finished() const;

  /// threadIdx of a thread by its number.
  Index index_of(unsigned thread) const;

 private:
  void make_fiber(Lane& lane);
  Lane* lowest_ready();

  std::function<void()> life_;
  const GridPlan* plan_ = nullptr;
  BlockObserver* observer_ = nullptr;
  std::uint64_t block_ = 0;
  PackedIndex block_index_ = 0;
  FiberStacks stacks_;
  std::array<Lane, FiberStacks::kMaxStacks> lanes_;
  std::array<WarpState, FiberStacks::kMaxStacks / 32> warps_;
  unsigned finished_ = 0;
  bool lane_by_lane_ = false;
  Lane main_;  ///< the CPU thread itself
  Lane* running_ = &main_;
  Lane* left_ = &main_;  ///< the thread that ran before the running one
};

}  // namespace ladder::emulator
