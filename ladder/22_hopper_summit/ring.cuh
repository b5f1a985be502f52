// SPDX-License-Identifier: MIT
/// \file  ladder/22_hopper_summit/ring.cuh
/// \brief What a block has in shared memory: a ring of stages, and room for results; and with
///        whom it shares what it loads.
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
  unsigned is_last[BM / 64];           // (BM/64)  each warpgroup: its piece was the last to come
  ptx::Mbarrier full[STAGES];          // (STAGES)  the stage has been filled
  ptx::Mbarrier empty[STAGES];         // (STAGES)  all that share it have multiplied it
};

/// A place in the ring of stages, and the parity of its round: no division in the main loop.
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

/// A block's place in its cluster: the blocks of a row share A, those of a column share B.
template <int ROWS, int COLUMNS>
struct Seat {
  static constexpr int kSharers =
      ROWS + COLUMNS - 1;  // blocks that share with this one, and itself
  int row = ptx::cluster_rank() % ROWS;
  int column = ptx::cluster_rank() / ROWS;

  __device__ unsigned same_row() const {  // a bit for each block
    unsigned blocks = 0;
    for (int c = 0; c < COLUMNS; ++c)
      blocks |= 1u << (c * ROWS + row);
    return blocks;
  }
  __device__ unsigned same_column() const { return ((1u << ROWS) - 1) << column * ROWS; }
  __device__ int sharer(int i) const {  // its rank; first those of the column
    const int other = i - ROWS;
    if (other < 0) return column * ROWS + i;
    return (other + (other >= column ? 1 : 0)) * ROWS + row;
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
