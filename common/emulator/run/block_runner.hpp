// SPDX-License-Identifier: MIT
/// \file  common/emulator/run/block_runner.hpp
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

#include "common/emulator/run/async_state.hpp"
#include "common/emulator/run/cluster.hpp"
#include "common/emulator/run/fiber_stacks.hpp"
#include "common/emulator/run/grid_plan.hpp"
#include "common/emulator/run/kernel_error.hpp"
#include "common/emulator/run/lane.hpp"
#include "common/emulator/run/settings.hpp"
#include "common/emulator/run/shared_object.hpp"
#include "common/emulator/run/watched.hpp"
#include "common/emulator/trace/block_tracer.hpp"
#include "common/emulator/words/barrier_functions.hpp"
#include "common/emulator/words/warp_functions.hpp"
#include "common/ptx/tensor_map.hpp"

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
  void start_grid(const GridPlan& plan, const SharedMemory& shared, BlockTracer* tracer,
                  Watched& watched);

  /// How much of a block runs.
  enum class Extent { kAll, kFirstSlice };

  /// Why a block does not run on.
  enum class State {
    kEnded,     ///< all of it that was to run has run, or it failed: see take_error()
    kWaiting,   ///< for other blocks: all its threads wait, and some for a flag or a cluster
    kSpinning,  ///< its threads do nothing but atomics for long, and may wait for other blocks
  };

  /// Runs block `block` to its end, or only until its tracer has seen a first slice.
  State run_block(std::uint64_t block, Extent extent = Extent::kAll);

  /// Goes on with a block that waits or spins; its shared memory must be in place.
  State resume();

  /// Gives the block up where it stands.
  void abandon();

  /// \brief  What went wrong in the block that ended, if anything did; the threads of the block are
  ///         then given up where they stand, and nothing that lives on their stacks is destroyed.
  std::optional<KernelError> take_error();

  /// Has what a waiting block waits for happened? Any CPU thread may ask.
  bool may_go_on() const;

  /// \brief  Lets threads that poll a flag poll on for much longer before they count as waiting: a
  ///         loop of them may be about to end.
  /// \return false: they have already been allowed to
  bool extend_patience();

  /// Number of the block.
  std::uint64_t block() const noexcept { return block_; }

  /// The threads that wait, in groups; of a block that does not run.
  std::vector<KernelWaiters> waiters() const;

  /// Where the first thread of the first group is.
  KernelError::Place place_of(const std::vector<KernelWaiters>& waiters) const;

  /// The blocks of this one's cluster run on other CPU threads. Until the next start_grid().
  void join_cluster(Cluster& cluster, unsigned rank) noexcept {
    cluster_ = &cluster;
    rank_ = rank;
  }

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

  // -- What it calls that is asynchronous: see async_functions.hpp -----------------------------
  void start_copy(void* shared, const void* global, unsigned bytes, unsigned source_bytes,
                  std::source_location where);
  void commit_copies();
  void wait_for_copies(unsigned newest);
  void init_mbarrier(void* word, int arrivals, std::source_location where);
  void arrive_at_mbarrier(void* word, int announced_bytes, std::source_location where);
  void wait_for_mbarrier(void* word, int parity, std::source_location where);
  void start_box_copy(void* shared, const ptx::TensorMap& map, int row, int column, void* barrier,
                      std::source_location where);
  void fence_for_copies() {
    if (tracer_ != nullptr) tracer_->fenced_for_copies(running_->number);
  }
  void wait_at_named_barrier(int id, int threads, std::source_location where);
  void set_registers(int registers, std::source_location where);
  unsigned cluster_rank() const noexcept { return rank_; }
  void wait_at_cluster_barrier(std::source_location where);
  void* shared_of_block(void* shared, unsigned rank, std::source_location where);
  unsigned load_acquire(const unsigned* flag, std::source_location where);
  void store_release(unsigned* flag, unsigned value);
  /// Is the address in the shared memory of a block of this cluster?
  bool in_cluster_shared(std::uintptr_t address) const;

  // -- What signal handlers call ---------------------------------------------------------------
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
    std::vector<std::uintptr_t> calls = {};   ///< where file is empty: see source_line_of()
    std::vector<KernelWaiters> waiters = {};  ///< of a hang
  };

  void reset(std::uint64_t block);
  void reset_waits();
  void forget_fibers();
  void stop_spinning();
  State after_switch();
  void note_progress() noexcept;
  bool asked_to_stop() const noexcept { return watched_->asked_to_stop(); }
  void run_lane(Lane& lane);
  void finish_lane();
  std::string run_program() const noexcept;
  void switch_to(Lane& next);
  void suspend();
  Lane* next_ready(unsigned after);
  void release_barrier();
  void look_at_log(unsigned warp);
  void wait_for(const LaneWait& wait, ThreadSet* waiting);
  void meet_if_last_of_warp(const ThreadSet& waiting);
  void wake(ThreadSet& waiting);
  void wake_who_may_go_on();
  bool flag_changed(const Lane& lane) const;
  Lane& when_nobody_can_go_on();
  void park(State state);
  void require_shared(const char* what, const void* shared, std::size_t bytes,
                      std::source_location where);
  void require_alignment(const char* what, const void* address, unsigned bytes,
                         std::source_location where);
  MbarrierState* find_mbarrier(void* word);
  MbarrierState& mbarrier_at(void* word, std::source_location where);
  MbarrierState& mbarrier_of_copy(const PendingBox& box);
  void complete_phase_if_due(MbarrierState& barrier);
  void land(PendingBox box);
  bool land_oldest_box();
  void check_copies_at_end();
  void check_registers_at_end();
  KernelWaiters waiter(const Lane& lane) const;
  std::string detail_of(const Lane& lane) const;
  void settle(WarpState& warp);
  void answer_lanes_at_line(WarpState& warp);
  bool complete_call(WarpState& warp, unsigned mask);
  [[noreturn]] void give_up(Failure failure);
  [[noreturn]] void fail_at(KernelErrorKind kind, const std::string& sentence, unsigned lane,
                            std::source_location where);
  [[noreturn]] void fail_endless_loop();
  [[noreturn]] void fail_missing_barrier(unsigned gone);
  [[noreturn]] void fail_missing_at_cluster(unsigned gone);
  [[noreturn]] void fail_overtaken(std::source_location where);
  [[noreturn]] void fail_hang();
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

  CopyArrival arrival_ = CopyArrival::kLate;
  AsyncState async_;
  Cluster own_cluster_;  ///< of a block without a cluster: it alone
  Cluster* cluster_ = &own_cluster_;
  unsigned rank_ = 0;
  unsigned cluster_arrived_ = 0;  ///< threads at the barrier of the cluster
  unsigned cluster_first_ = 0;
  unsigned cluster_phase_ = 0;  ///< that they wait to end, once all have come
  ThreadSet at_cluster_ = {};
  ThreadSet at_flag_ = {};
  unsigned flag_waiters_ = 0;
  unsigned poll_limit_ = 0;  ///< so many polls in a row are a wait
  unsigned idle_turns_ = 0;  ///< how often threads stepped aside since something happened

  std::uint64_t block_ = 0;
  std::optional<State> parked_;
  unsigned parked_lane_ = 0;
  std::optional<Failure> failure_;
  Interrupt interrupt_;
  unsigned interrupted_lane_ = 0;
  Watched* watched_ = nullptr;
};

}  // namespace ladder::emulator
