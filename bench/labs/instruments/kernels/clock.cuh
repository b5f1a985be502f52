// SPDX-License-Identifier: MIT
/// \file  bench/labs/instruments/kernels/clock.cuh
/// \brief Reads the clock where it belongs: after what is timed.
#pragma once

#include "common/device.cuh"

namespace ladder::labs::kernels {

/// \brief The clock, read after a value has arrived: a store cannot be issued without it, and
///        instructions of a warp are issued in order.
__device__ __forceinline__ long long clock_after(const void* value) {
  __shared__ const void* volatile arrived;
  arrived = value;
  return clock64();
}

}  // namespace ladder::labs::kernels
