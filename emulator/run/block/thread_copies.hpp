// SPDX-License-Identifier: MIT
/// \file  emulator/run/block/thread_copies.hpp
/// \brief cp.async: copies into shared memory that a thread starts and waits for later.
#pragma once

#include <array>
#include <cstddef>
#include <source_location>
#include <vector>

#include "emulator/run/block/fiber_stacks.hpp"
#include "emulator/run/block/shared_checks.hpp"
#include "emulator/run/settings.hpp"

namespace ladder::emulator {

/// \brief The cp.async of all threads of a block.
class ThreadCopies {
 public:
  ThreadCopies(BlockScheduler& scheduler, SharedChecks& shared)
      : scheduler_(scheduler), shared_(shared) {}

  void start_grid(CopyArrival arrival) { arrival_ = arrival; }
  void start_block();

  void start(void* shared, const void* global, unsigned bytes, unsigned source_bytes,
             std::source_location where);
  void commit();
  void wait(unsigned newest);

 private:
  /// Of at most 16 bytes.
  struct Copy {
    void* shared;
    unsigned bytes;
    std::array<std::byte, 16> data;  ///< what arrives
  };
  /// Those that one thread has started and not yet waited for.
  struct Queue {
    std::vector<Copy> copies;             ///< oldest first
    std::vector<std::size_t> group_ends;  ///< past the last copy of each committed group
  };

  Queue& queue();

  BlockScheduler& scheduler_;
  SharedChecks& shared_;
  CopyArrival arrival_ = CopyArrival::kLate;
  std::array<Queue, FiberStacks::kMaxStacks> queues_;  ///< by thread
  bool used_ = false;                                  ///< since the block started
};

}  // namespace ladder::emulator
