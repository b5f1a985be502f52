// SPDX-License-Identifier: MIT
/// \file  emulator/run/fault_order.hpp
/// \brief The order in which a list of faults explains itself.
#pragma once

#include <algorithm>
#include <vector>

#include "emulator/run/fault.hpp"

namespace ladder::emulator {

/// Puts accesses out of bounds first: races and undefined values often follow from them.
inline void put_out_of_bounds_first(std::vector<Fault>& faults) {
  std::ranges::stable_partition(
      faults, [](const Fault& fault) { return group_of(fault.kind) == FaultGroup::kOutOfBounds; });
}

}  // namespace ladder::emulator
