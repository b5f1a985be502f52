// SPDX-License-Identifier: MIT
/// \file  bench/labs/questions/kernels/lane_exchange.cuh
/// \brief Lanes that read each other's registers.
#pragma once

#include "bench/labs/questions/kernels/access_pattern.hpp"
#include "common/device.cuh"

namespace ladder::labs::kernels {

/// Lanes exchange their numbers without any memory.
/// \param out (32)
__global__ void reverse_by_shuffle(unsigned* out) {
  out[threadIdx.x] = __shfl_xor_sync(0xFFFFFFFFu, threadIdx.x, kWarpLanes - 1);
}

}  // namespace ladder::labs::kernels
