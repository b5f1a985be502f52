// SPDX-License-Identifier: MIT
/// \file  emulator/run/block/cluster_member.hpp
/// \brief A block among the blocks of its cluster.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <source_location>
#include <span>
#include <string>
#include <utility>

#include "emulator/run/block/cluster.hpp"
#include "emulator/run/block/shared_checks.hpp"

namespace ladder::emulator {

/// \brief The cluster as a block sees it: its barrier, and the others' shared memory.
class ClusterMember final : public Awaited {
 public:
  ClusterMember(BlockScheduler& scheduler, SharedChecks& shared)
      : scheduler_(scheduler), shared_(shared) {}

  /// The block has no cluster.
  void start_grid();
  /// The others run on other CPU threads. Until the next start_grid().
  void join(Cluster& cluster, unsigned rank) noexcept {
    cluster_ = &cluster;
    rank_ = rank;
  }
  void start_block();

  unsigned rank() const noexcept { return rank_; }

  /// The running thread waits for all threads of the cluster.
  void wait_at_barrier(std::source_location where);

  /// The running thread has left the kernel: it fails if others wait for it at the barrier.
  void leave();

  /// Whether all threads of the block wait at the barrier.
  bool waits() const noexcept { return arrived_ == scheduler_.threads().count(); }
  /// Whether they do, and the last block has come. Any CPU thread may ask.
  bool may_go_on() const noexcept { return waits() && cluster_->phase() != phase_; }
  void wake_if_over();

  /// The address in block `rank` that corresponds to `shared` in this block.
  void* shared_of_block(void* shared, unsigned rank, std::source_location where);
  /// The block of this cluster whose shared memory holds the address, and the offset in it; nothing
  /// if none does.
  std::optional<std::pair<unsigned, std::size_t>> place_of(std::uintptr_t address) const;
  /// The shared memory of block `rank` of the cluster.
  std::span<std::byte> shared(unsigned rank) const { return cluster_->shared(rank).arrays; }
  bool shared_contains(std::uintptr_t address) const { return place_of(address).has_value(); }

  WaitKind kind() const override { return WaitKind::kClusterBarrier; }
  Fields missing(unsigned) const override;

 private:
  [[noreturn]] void fail_missing(unsigned gone);

  BlockScheduler& scheduler_;
  SharedChecks& shared_;
  Cluster own_;  ///< for a block without a cluster: the block alone
  Cluster* cluster_ = &own_;
  unsigned rank_ = 0;
  unsigned arrived_ = 0;  ///< threads at the barrier
  unsigned first_ = 0;    ///< the thread that came first
  unsigned phase_ = 0;    ///< once all have come: the phase whose end they wait for
  ThreadSet waiting_ = {};
};

}  // namespace ladder::emulator
