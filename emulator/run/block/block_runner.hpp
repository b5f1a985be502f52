// SPDX-License-Identifier: MIT
/// \file  emulator/run/block/block_runner.hpp
/// \brief Runs the threads of one block in turns on one CPU thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "emulator/run/block/block_failures.hpp"
#include "emulator/run/block/block_scheduler.hpp"
#include "emulator/run/block/block_threads.hpp"
#include "emulator/run/block/box_copies.hpp"
#include "emulator/run/block/box_stores.hpp"
#include "emulator/run/block/cluster_member.hpp"
#include "emulator/run/block/dependent_launch.hpp"
#include "emulator/run/block/register_calls.hpp"
#include "emulator/run/block/shared_checks.hpp"
#include "emulator/run/block/thread_copies.hpp"
#include "emulator/run/block/warp_calls.hpp"
#include "emulator/run/block/warpgroup_products.hpp"
#include "emulator/run/waits/block_barrier.hpp"
#include "emulator/run/waits/flag_waits.hpp"
#include "emulator/run/waits/grid_barrier.hpp"
#include "emulator/run/waits/mbarriers.hpp"
#include "emulator/run/waits/named_barriers.hpp"
#include "emulator/run/waits/watched.hpp"

namespace ladder::emulator {

/// \brief A block and everything that its threads wait for, each in a part of its own.
class BlockRunner final : private SchedulerOwner {
 public:
  BlockRunner() = default;
  BlockRunner(const BlockRunner&) = delete;
  BlockRunner& operator=(const BlockRunner&) = delete;

  /// The runner of the calling CPU thread; null on threads that run no blocks.
  static BlockRunner* of_this_cpu_thread() noexcept { return current_; }

  /// Gets ready for the blocks of a grid. `shared` is this CPU thread's shared memory; `observer`
  /// learns all that happens, and may be null.
  void start_grid(const GridPlan& plan, const SharedMemory& shared, BlockObserver* observer,
                  Watched& watched);

  /// The blocks of this one's cluster run on other CPU threads. Until the next start_grid().
  void join_cluster(Cluster& cluster, unsigned rank) noexcept { cluster_.join(cluster, rank); }

  /// Runs block `block` to its end, or only until its observer has seen a first slice.
  BlockState run_block(std::uint64_t block, Extent extent = Extent::kAll);

  /// Goes on with a block that waits or spins; its shared memory must be in place.
  BlockState resume();

  /// Abandons the block where it is.
  void abandon();

  /// \brief  What went wrong in the block that ended, if anything did; its threads are then
  ///         abandoned where they are, and nothing on their stacks is destroyed.
  std::optional<KernelError> take_error() { return failures_.take_error(); }

  /// Whether what a waiting block waits for has happened. Any CPU thread may ask.
  bool may_go_on() const { return cluster_.may_go_on() || flags_.any_changed() || visited_; }
  /// Another block of the cluster has done something to this one, which does not run.
  void note_visit() noexcept { visited_ = true; }

  /// See FlagWaits::extend_patience().
  bool extend_patience() { return flags_.extend_patience(); }

  /// Number of the block.
  std::uint64_t block() const noexcept { return threads_.block(); }

  /// The threads that wait, in groups; for a block that does not run.
  std::vector<ThreadGroup> waiters() const;

  /// Block-wide barriers that the last block passed.
  std::uint64_t barriers_passed() const noexcept { return barrier_.passed(); }

  /// Where bytes were announced for which a waiting block waits in vain.
  std::optional<OtherAccess> wrong_announcement() const { return mbarriers_.wrong_announcement(); }

  BlockObserver* observer() const noexcept { return threads_.observer(); }
  /// The running thread, at this line.
  Actor actor(std::source_location where) const {
    return {block(), threads_.running().number, where};
  }
  const BlockThreads& threads() const noexcept { return threads_; }

  // -- What the running CUDA thread uses -------------------------------------------------------
  BlockScheduler& scheduler() noexcept { return scheduler_; }
  BlockFailures& failures() noexcept { return failures_; }
  BlockBarrier& barrier() noexcept { return barrier_; }
  WarpCalls& warp_calls() noexcept { return warp_calls_; }
  ThreadCopies& copies() noexcept { return copies_; }
  Mbarriers& mbarriers() noexcept { return mbarriers_; }
  BoxCopies& boxes() noexcept { return boxes_; }
  BoxStores& stores() noexcept { return stores_; }
  NamedBarriers& named_barriers() noexcept { return named_barriers_; }
  RegisterCalls& registers() noexcept { return registers_; }
  WarpgroupProducts& products() noexcept { return products_; }
  FlagWaits& flags() noexcept { return flags_; }
  ClusterMember& cluster() noexcept { return cluster_; }
  GridBarrier& grid_barrier() noexcept { return grid_barrier_; }
  DependentLaunch& dependent_launch() noexcept { return dependent_launch_; }
  SharedChecks& shared() noexcept { return shared_checks_; }
  const SharedChecks& shared() const noexcept { return shared_checks_; }

 private:
  void start_block(std::uint64_t block);
  void run_threads();
  std::string run_program() const noexcept;
  void finish_thread();

  void all_lanes_stopped(WarpState& warp) override { warp_calls_.settle(warp); }
  void wake_who_may_go_on() override;
  bool waits_for_other_blocks() const override {
    return flags_.any() || cluster_.waits() || cluster_.is_given_up() ||
           (cluster_.size() > 1 && mbarriers_.any_waits());
  }
  bool is_broken() const override { return barrier_.is_broken(); }
  bool pass_barrier_without_others() override { return barrier_.pass_without_others(); }
  bool land_oldest_copy() override { return boxes_.land_oldest(); }
  [[noreturn]] void fail_hang() override;

  static inline constinit thread_local BlockRunner* current_ = nullptr;

  BlockThreads threads_{[this] { run_threads(); }};
  BlockFailures failures_{threads_};
  BlockScheduler scheduler_{threads_, failures_, *this};
  SharedChecks shared_checks_{scheduler_};
  BlockBarrier barrier_{scheduler_};
  WarpCalls warp_calls_{scheduler_};
  ThreadCopies copies_{scheduler_, shared_checks_};
  ClusterMember cluster_{*this, scheduler_, shared_checks_};
  Mbarriers mbarriers_{scheduler_, shared_checks_, cluster_};
  BoxCopies boxes_{scheduler_, shared_checks_, mbarriers_, cluster_};
  BoxStores stores_{scheduler_, shared_checks_};
  NamedBarriers named_barriers_{scheduler_};
  RegisterCalls registers_{scheduler_};
  WarpgroupProducts products_{scheduler_, shared_checks_};
  FlagWaits flags_{scheduler_};
  GridBarrier grid_barrier_{scheduler_, flags_};
  DependentLaunch dependent_launch_;
  std::atomic<bool> visited_ = false;  ///< since it last ran
};

}  // namespace ladder::emulator
