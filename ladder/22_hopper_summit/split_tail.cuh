// SPDX-License-Identifier: MIT
/// \file  ladder/22_hopper_summit/split_tail.cuh
/// \brief How clusters that share the k tiles of a split tile of C add up their sums: rung 12's
///        fixup, with warpgroups instead of blocks.
#pragma once

#include "common/device.cuh"
#include "common/ptx/flag.cuh"
#include "common/ptx/named_barrier.cuh"
#include "ladder/22_hopper_summit/schedule.cuh"

namespace ladder::hopper_summit {

/// Leaves a warpgroup's sums for the cluster that has the beginning of the tile.
/// \param number  of the warpgroup, in the whole grid
template <int SUMS>
__device__ __forceinline__ void leave_part(const Plan& plan, int number, const float (&acc)[SUMS],
                                           int barrier) {
  float4* const to =
      plan.parts + static_cast<size_t>(number) * (SUMS / 4) * 128 + threadIdx.x % 128;
#pragma unroll
  for (int i = 0; i < SUMS / 4; ++i) {
    to[i * 128] = make_float4(acc[4 * i], acc[4 * i + 1], acc[4 * i + 2], acc[4 * i + 3]);
  }
  ptx::barrier_sync<128>(barrier);
  if (threadIdx.x % 128 == 0) ptx::store_release(&plan.flags[number], 1);
}

/// Waits for the sums of the warpgroup with that number, and adds them.
template <int SUMS>
__device__ __forceinline__ void add_part(const Plan& plan, int number, float (&acc)[SUMS],
                                         int barrier) {
  if (threadIdx.x % 128 == 0) {
    while (ptx::load_acquire(&plan.flags[number]) == 0) {
    }
    plan.flags[number] = 0;  // for the next launch
  }
  ptx::barrier_sync<128>(barrier);
  const float4* const from =
      plan.parts + static_cast<size_t>(number) * (SUMS / 4) * 128 + threadIdx.x % 128;
#pragma unroll
  for (int i = 0; i < SUMS / 4; ++i) {
    const float4 four = from[i * 128];
    acc[4 * i] += four.x;
    acc[4 * i + 1] += four.y;
    acc[4 * i + 2] += four.z;
    acc[4 * i + 3] += four.w;
  }
}

}  // namespace ladder::hopper_summit
