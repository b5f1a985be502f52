// SPDX-License-Identifier: MIT
/// \file  bench/labs/instruments/kernels/placement.cuh
/// \brief Puts one block on each SM, so that a kernel can pick SMs by number.
#pragma once

#include "common/ptx/sm_id.cuh"

namespace ladder::labs::kernels {

/// \brief Waits until all blocks of a cooperative launch have begun: a block that left at once
///        would make room for a second block on its SM.
/// \param  arrived  0 before the launch
__device__ inline void wait_for_all_blocks(unsigned* arrived) {
  if (threadIdx.x == 0) {
    atomicAdd(arrived, 1u);
    while (atomicAdd(arrived, 0u) < gridDim.x)
      __nanosleep(200);
  }
  __syncthreads();
}

}  // namespace ladder::labs::kernels
