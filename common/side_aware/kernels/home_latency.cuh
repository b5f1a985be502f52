// SPDX-License-Identifier: MIT
/// \file  common/side_aware/kernels/home_latency.cuh
/// \brief How long atomic additions take from one SM to some addresses.
#pragma once

#include "common/device.cuh"
#include "common/ptx/sm_id.cuh"

namespace ladder::side_aware {

inline constexpr int kAdditionsInChain = 16;

/// Waits until all blocks run, one on each SM: a block that left early would let a second one in.
__device__ inline void wait_for_all(unsigned* arrived) {
  if (threadIdx.x == 0) {
    atomicAdd(arrived, 1u);
    while (atomicAdd(arrived, 0u) < gridDim.x)
      __nanosleep(200);
  }
  __syncthreads();
}

/// \brief  An atomic is executed where its line is at home, whatever copies other caches hold. So a
///         chain of additions of 0 tells how far away that is. One block for each SM; the words
///         keep their values; nobody else may change them meanwhile.
/// \param  addresses  (count)
/// \param  sm         the SM that measures
/// \param  cycles     (count, repeats)  for kAdditionsInChain additions, one after the other
/// \param  seen       (SMs)  blocks that ran there
__device__ inline void home_latency(const unsigned long long* addresses, int count, int repeats,
                                    unsigned sm, unsigned* arrived, long long* cycles,
                                    unsigned* seen) {
  const unsigned here = ptx::sm_id();
  if (threadIdx.x == 0 && here < gridDim.x) atomicAdd(&seen[here], 1u);
  wait_for_all(arrived);
  if (here != sm || threadIdx.x != 0) return;
  __shared__ volatile unsigned arrived_value;
  for (int i = 0; i < count; ++i) {
    auto* const word = reinterpret_cast<unsigned*>(addresses[i]);
    const unsigned kept = atomicExch(word, 0u);  // brings the line to L2
    unsigned value = atomicAdd(word, 0u);
    for (int repeat = 0; repeat < repeats; ++repeat) {
      // A store cannot be issued without its value, and the clock is read after it.
      arrived_value = value;
      const long long start = clock64();
#pragma unroll
      for (int step = 0; step < kAdditionsInChain; ++step)
        value = atomicAdd(word + value, value);  // value is 0
      arrived_value = value;
      cycles[i * repeats + repeat] = clock64() - start;
    }
    atomicExch(word, kept);
  }
}

}  // namespace ladder::side_aware
