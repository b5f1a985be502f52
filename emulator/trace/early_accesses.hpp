// SPDX-License-Identifier: MIT
/// \file  emulator/trace/early_accesses.hpp
/// \brief What the threads of a kernel that may start while the one before still runs do before
///        they have waited for that one.
#pragma once

#include <bitset>
#include <cstdint>

#include "emulator/trace/hazard_list.hpp"
#include "emulator/trace/tracer_state.hpp"
#include "emulator/trace/warp_logs.hpp"

namespace ladder::emulator {

/// \brief Finds accesses to global memory that come too early.
///
/// A thread that meets one which has waited, at a barrier or the like, has waited, too. What orders
/// it with other blocks is not followed: it has waited if any thread of the grid has.
class EarlyAccesses {
 public:
  EarlyAccesses(const TracerState& state, WarpLogs& logs, HazardList& hazards)
      : state_(state), logs_(logs), hazards_(hazards) {}

  void start_block() { waited_.reset(); }

  /// The running thread waits for the kernel before.
  void awaits(unsigned thread);
  /// What the threads of a warp have logged since it was last looked at.
  void look_at(unsigned warp);
  /// An access to some bytes of one array.
  void check(unsigned thread, AccessCode code, std::uint64_t begin, std::uint64_t end,
             AccessVerb verb);

  // -- Who meets whom --------------------------------------------------------------------------
  void meet(unsigned warp);
  void pass_barrier();
  /// At a barrier of the cluster or of the grid.
  void pass_barrier_of_blocks();
  /// The running thread has waited for what another thread, of any block, has done.
  void acquired(unsigned thread);
  /// It has looked at a word by which others may tell how far they are.
  void learns_from(unsigned thread, const void* word);

 private:
  bool are_wanted() const { return state_.wishes->previous_may_run; }
  void check_log(unsigned thread);
  void has_waited(unsigned thread);

  const TracerState& state_;
  WarpLogs& logs_;
  HazardList& hazards_;
  std::bitset<1024> waited_;  ///< by thread
};

}  // namespace ladder::emulator
