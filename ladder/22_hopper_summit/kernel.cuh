// SPDX-License-Identifier: MIT
/// \file  ladder/22_hopper_summit/kernel.cuh
/// \brief No idle tensor core: results leave under the next tile, the last tiles are split, and
///        the next launch begins before this one has ended.
///
/// In rung 20, consumers stop multiplying while they round and store their results; some clusters
/// have no tile in the last round; and a launch begins when the one before has ended. Here a
/// consumer rounds its sums at once, packs them into half as many registers and begins the next
/// tile; the packed results are stored while tensor cores work on its first k tiles. The tiles of
/// the last round are split along K, a share for each cluster. And tiles fit the shape: an
/// instruction's 64 rows are columns of C, and its columns, any multiple of 8, are rows of C.
///
/// Traffic  as in rung 20, and 4*BM*BN bytes for each piece of a split tile, written and read.
#pragma once

#include "common/device.cuh"
#include "common/ptx/cluster.cuh"
#include "common/ptx/dependent_launch.cuh"
#include "common/ptx/fence.cuh"
#include "common/ptx/mbarrier.cuh"
#include "common/ptx/registers.cuh"
#include "common/ptx/tma.cuh"
#include "common/ptx/wgmma.cuh"
#include "ladder/22_hopper_summit/pace.cuh"
#include "ladder/22_hopper_summit/ring.cuh"
#include "ladder/22_hopper_summit/schedule.cuh"
#include "ladder/22_hopper_summit/split_tail.cuh"

