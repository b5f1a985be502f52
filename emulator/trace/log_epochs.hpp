// SPDX-License-Identifier: MIT
/// \file  emulator/trace/log_epochs.hpp
/// \brief In which epochs the lanes of a warp filled the rows of its log.
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <vector>

#include "emulator/trace/tracer_state.hpp"
#include "emulator/trace/warp_clocks.hpp"
#include "emulator/trace/warp_logs.hpp"

namespace ladder::emulator {

/// \brief What orders accesses is noted at once, with the row of the log at which the lane stood.
class LogEpochs {
 public:
  LogEpochs(const WarpClocks& clocks, const WarpLogs& logs) : clocks_(clocks), logs_(logs) {}

  void start_block();

  /// \param before  the thread's epoch until now
  void note(unsigned thread, Epoch before);

  // -- While a warp's log is looked at: between sort() and forget() -----------------------------
  void sort(unsigned warp);
  void forget(unsigned warp);
  /// Does any lane's epoch change at this row?
  bool change_at(unsigned row) const { return rows_with_changes_[row]; }
  /// The epoch in which a lane filled a row.
  Epoch at(unsigned warp, unsigned lane, unsigned row) const;
  /// Did the lanes fill all of these rows in one epoch?
  bool are_one(unsigned warp, std::uint32_t lanes, unsigned rows) const;
  /// \param of_lane  set for each of the lanes, if the clocks are active
  Epochs of_lanes(unsigned warp, std::uint32_t lanes, unsigned row,
                  std::array<Epoch, 32>& of_lane) const;

 private:
  /// A thread's epoch changed before it filled this row.
  struct Change {
    std::uint16_t row;
    std::uint8_t lane;
    Epoch before;
    Epoch after;
  };

  const WarpClocks& clocks_;
  const WarpLogs& logs_;
  std::array<std::vector<Change>, 32> changes_;  ///< by warp, since its log was looked at
  std::array<std::uint16_t, 33> first_ = {};     ///< where in them a lane's begin, if sorted
  std::bitset<WarpLog::kRows + 1> rows_with_changes_;
};

}  // namespace ladder::emulator
