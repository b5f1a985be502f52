// SPDX-License-Identifier: MIT
/// \file  ladder/22_hopper_summit/ring.cuh
/// \brief What a block has in shared memory: a ring of stages, and room for results; and with
///        whom it shares what it loads.
#pragma once

#include "common/ptx/cluster.cuh"
#include "common/ptx/mbarrier.cuh"
#include "ladder/22_hopper_summit/results.cuh"
#include "ladder/22_hopper_summit/schedule.cuh"

namespace ladder::hopper_summit {

/// A tile of A and one of B, as boxes of rows of 128 bytes.
template <int BM, int BN, int BK>
struct Stage {
  bf16 A[BM][BK];                             // (BM, BK)
  bf16 B[BN / kBoxColumns][BK][kBoxColumns];  // (BN/64, BK, 64)
};

/// What a block has in shared memory.
template <int BM, int BN, int BK, int BOX, int STAGES>
struct Shared {
  Stage<BM, BN, BK> stages[STAGES];         // (STAGES)
  Results<BOX> results[BN / 64][kResults];  // (BN/64, 2)  of each warpgroup
  unsigned is_last[BN / 64];                // (BN/64)  its piece was the last to come
  ptx::Mbarrier full_c[BN / 64][kResults];  // (BN/64, 2)  a box of C is where results leave
  ptx::Mbarrier full[STAGES];               // (STAGES)  the stage has been filled
  ptx::Mbarrier empty[STAGES];              // (STAGES)  all that share it have multiplied it
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
class Seat {
 public:
  __device__ explicit Seat(const Plan& plan)
      : row(ptx::cluster_rank() & ((1u << plan.log_rows) - 1)),
        column(ptx::cluster_rank() >> plan.log_rows),
        log_rows_(plan.log_rows),
        rows_(1 << plan.log_rows),
        columns_(1 << plan.log_columns) {}

  int row;
  int column;
  /// Blocks that share with this one, and itself.
  __device__ unsigned sharers() const { return rows_ + columns_ - 1; }
  __device__ unsigned same_row() const {  // a bit for each block
    unsigned blocks = 0;
    for (int c = 0; c < columns_; ++c)
      blocks |= 1u << ((c << log_rows_) + row);
    return blocks;
  }
  __device__ unsigned same_column() const { return ((1u << rows_) - 1) << (column << log_rows_); }
  __device__ int sharer(int i) const {  // its rank; first those of the column
    const int other = i - rows_;
    if (other < 0) return (column << log_rows_) + i;
    return ((other + (other >= column ? 1 : 0)) << log_rows_) + row;
  }

 private:
  int log_rows_;
  int rows_;
  int columns_;
};

}  // namespace ladder::hopper_summit
