// SPDX-License-Identifier: MIT
/// \file  emulator/run/block/cluster_member.hpp
/// \brief A block among the blocks of its cluster.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <source_location>
#include <span>
#include <string>
#include <utility>

#include "emulator/run/block/cluster.hpp"
#include "emulator/run/block/fiber_stacks.hpp"
#include "emulator/run/block/shared_checks.hpp"

namespace ladder::emulator {

/// \brief The cluster as a block sees it: its barrier, and the others' shared memory.
class ClusterMember final : public Awaited {
 public:
  ClusterMember(BlockRunner& runner, BlockScheduler& scheduler, SharedChecks& shared)
      : runner_(runner), scheduler_(scheduler), shared_(shared) {}

  /// The block has no cluster.
  void start_grid();
  /// The others run on other CPU threads. Until the next start_grid().
  void join(Cluster& cluster, unsigned rank) noexcept;
  void start_block();

  unsigned rank() const noexcept { return rank_; }
  unsigned size() const noexcept { return cluster_->size(); }

  // -- The barrier -------------------------------------------------------------------------------
  /// The running thread is here, and goes on.
  void arrive(std::source_location where);
  /// It waits until all threads of the cluster have arrived as often as it has.
  void wait(std::source_location where);

  /// The running thread has left the kernel: it fails if others wait for it at the barrier.
  void leave();

  /// Whether threads wait, and all threads of the block have arrived.
  bool waits() const noexcept { return waiters_ > 0 && all_have_arrived(); }
  /// Whether a thread waits because another block has failed.
  bool is_given_up() const noexcept { return is_given_up_; }
  /// Whether they do, and the last block has come. Any CPU thread may ask.
  bool may_go_on() const noexcept { return waits() && cluster_->phase() != phase_; }
  void wake_if_over();

  /// How often a thread has arrived, and how often it has waited.
  unsigned arrivals(unsigned thread) const noexcept { return arrivals_[thread]; }
  unsigned passes(unsigned thread) const noexcept { return passes_[thread]; }
  /// How often all threads have passed, as far as the block knows.
  unsigned rounds() const noexcept { return rounds_; }
  /// Stands for the barrier, to an observer.
  bool is_barrier(const void* object) const noexcept {
    return object == &of_round_[0] || object == &of_round_[1];
  }

  /// This block has failed.
  void fail() noexcept { cluster_->fail(); }

  // -- The other blocks --------------------------------------------------------------------------
  BlockRunner& block(unsigned rank) const noexcept { return cluster_->block(rank); }
  /// \brief  Ends this block if that one is not of the cluster, or has left the kernel. If a block
  ///         of the cluster has failed, the running thread waits forever.
  /// \param  copies  the running thread wants to copy to it, and not to arrive at a barrier of it
  void require_running(unsigned rank, bool copies, std::source_location where);
  /// The running thread arrives at the mbarrier that block `rank` has where this one has `barrier`.
  void arrive_in_block(void* barrier, unsigned rank, std::source_location where);
  /// The address in block `rank` that corresponds to `shared` in this block.
  void* shared_of_block(void* shared, unsigned rank, std::source_location where);
  /// The same, of an address in the shared memory of this block and a block of the cluster.
  void* counterpart(void* shared, unsigned rank) const;
  /// The block of this cluster whose shared memory holds the address, and the offset in it; nothing
  /// if none does.
  std::optional<std::pair<unsigned, std::size_t>> place_of(std::uintptr_t address) const;
  /// The shared memory of block `rank` of the cluster.
  std::span<std::byte> shared(unsigned rank) const { return cluster_->shared(rank).arrays; }
  bool shared_contains(std::uintptr_t address) const { return place_of(address).has_value(); }

  WaitKind kind() const override { return WaitKind::kClusterBarrier; }
  Fields missing(unsigned) const override;

 private:
  bool all_have_arrived() const noexcept { return arrived_ == scheduler_.threads().count(); }
  const void* barrier() const noexcept { return &of_round_[rounds_ % 2]; }
  void arrive_for_block();
  void wait_forever();
  void require_rank(unsigned rank, std::source_location where) const;
  unsigned first_missing() const;
  [[noreturn]] void fail_missing(unsigned gone);

  BlockRunner& runner_;
  BlockScheduler& scheduler_;
  SharedChecks& shared_;
  Cluster own_;  ///< for a block without a cluster: the block alone
  Cluster* cluster_ = &own_;
  unsigned rank_ = 0;
  unsigned rounds_ = 0;            ///< that are over
  unsigned arrived_ = 0;           ///< threads, in this round
  unsigned left_after_ = 0;        ///< of these: threads that have left the kernel
  ThreadSet has_arrived_ = {};     ///< in this round
  unsigned first_ = 0;             ///< the thread that came first
  std::source_location first_at_;  ///< and where
  unsigned phase_ = 0;             ///< once all have come: the phase whose end they wait for
  unsigned waiters_ = 0;
  bool is_given_up_ = false;
  ThreadSet waiting_ = {};
  std::array<unsigned, FiberStacks::kMaxStacks> arrivals_ = {};  ///< by thread
  std::array<unsigned, FiberStacks::kMaxStacks> passes_ = {};    ///< likewise
  /// An observer sees one barrier in even rounds and another in odd ones: blocks may be in
  /// neighbouring rounds.
  std::array<char, 2> of_round_ = {};
};

}  // namespace ladder::emulator
