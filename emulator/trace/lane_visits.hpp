// SPDX-License-Identifier: MIT
/// \file  emulator/trace/lane_visits.hpp
/// \brief Which accesses of lanes that went different ways belong to one warp instruction.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "emulator/trace/access_log.hpp"

namespace ladder::emulator {

/// \brief Numbers the visits of each lane to each place in the source.
///
/// A warp runs a place in a loop again and again, and each time some lanes take part. A lane logs
/// only the times that it took part: its k-th visit need not be the k-th of the others. So a lane
/// that came by less often than the busiest one is compared with it: the addresses of an access in
/// a loop usually are the same distance apart in all lanes, and that tells which times it left out.
/// Where no such distance fits, the k-th visit belongs to the k-th.
class LaneVisits {
 public:
  /// \param rows   how many rows each of the 32 lanes has filled
  /// \param place  the place in the source of an access's code
  LaneVisits(const WarpLog& log, const std::uint16_t* rows,
             const std::function<std::uint64_t(AccessCode)>& place);

  /// Accesses of several lanes to one place that have one number are one warp instruction.
  unsigned number(unsigned lane, unsigned row) const { return number_[lane][row]; }

 private:
  std::array<std::vector<std::uint16_t>, 32> number_;  ///< by lane and row
};

}  // namespace ladder::emulator
