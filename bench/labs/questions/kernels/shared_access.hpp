// SPDX-License-Identifier: MIT
/// \file  bench/labs/questions/kernels/shared_access.hpp
/// \brief Where the lanes of a warp read or write in shared memory.
#pragma once

#include "bench/labs/questions/kernels/access_pattern.hpp"

namespace ladder::labs {

/// One request of a warp to shared memory.
struct SharedAccess {
  unsigned bytes = 4;                ///< of each lane: 4, 8 or 16
  bool stores = false;               ///< writes; else reads
  unsigned lane_byte[kWarpLanes]{};  ///< (32)  below kSharedSlotBytes
};

/// Room for what one request reaches. A multiple of 128, so that requests to several slots meet the
/// same banks.
inline constexpr unsigned kSharedSlotBytes = 5120;
inline constexpr int kSharedSlots = 8;

}  // namespace ladder::labs
