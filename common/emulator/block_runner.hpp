// SPDX-License-Identifier: MIT
/// \file  common/emulator/block_runner.hpp
/// \brief Runs the threads of one block in turns on one CPU thread.
///
/// Each CUDA thread is a fiber. It runs until it waits for others; then the next thread in the
/// order of threadIdx that can run goes on. The order is the same in every run.
#pragma once

#include <signal.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>
#include <source_location>
#include <span>
#include <string>
#include <vector>

#include "common/emulator/barrier_functions.hpp"
#include "common/emulator/fiber_stacks.hpp"
#include "common/emulator/grid_plan.hpp"
#include "common/emulator/kernel_error.hpp"
#include "common/emulator/lane.hpp"
#include "common/emulator/shared_object.hpp"
#include "common/emulator/trace/block_tracer.hpp"
#include "common/emulator/warp_functions.hpp"

namespace ladder::emulator {

/// \brief The threads of the block that runs on this CPU thread, and all that they wait for.
class BlockRunner {
 public:
  BlockRunner() = default;
  BlockRunner(const BlockRunner&) = delete;
  BlockRunner& operator=(const BlockRunner&) = delete;

  /// The runner of the calling CPU thread; null on threads that run no blocks.
  static BlockRunner* of_this_cpu_thread() noexcept;

  /// Makes this the runner of the calling CPU thread.
  void adopt_this_cpu_thread() noexcept;

  /// Gets ready for the blocks of a grid. `shared` is this CPU thread's shared memory; `tracer` is
  /// told of all that happens, and may be null.
  void start_grid(const GridPlan& plan, const SharedMemory& shared, BlockTracer* tracer);

  /// How much of a block runs.
  enum class Extent { kAll, kFirstSlice };

  /// \brief  Runs block `block` to its end, or only until its tracer has seen a first slice.
  /// \return what went wrong, if anything did; the threads of the block are then given up where
  ///         they stand, and nothing that lives on their stacks is destroyed
  std::optional<KernelError> run_block(std::uint64_t block, Extent extent = Extent::kAll);

  /// Block-wide barriers that the last block passed.
  std::uint64_t barriers_passed() const noexcept { return barriers_; }

  // -- What the running CUDA thread calls ------------------------------------------------------
  PackedIndex thread_index() const noexcept { return running_->index; }
  PackedIndex block_index() const noexcept { return block_index_; }
  const GridPlan& plan() const noexcept { return *plan_; }
  unsigned lane_index() const noexcept { return running_->number % 32; }
  BarrierVotes wait_at_barrier(bool vote, std::source_location where);
  void meet_in_warp(const WarpCall& call);
  unsigned lanes_at_this_line(std::source_location where);
  void step_aside(bool now);
  void wait_for_room_in_log();
  BlockTracer* tracer() const noexcept { return tracer_; }
  unsigned running_thread() const noexcept { return running_->number; }
  /// Is the address on the stack of a thread of the block?
  bool on_stack(std::uintptr_t address) const { return stacks_.contains(address); }
  /// Ends the block at the running thread's wild access, before it happens.
  [[noreturn]] void fail_access(const std::string& sentence, std::uintptr_t instruction);
  [[noreturn]] void refuse_width(const char* function, int width, std::source_location where);

  // -- What other CPU threads and signal handlers call -----------------------------------------
  /// Grows whenever a block starts, a thread finishes or a barrier lets the block pass. Never 0
  /// while a block runs.
  std::uint64_t progress() const noexcept { return progress_.load(std::memory_order_relaxed); }

  /// Asks the running thread to give up, unless progress() has gone beyond `progress` by then: at
  /// once where it executes the kernel's own code, and wherever it is when `anywhere` is set.
  void ask_to_stop(std::uint64_t progress, bool anywhere) noexcept;

  /// \brief  A signal arrived on this CPU thread. Does not return when it ends the block.
  /// \return true: the signal is dealt with; false: it has nothing to do with a kernel
  bool take_signal(int signal, const siginfo_t& info, const ucontext_t& context) noexcept;

 private:
  /// What a thread reports before it stops for good.
  struct Failure {
    KernelErrorKind kind;
    std::string sentence;
    unsigned lane;
    std::string file;
    unsigned line = 0;
    std::vector<std::uintptr_t> calls = {};  ///< where file is empty: see source_line_of()
  };

  void reset(std::uint64_t block);
  void note_progress() noexcept;
  bool asked_to_stop() const noexcept;
  void run_lane(Lane& lane);
  void finish_lane();
  std::string run_program() const noexcept;
  void switch_to(Lane& next);
  void suspend();
  Lane* next_ready(unsigned after);
  void release_barrier();
  void look_at_log(unsigned warp);
  void settle(WarpState& warp);
  void answer_lanes_at_line(WarpState& warp);
  bool complete_call(WarpState& warp, unsigned mask);
  [[noreturn]] void give_up(Failure failure);
  [[noreturn]] void fail_at(KernelErrorKind kind, const std::string& sentence, unsigned lane,
                            std::source_location where);
  [[noreturn]] void fail_endless_loop();
  [[noreturn]] void fail_missing_barrier(unsigned gone);
  [[noreturn]] void fail_stuck_warp(const WarpState& warp);
  [[noreturn]] void fail_different_calls(const Lane& lane, const Lane& other);
  KernelError error_of(const Failure& failure) const;
  KernelError error_of_interrupt() const;
  std::vector<std::uintptr_t> calls_in_kernel(std::uintptr_t instruction, std::uintptr_t stack,
                                              unsigned lane) const;
  unsigned effective_mask(const WarpState& warp, const Lane& lane) const;
  unsigned first_lane(const WarpState& warp, unsigned lanes) const;
  std::string name_of(unsigned lane) const;

  /// Where a signal stopped the running thread.
  struct Interrupt {
    int signal = 0;  ///< 0: none did
    int code = 0;
    const void* address = nullptr;
    std::uintptr_t instruction = 0;
    std::uintptr_t stack = 0;
  };

  const GridPlan* plan_ = nullptr;
  BlockTracer* tracer_ = nullptr;
  Extent extent_ = Extent::kAll;
  SharedMemory shared_;
  FiberStacks stacks_;
  std::array<Lane, FiberStacks::kMaxStacks> lanes_;
  std::array<WarpState, FiberStacks::kMaxStacks / 32> warps_;
  Lane main_;  ///< the CPU thread itself
  Lane* running_ = &main_;
  Lane* left_ = &main_;  ///< who ran before the running one

  PackedIndex block_index_ = 0;
  unsigned arrived_ = 0;   ///< threads at the barrier
  unsigned votes_ = 0;     ///< of them, with a true predicate
  unsigned finished_ = 0;  ///< threads that have left the kernel
  unsigned first_arrived_ = 0;
  BarrierVotes released_ = {};
  std::uint64_t barriers_ = 0;

  std::optional<Failure> failure_;
  Interrupt interrupt_;
  unsigned interrupted_lane_ = 0;
  std::atomic<std::uint64_t> progress_ = 0;
  std::atomic<std::uint64_t> stop_at_ = 0;  ///< the progress at which a thread is to give up
  std::atomic<bool> stop_anywhere_ = false;
};

}  // namespace ladder::emulator
