// SPDX-License-Identifier: MIT
/// \file  ladder/22_hopper_summit/kernel.cuh
/// \brief No idle tensor core: results leave under the next tile, the last tiles are split, and
///        the next launch begins before this one has ended.
///
/// In rung 20, consumers stop multiplying while they round and store their results; some clusters
/// have no tile in the last round; and a launch begins when the one before has ended. Here a
/// consumer rounds its sums at once, packs them into half as many registers and begins the next
/// tile; the packed results are stored while tensor cores work on its first k tiles. The tiles of
/// the last round are split along K, a share for each cluster. And for small products there are
/// smaller tiles, whose blocks share A, too.
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
template <int BM, int BN, int BK, int ROWS, int COLUMNS, int STAGES>
__device__ __forceinline__ void produce(Shared<BM, BN, BK, STAGES>& shared,
                                        const ptx::TensorMap& map_a, const ptx::TensorMap& map_b,
                                        const Order<ROWS * BM, COLUMNS * BN>& order,
                                        Segments segments, const Plan& plan) {
  using Stage = hopper_summit::Stage<BM, BN, BK>;
  constexpr int kRowsOfA = BM / COLUMNS;  // that this block asks for
  constexpr int kDepthOfB = BK / ROWS;    // likewise, of all boxes
  const Seat<ROWS, COLUMNS> seat;

  // -- Producer ------------------------------------------------------------------------------
  const int clusters = gridDim.x / (ROWS * COLUMNS);
  Pace pace(ptx::cluster_rank() == 0 ? plan.counters : nullptr, clusters);
  Place<STAGES> now{.stage = 0, .parity = 1};  // the first round finds its stages empty
  int filled = 0;
  bool backwards = false;
  for (Segment segment = {}; segments.next(segment);) {
    const int row0 = order.row(segment.tile) + seat.row * BM + seat.column * kRowsOfA;
    const int col0 = order.column(segment.tile) + seat.column * BN;
    for (int k_tile = segment.first; k_tile < segment.last; ++k_tile, ++filled) {
      Stage& stage = shared.stages[now.stage];
      ptx::Mbarrier* const full = &shared.full[now.stage];
      ptx::mbarrier_wait(&shared.empty[now.stage], now.parity);
      now.next();
      if (filled % kEpoch == 0) pace.begin_epoch();
      const int k0 = (backwards ? segment.last - 1 - (k_tile - segment.first) : k_tile) * BK;
      ptx::mbarrier_arrive_expect(full, sizeof(Stage));
      if constexpr (COLUMNS > 1) {
        ptx::tma_load_multicast(stage.A[seat.column * kRowsOfA], map_a, row0, k0, full,
                                seat.same_row());
      } else {
        ptx::tma_load(stage.A, map_a, row0, k0, full);
      }
      for (int box = 0; box < BN / kBoxColumns; ++box) {
        bf16* const to = stage.B[box][seat.row * kDepthOfB];
        const int col = col0 + box * kBoxColumns;
        if constexpr (ROWS > 1) {
          ptx::tma_load_multicast(to, map_b, k0 + seat.row * kDepthOfB, col, full,
                                  seat.same_column());
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

/// \brief   C = alpha*A*B + beta*C; clusters take segments of tiles of ROWS*BM x COLUMNS*BN.
/// \tparam  BM,BN,BK  block tile in elements; BM is 64 or 128, BN a multiple of 64 up to 256, BK is
///                    64. The block has the producer's warpgroup and one for each 64 rows
/// \tparam  ROWS,COLUMNS  of blocks in a cluster: those of a row share A, those of a column share B
/// \tparam  STAGES    stages in the ring, in dynamic shared memory
/// \param   map_a     A as (M, K) with boxes of BM/COLUMNS x BK
/// \param   map_b     B as (K, N) with boxes of BK/ROWS x 64
/// \param   map_c     C as (M, N) with boxes of 64 x 64
/// \param   M         extent in elements, any value >= 1
/// \param   N         extent in elements, a multiple of 8
/// \param   C         (M, N) row-major, 16-byte aligned; not read when beta == 0
/// \param   plan      every segment has at least BN/64 k tiles; those past K are zeros
template <int BM, int BN, int BK, int ROWS, int COLUMNS, int STAGES>
__global__ void __launch_bounds__(128 + BM / 64 * 128, 1)
    kernel(const __grid_constant__ ptx::TensorMap map_a,
           const __grid_constant__ ptx::TensorMap map_b,
           const __grid_constant__ ptx::TensorMap map_c, int M, int N, float alpha, float beta,
           const bf16* C, const __grid_constant__ Plan plan) {
  constexpr int kConsumerGroups = BM / 64;
  constexpr int kBoxes = BN / kBoxColumns;
  // Products of a k tile begin before those of the k tile before have ended, if there are enough
  // stages for it.
  constexpr int kAhead = STAGES > 4 ? 1 : 0;
  static_assert(BK == kBoxColumns, "rows of A, too, are 128 bytes");
  using Stage = hopper_summit::Stage<BM, BN, BK>;

  // -- Where this thread works ---------------------------------------------------------------
  // From one lane, so that nvcc knows it to be the same in all: then what follows from it, such as
  // descriptors, is computed once for a warp, in uniform registers, where wgmma wants it.
  const int warpgroup = __shfl_sync(0xFFFFFFFF, threadIdx.x / 128, 0);

  // -- Shared tiles and registers ------------------------------------------------------------
  extern __shared__ __align__(1024) unsigned char dynamic_shared[];
  auto& shared = *reinterpret_cast<Shared<BM, BN, BK, STAGES>*>(dynamic_shared);
  ptx::launch_dependents();
  if (threadIdx.x == 0) {
    for (int s = 0; s < STAGES; ++s) {
      ptx::mbarrier_init(&shared.full[s], 1);
      ptx::mbarrier_init(&shared.empty[s], Seat<ROWS, COLUMNS>::kSharers * kConsumerGroups);
    }
    ptx::fence_mbarrier_init();
    for (const ptx::TensorMap* map : {&map_a, &map_b, &map_c})
      ptx::prefetch_tensor_map(*map);
  }
  sync_cluster<ROWS * COLUMNS>();
  ptx::wait_for_previous_kernel();

  const Order<ROWS * BM, COLUMNS * BN> order(M, N, plan.band);
  Segments segments(plan, blockIdx.x / (ROWS * COLUMNS), gridDim.x / (ROWS * COLUMNS));
  if (warpgroup == 0) {
    if constexpr (kConsumerGroups > 1) ptx::setmaxnreg_dec<40>();
    if (threadIdx.x == 0) {
      produce<BM, BN, BK, ROWS, COLUMNS>(shared, map_a, map_b, order, segments, plan);
    }
    return;
  }

  // -- Consumer ------------------------------------------------------------------------------
  if constexpr (kConsumerGroups > 1) ptx::setmaxnreg_inc<232>();
  const int group = warpgroup - 1;
  const int group_row = group * 64;  // of the block tile's rows, this warpgroup's first
  const int warp = threadIdx.x / 32 % 4;
  const int lane = threadIdx.x % 32;
  const Seat<ROWS, COLUMNS> seat;
  const int sharer = seat.sharer(threadIdx.x % 128);
  const auto first_a = ptx::matrix_descriptor(&shared.stages[0].A[group_row], 16,
                                              8 * sizeof(Stage::A[0]), ptx::Swizzle::rows_of_128);
  const auto first_b =
      ptx::matrix_descriptor(&shared.stages[0].B, sizeof(Stage::B[0]), 8 * sizeof(Stage::B[0][0]),
                             ptx::Swizzle::rows_of_128);
  float acc[BN / 2];        // (BN/2)  of 64 x BN per warpgroup
  unsigned packed[BN / 4];  // (BN/4)  results of the tile before, two to a word
  int packed_row = 0;
  int packed_col = -1;  // there are none
  int stored = 0;       // boxes
  const auto store = [&](int box) {
    if (packed_col < 0) return;
    store_box(shared.results[group][stored++ % kResults], box, packed, map_c, packed_row,
              packed_col, 1 + group);
  };

  Place<STAGES> now;                        // of the stage that is multiplied next
  Place<STAGES> done;                       // of the first that is not yet released
  int again = segments.k_tiles() - STAGES;  // stages that will be filled again
  for (Segment segment = {}; segments.next(segment);) {
    const int row0 = order.row(segment.tile) + seat.row * BM + group_row;
    const int col0 = order.column(segment.tile) + seat.column * BN;

    // -- Main loop over K --------------------------------------------------------------------
    const auto multiply = [&](bool first) {
      ptx::mbarrier_wait(&shared.full[now.stage], now.parity);
      ptx::wgmma_fence();
      const unsigned stage = now.stage * sizeof(Stage);
#pragma unroll
      for (int k = 0; k < BK; k += 16) {
        ptx::wgmma<BN, false, true>(
            acc, ptx::moved_descriptor(first_a, stage + k * sizeof(bf16)),
            ptx::moved_descriptor(first_b, stage + k * sizeof(Stage::B[0][0])), !first || k > 0);
      }
      ptx::wgmma_commit();
    };
    const auto release = [&] {  // the stage that has been multiplied
      // Nobody waits for a stage that is not filled again. So a block may leave before the others.
      if (threadIdx.x % 128 < seat.kSharers && again > 0) {
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
    packed_col = -1;
    bool is_mine = true;  // to be stored
    if (segment.last - segment.first < plan.k_tiles) {
      const Pieces pieces = pieces_of(plan, segment, ptx::cluster_rank() * kConsumerGroups + group,
                                      ROWS * COLUMNS * kConsumerGroups);
      unsigned* const counter =
          &plan.flags[(segment.tile - plan.whole) * pieces.warpgroups + pieces.warpgroup];
      is_mine = leave_part(plan.parts, pieces, counter, acc, &shared.is_last[group], 1 + group);
      if (is_mine) add_parts(plan.parts, pieces, acc);
    }
    if (is_mine) {
#pragma unroll
      for (int i = 0; i < BN / 4; ++i) {  // 8 rows further down; the next 8 columns
        const int row = row0 + warp * 16 + i % 2 * 8 + lane / 4;
        const int col = col0 + i / 2 * 8 + lane % 4 * 2;
        float2 c = {};
        if (beta != 0.0f && row < M && col < N) {
          c = __bfloat1622float2(
              *reinterpret_cast<const __nv_bfloat162*>(C + static_cast<size_t>(row) * N + col));
        }
        const __nv_bfloat162 pair = __float22bfloat162_rn(
            {alpha * acc[2 * i] + beta * c.x, alpha * acc[2 * i + 1] + beta * c.y});
        packed[i] = reinterpret_cast<const unsigned&>(pair);
      }
      packed_row = row0;
      packed_col = col0;
    }
  }
#pragma unroll
  for (int box = 0; box < kBoxes; ++box)
    store(box);
  if (threadIdx.x % 128 == 0) ptx::tma_store_wait_read<0>();
}

}  // namespace ladder::hopper_summit
