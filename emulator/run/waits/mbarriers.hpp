// SPDX-License-Identifier: MIT
/// \file  emulator/run/waits/mbarriers.hpp
/// \brief mbarriers: phases that complete when all arrivals and all announced bytes have come.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <source_location>
#include <string>
#include <vector>

#include "emulator/run/block/cluster_member.hpp"
#include "emulator/run/block/shared_checks.hpp"
#include "emulator/run/settings.hpp"

namespace ladder::emulator {

/// An mbarrier. The word in shared memory holds its number and a check value.
struct Mbarrier final : Awaited {
  /// What a copy brought before the phase was complete.
  struct Arrived {
    void* shared;
    unsigned bytes;
  };

  void* word = nullptr;
  std::uint32_t expected = 0;          ///< arrivals of each phase
  std::uint32_t missing_arrivals = 0;  ///< of this phase
  std::int64_t missing_bytes = 0;      ///< announced, not arrived; negative: arrived, not announced
  std::uint32_t phase = 0;
  bool fenced = false;  ///< whether copies may arrive at it
  bool seen = true;     ///< whether a thread has seen the end of the previous phase
  ThreadSet waiting = {};
  std::vector<Arrived> early;  ///< the observer learns of these when the phase is complete
  unsigned maker = 0;          ///< the thread that initialised it
  std::uint32_t made_in = 0;   ///< the step of its in which it did, for the observer
  unsigned made_after = 0;     ///< so many arrivals of its at the barrier of the cluster
  std::source_location made_at;
  unsigned announcer = 0;             ///< the thread that last announced bytes
  std::source_location announced_at;  ///< line 0: nobody has

  WaitKind kind() const override { return WaitKind::kMbarrier; }
  Fields missing(unsigned parity) const override;
  bool is_awaited() const;
};

/// \brief The mbarriers of a block.
class Mbarriers {
 public:
  Mbarriers(BlockScheduler& scheduler, SharedChecks& shared, const ClusterMember& cluster)
      : scheduler_(scheduler), shared_(shared), cluster_(cluster) {}

  void start_grid(CopyArrival arrival) { arrival_ = arrival; }
  void start_block() {
    count_ = fenced_ = 0;
    visits_.clear();
  }

  void init(void* word, int arrivals, std::source_location where);
  void arrive(void* word, int announced_bytes, std::source_location where);
  /// A thread's fence: copies know of the barriers that were initialised before, by whomever.
  void fence();
  /// Arrives, and is not expected in later phases.
  void drop(void* word, std::source_location where);
  void wait(void* word, int parity, std::source_location where);

  // -- What other blocks of the cluster do, while this one does not run ---------------------------
  /// \brief  The running thread of `visitor`, another block, is about to use the barrier here. It
  ///         ends that block unless there is a barrier, which the cluster knows.
  /// \param  is_copy  a box is to arrive
  Mbarrier& visit(BlockRunner& visitor, void* word, bool is_copy, std::source_location where);
  void arrive_from(BlockRunner& visitor, void* word, std::source_location where);
  /// All threads have passed the barrier of the cluster `rounds` times.
  void pass_cluster_barrier(unsigned rounds);
  /// \brief All threads have left: ends the block if another one may still arrive at a barrier
  ///        here, or copy to this block.
  void check_at_end();

  /// Where bytes were announced of which more or fewer came than a barrier needs that threads wait
  /// for; nothing if none does.
  std::optional<OtherAccess> wrong_announcement() const;

  /// Whether threads wait at any.
  bool any_waits() const;

  /// The barrier at this word; null if there is none.
  Mbarrier* find(void* word);
  /// The same for the running thread to use; ends the block if there is none.
  Mbarrier& at(void* word, std::source_location where);
  /// Bytes of a copy that counts on the barrier are in shared memory.
  void receive(Mbarrier& barrier, void* shared, unsigned bytes);

 private:
  /// What another block did to a barrier here, and this block has not waited for.
  struct Visit {
    const Mbarrier* barrier;
    std::uint32_t phase;
    bool is_copy;
    unsigned after;  ///< so many arrivals of the thread's at the barrier of the cluster
    Actor actor;
  };

  void complete_phase_if_due(Mbarrier& barrier);
  void check_order(const Mbarrier& barrier, std::source_location where);
  void require_arrival(BlockScheduler& scheduler, const Mbarrier& barrier, int announced_bytes,
                       std::source_location where);
  void forget_visits(const Mbarrier& barrier);

  BlockScheduler& scheduler_;
  SharedChecks& shared_;
  const ClusterMember& cluster_;
  CopyArrival arrival_ = CopyArrival::kLate;
  std::deque<Mbarrier> barriers_;  ///< the first count_ are in use
  std::size_t count_ = 0;
  std::size_t fenced_ = 0;  ///< of these
  std::vector<Visit> visits_;
};

}  // namespace ladder::emulator