namespace ladder::hopper_summit {

constexpr int kEpoch = 8;  // k tiles; clusters are less than two epochs apart

/// \brief  The producer, a single thread: fills a stage for each tile of A and B as soon as all
///         blocks that share it have emptied it, segment after segment.
template <int BM, int BN, int BK, int BOX, int STAGES>
__device__ __forceinline__ void produce(Shared<BM, BN, BK, BOX, STAGES>& shared,
                                        const ptx::TensorMap& map_a, const ptx::TensorMap& map_b,
                                        Segments segments, const Plan& plan, int clusters) {
  using Stage = hopper_summit::Stage<BM, BN, BK>;
  const Seat seat(plan);
  const int rows_of_a = BM >> plan.log_columns;  // that this block asks for
  const int depth_of_b = BK >> plan.log_rows;    // likewise, of all boxes
  const unsigned same_row = seat.same_row();
  const unsigned same_column = seat.same_column();

  // -- Producer ------------------------------------------------------------------------------
  Pace pace(ptx::cluster_rank() == 0 ? plan.counters : nullptr, clusters);
  Place<STAGES> now{.stage = 0, .parity = 1};  // the first round finds its stages empty
  int filled = 0;
  bool backwards = false;
  for (Segment segment = {}; segments.next(segment);) {
    const Position tile = plan.order.position(segment.tile);
    const int row0 = ((tile.row << plan.log_rows) + seat.row) * BM + seat.column * rows_of_a;
    const int col0 = ((tile.column << plan.log_columns) + seat.column) * BN;
    for (int k_tile = segment.first; k_tile < segment.last; ++k_tile, ++filled) {
      Stage& stage = shared.stages[now.stage];
      ptx::Mbarrier* const full = &shared.full[now.stage];
      ptx::mbarrier_wait(&shared.empty[now.stage], now.parity);
      now.next();
      if (filled % kEpoch == 0) pace.begin_epoch();
      const int k0 = (backwards ? segment.last - 1 - (k_tile - segment.first) : k_tile) * BK;
      ptx::mbarrier_arrive_expect(full, sizeof(Stage));
      if (plan.log_columns > 0) {
        ptx::tma_load_multicast(stage.A[seat.column * rows_of_a], map_a, row0, k0, full, same_row);
      } else {
        ptx::tma_load(stage.A, map_a, row0, k0, full);
      }
      for (int box = 0; box < BN / kBoxColumns; ++box) {
        bf16* const to = stage.B[box][seat.row * depth_of_b];
        const int col = col0 + box * kBoxColumns;
        if (plan.log_rows > 0) {
          ptx::tma_load_multicast(to, map_b, k0 + seat.row * depth_of_b, col, full, same_column);
        } else {
          ptx::tma_load(to, map_b, k0, col, full);
        }
      }
    }
    backwards = !backwards;  // what was read last is still in L2
  }
  const int most = (plan.whole + clusters - 1) / clusters * plan.k_tiles + plan.share;
  pace.end((most + kEpoch - 1) / kEpoch);
}

/// \brief   C = alpha*A*B + beta*C; clusters take segments of tiles, and each block has its part.
/// \tparam  BM,BN,BK  block tile in elements: BM a multiple of 16 up to 256, BN 64, 128 or 192, BK
///                    64. The block has the producer's warpgroup and one for each 64 columns
/// \tparam  BOX       rows of C that leave under one k tile: a divisor of BM, a multiple of 16
/// \tparam  STAGES    stages in the ring, in dynamic shared memory
/// \param   map_a     A as (M, K) with boxes of BM / (columns of a cluster) x BK
/// \param   map_b     B as (K, N) with boxes of BK / (rows of a cluster) x 64
/// \param   map_c     C as (M, N) with boxes of BOX x 64; not read when beta == 0
/// \param   plan      every segment has at least BM/BOX k tiles; those past K are zeros
template <int BM, int BN, int BK, int BOX, int STAGES>
__global__ void __launch_bounds__(128 + BN / 64 * 128, 1)
    kernel(const __grid_constant__ ptx::TensorMap map_a,
           const __grid_constant__ ptx::TensorMap map_b,
           const __grid_constant__ ptx::TensorMap map_c, float alpha, float beta,
           const __grid_constant__ Plan plan) {
  constexpr int kConsumerGroups = BN / 64;
  constexpr int kBoxes = BM / BOX;
  // Products of a k tile begin before those of the k tile before have ended, if there are enough
  // stages for it.
  constexpr int kAhead = STAGES > 4 ? 1 : 0;
  constexpr bool kMovesRegisters = BM * kConsumerGroups > 256;  // an even share would be too few
  constexpr int kProducerRegisters = kConsumerGroups == 2 ? 40 : 24;
  constexpr int kConsumerRegisters = kConsumerGroups == 2 ? 232 : 160;
  static_assert(BK == kBoxColumns, "rows of A, too, are 128 bytes");
  using Stage = hopper_summit::Stage<BM, BN, BK>;

  // -- Where this thread works ---------------------------------------------------------------
  // From one lane, so that nvcc knows it to be the same in all: then what follows from it, such as
  // descriptors, is computed once for a warp, in uniform registers, where wgmma wants it.
  const int warpgroup = __shfl_sync(0xFFFFFFFF, threadIdx.x / 128, 0);

  // -- Shared tiles and registers ------------------------------------------------------------
  extern __shared__ __align__(1024) unsigned char dynamic_shared[];
  auto& shared = *reinterpret_cast<Shared<BM, BN, BK, BOX, STAGES>*>(dynamic_shared);
  ptx::launch_dependents();
  const Seat seat(plan);
  if (threadIdx.x == 0) {
    for (const ptx::TensorMap* map : {&map_a, &map_b, &map_c})
      ptx::prefetch_tensor_map(*map);
    for (int s = 0; s < STAGES; ++s) {
      ptx::mbarrier_init(&shared.full[s], 1);
      ptx::mbarrier_init(&shared.empty[s], seat.sharers() * kConsumerGroups);
    }
    for (auto& boxes : shared.full_c) {
      for (ptx::Mbarrier& full : boxes)
        ptx::mbarrier_init(&full, 1);
    }
    ptx::fence_mbarrier_init();
  }
  const bool is_alone = plan.log_rows + plan.log_columns == 0;
  if (!is_alone) ptx::cluster_arrive_relaxed();
  const int clusters = gridDim.x >> (plan.log_rows + plan.log_columns);
  Segments segments(plan, blockIdx.x >> (plan.log_rows + plan.log_columns), clusters);
  if (is_alone)
    __syncthreads();
  else
    ptx::cluster_wait();
  ptx::wait_for_previous_kernel();

  if (warpgroup == 0) {
    if constexpr (kMovesRegisters) ptx::setmaxnreg_dec<kProducerRegisters>();
    if (threadIdx.x == 0) produce(shared, map_a, map_b, segments, plan, clusters);
    return;
  }

  // -- Consumer ------------------------------------------------------------------------------
  if constexpr (kMovesRegisters) ptx::setmaxnreg_inc<kConsumerRegisters>();
  const int group = warpgroup - 1;  // has 64 columns of the block tile
  const int sharer = seat.sharer(threadIdx.x % 128);
  const auto first_a = ptx::matrix_descriptor(&shared.stages[0].A, 16, 8 * sizeof(Stage::A[0]),
                                              ptx::Swizzle::rows_of_128);
  const auto first_b =
      ptx::matrix_descriptor(&shared.stages[0].B[group], sizeof(Stage::B[0]),
                             8 * sizeof(Stage::B[0][0]), ptx::Swizzle::rows_of_128);
  float acc[BM / 2];             // (BM/2)  of BM x 64 per warpgroup
  unsigned packed[BM / 4] = {};  // (BM/4)  results of the tile before, two to a word
  int packed_row = 0;
  int packed_col = -1;  // there are none
  int stored = 0;       // boxes
  unsigned parity_c = 0;
  const auto store = [&](int box) {
    if (packed_col < 0) return;
    store_box(shared.results[group][stored++ % kResults], box, packed, map_c, packed_row,
              packed_col, 1 + group);
  };

  Place<STAGES> now;                        // of the stage that is multiplied next
  Place<STAGES> done;                       // of the first that is not yet released
  int again = segments.k_tiles() - STAGES;  // stages that will be filled again
  for (Segment segment = {}; segments.next(segment);) {
    const Position tile = plan.order.position(segment.tile);
    const int row0 = ((tile.row << plan.log_rows) + seat.row) * BM;
    const int col0 = ((tile.column << plan.log_columns) + seat.column) * BN + group * 64;

    // -- Main loop over K --------------------------------------------------------------------
    const auto multiply = [&](bool first) {
      ptx::mbarrier_wait(&shared.full[now.stage], now.parity);
      ptx::wgmma_fence();
      const unsigned stage = now.stage * sizeof(Stage);
#pragma unroll
      for (int k = 0; k < BK; k += 16) {
        ptx::wgmma<BM, true, false>(
            acc, ptx::moved_descriptor(first_b, stage + k * sizeof(Stage::B[0][0])),
            ptx::moved_descriptor(first_a, stage + k * sizeof(bf16)), !first || k > 0);
      }
      ptx::wgmma_commit();
    };
    const auto release = [&] {  // the stage that has been multiplied
      // Nobody waits for a stage that is not filled again. So a block may leave before the others.
      if (threadIdx.x % 128 < seat.sharers() && again > 0) {
        ptx::mbarrier_arrive_in_block(&shared.empty[done.stage], sharer);
      }
      done.next();
      --again;
    };
    const auto finish = [&](bool first) {
      ptx::wgmma_wait<kAhead>();
      if (kAhead == 0 || !first) release();
      now.next();
    };
#pragma unroll
    for (int box = 0; box < kBoxes; ++box) {  // the results of the tile before leave meanwhile
      multiply(box == 0);
      store(box);
      finish(box == 0);
    }
#pragma unroll 1
    for (int k_tile = segment.first + kBoxes; k_tile < segment.last; ++k_tile) {
      multiply(false);
      finish(false);
    }
    ptx::wgmma_wait<0>();
    if (kAhead > 0) release();

    // -- Epilogue: C = alpha*acc + beta*C ----------------------------------------------------
    packed_col = col0;
    packed_row = row0;
    if (segment.last - segment.first < plan.k_tiles) {
      const Pieces pieces = pieces_of(plan, segment, ptx::cluster_rank() * kConsumerGroups + group,
                                      kConsumerGroups << (plan.log_rows + plan.log_columns));
      unsigned* const counter =
          &plan.flags[(segment.tile - plan.whole) * pieces.warpgroups + pieces.warpgroup];
      if (leave_part(plan.parts, pieces, counter, acc, &shared.is_last[group], 1 + group))
        add_parts(plan.parts, pieces, acc);
      else
        packed_col = -1;  // another one adds and stores them
    }
#pragma unroll
    for (float& sum : acc)
      sum *= alpha;
    if (beta != 0.0f && packed_col >= 0) {
      add_c(shared.results[group], shared.full_c[group], parity_c, map_c, row0, col0, beta, acc,
            1 + group);
    }
#pragma unroll
    for (int i = 0; i < BM / 4; ++i) {  // first the next 8 columns, then the next 8 rows
      const __nv_bfloat162 pair = __float22bfloat162_rn({acc[2 * i], acc[2 * i + 1]});
      packed[i] = reinterpret_cast<const unsigned&>(pair);
    }
  }
#pragma unroll
  for (int box = 0; box < kBoxes; ++box)
    store(box);
  if (threadIdx.x % 128 == 0) ptx::tma_store_wait_read<0>();
}

}  // namespace ladder::hopper_summit
