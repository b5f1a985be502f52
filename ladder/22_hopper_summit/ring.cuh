// SPDX-License-Identifier: MIT
/// \file  ladder/22_hopper_summit/ring.cuh
/// \brief What a block has in shared memory: a ring of stages, and room for results.
#pragma once

#include "common/ptx/cluster.cuh"
#include "common/ptx/mbarrier.cuh"
#include "ladder/22_hopper_summit/results.cuh"

namespace ladder::hopper_summit {

/// A tile of A and one of B, as boxes of rows of 128 bytes.
template <int BM, int BN, int BK>
struct Stage {
  bf16 A[BM][BK];                             // (BM, BK)
  bf16 B[BN / kBoxColumns][BK][kBoxColumns];  // (BN/64, BK, 64)
};

/// What a block has in shared memory.
template <int BM, int BN, int BK, int STAGES>
struct Shared {
  Stage<BM, BN, BK> stages[STAGES];    // (STAGES)
  Results results[BM / 64][kResults];  // (BM/64, 2)  of each warpgroup
  unsigned is_last[BM / 64];           // (BM/64)  of each warpgroup, as split tiles have it
  ptx::Mbarrier full[STAGES];          // (STAGES)  the stage has been filled
  ptx::Mbarrier empty[STAGES];         // (STAGES)  all that share it have multiplied it
};

/// A place in the ring of stages, and how often it has gone around: no division in the main loop.
template <int STAGES>
struct Place {
  int stage = 0;
  int parity = 0;  // of the round
  __device__ __forceinline__ void next() {
    if (++stage < STAGES) return;
    stage = 0;
    parity ^= 1;
  }
};

/// Waits for all threads of a cluster, which may be a block.
template <int BLOCKS>
__device__ __forceinline__ void sync_cluster() {
  if constexpr (BLOCKS > 1) {
    ptx::cluster_sync();
  } else {
    __syncthreads();
  }
}

}  // namespace ladder::hopper_summit
