// SPDX-License-Identifier: MIT
/// \file  tests/common/ptx/timing_modes.hpp
/// \brief All ways in which the emulator can choose when copies arrive and who goes on.
#pragma once

#include "emulator/run/settings.hpp"

namespace ladder {

/// Calls visit() once in each of them.
template <class Visit>
void in_all_timing_modes(Visit visit) {
  using emulator::CopyArrival, emulator::ThreadTurns;
  for (const CopyArrival arrival : {CopyArrival::kLate, CopyArrival::kEarly}) {
    for (const ThreadTurns turns : {ThreadTurns::kWarpByWarp, ThreadTurns::kLaneByLane}) {
      emulator::set_copy_arrival(arrival);
      emulator::set_thread_turns(turns);
      visit(arrival == CopyArrival::kLate
                ? turns == ThreadTurns::kWarpByWarp ? "late, warps" : "late, lanes"
            : turns == ThreadTurns::kWarpByWarp ? "early, warps"
                                                : "early, lanes");
    }
  }
  emulator::set_copy_arrival(CopyArrival::kLate);
  emulator::set_thread_turns(ThreadTurns::kWarpByWarp);
}

}  // namespace ladder
