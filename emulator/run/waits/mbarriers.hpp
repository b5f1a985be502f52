// SPDX-License-Identifier: MIT
/// \file  emulator/run/waits/mbarriers.hpp
/// \brief mbarriers: phases that complete when all arrivals and all announced bytes have come.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <source_location>
#include <string>
#include <vector>

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

  WaitKind kind() const override { return WaitKind::kMbarrier; }
  Fields missing(unsigned parity) const override;
};

/// \brief The mbarriers of a block.
class Mbarriers {
 public:
  Mbarriers(BlockScheduler& scheduler, SharedChecks& shared)
      : scheduler_(scheduler), shared_(shared) {}

  void start_grid(CopyArrival arrival) { arrival_ = arrival; }
  void start_block() { count_ = fenced_ = 0; }

  void init(void* word, int arrivals, std::source_location where);
  void arrive(void* word, int announced_bytes, std::source_location where);
  /// A thread's fence: copies know of the barriers that were initialised before, by whomever.
  void fence();
  /// Arrives, and is not expected in later phases.
  void drop(void* word, std::source_location where);
  void wait(void* word, int parity, std::source_location where);

  /// The barrier at this word; null if there is none.
  Mbarrier* find(void* word);
  /// Ends the block if there is none.
  Mbarrier& at(void* word, std::source_location where);
  /// Bytes of a copy that counts on the barrier are in shared memory.
  void receive(Mbarrier& barrier, void* shared, unsigned bytes);

 private:
  void complete_phase_if_due(Mbarrier& barrier);
  void require_arrival(const Mbarrier& barrier, int announced_bytes, std::source_location where);

  BlockScheduler& scheduler_;
  SharedChecks& shared_;
  CopyArrival arrival_ = CopyArrival::kLate;
  std::deque<Mbarrier> barriers_;  ///< the first count_ are in use
  std::size_t count_ = 0;
  std::size_t fenced_ = 0;  ///< of these
};

}  // namespace ladder::emulator
