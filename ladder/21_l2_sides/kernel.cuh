// SPDX-License-Identifier: MIT
/// \file  ladder/21_l2_sides/kernel.cuh
/// \brief Clusters on one side of L2 compute the left half of C, those on the other side the right.
///
/// An H100's or H200's L2 has two sides, and each SM is near one of them. All that it asks for
/// comes through that side, which keeps copies of lines that are at home on the other. In rung 20
/// each cluster may compute any tile, so both sides need all of B. Here each side computes one half
/// of the columns, so it needs only one half of B, and fewer lines cross. A cluster looks up on
/// which side its SM is, and takes a seat there.
///
/// Traffic  between the sides, bytes  of B half as many as in rung 20, if each line crosses once
#pragma once

#include "common/device.cuh"
#include "common/ptx/cluster.cuh"
#include "common/ptx/fence.cuh"
#include "common/ptx/ldmatrix.cuh"
#include "common/ptx/mbarrier.cuh"
#include "common/ptx/named_barrier.cuh"
#include "common/ptx/registers.cuh"
#include "common/ptx/sm_id.cuh"
#include "common/ptx/tma.cuh"
#include "common/ptx/wgmma.cuh"
#include "ladder/21_l2_sides/pace.cuh"
#include "ladder/21_l2_sides/sides.cuh"

namespace ladder::l2_sides {

using bf16 = __nv_bfloat16;

constexpr int kBoxColumns = 64;  // elements in a row of 128 bytes, as the swizzle wants them
constexpr int kPair = 2;         // blocks in a cluster
constexpr int kEpoch = 8;        // k tiles; clusters are less than two epochs apart

/// A tile of A and one of B, as boxes of rows of 128 bytes.
template <int BM, int BN, int BK>
struct Stage {
  bf16 A[BM][BK];                             // (BM, BK)
  bf16 B[BN / kBoxColumns][BK][kBoxColumns];  // (BN/64, BK, 64)
};

/// Results of a warpgroup on their way to C, as a box of rows of 128 bytes.
struct Results {
  bf16 box[64][kBoxColumns];  // (64, 64)
};

constexpr int kResults = 2;  // one is filled while the other is stored

/// What a block has in shared memory.
template <int BM, int BN, int BK, int STAGES>
struct Shared {
  Stage<BM, BN, BK> stages[STAGES];    // (STAGES)
  Results results[BM / 64][kResults];  // (BM/64, 2)  of each warpgroup
  ptx::Mbarrier full[STAGES];          // (STAGES)  the stage has been filled
  ptx::Mbarrier empty[STAGES];         // (STAGES)  both blocks have multiplied it
  int seat;                            // of the cluster, in its first block
};

/// Where the tiles of C are that the clusters of one side take: down a column of BAND tiles of two
/// blocks each, then the next column. The other side has as many columns, or there is one side.
template <int BM, int BN, int BAND>
struct Order {
  int rows;  // of pairs
  int columns;
  int first_column;
  int first;  // tile of this cluster
  int step;   // to its next one

  __device__ Order(int M, int N, int seat, int clusters, int sides)
      : rows((M + kPair * BM - 1) / (kPair * BM)),
        columns((N + BN - 1) / BN / sides),
        first_column(seat / (clusters / sides) * columns),
        first(seat % (clusters / sides)),
        step(clusters / sides) {}
  __device__ int tiles() const { return rows * columns; }
  __device__ int row(int tile) const {  // of the pair, in elements
    const int band = tile / (BAND * columns) * BAND;
    return (band + tile % (BAND * columns) % min(BAND, rows - band)) * kPair * BM;
  }
  __device__ int column(int tile) const {
    const int band = tile / (BAND * columns) * BAND;
    return (first_column + tile % (BAND * columns) / min(BAND, rows - band)) * BN;
  }
};

/// \brief  The producer, a single thread: fills a stage for each tile of A and B as soon as both
///         blocks have emptied it, tile of C after tile of C.
template <int BM, int BN, int BK, int STAGES, int BAND>
__device__ __forceinline__ void produce(Shared<BM, BN, BK, STAGES>& shared,
                                        const ptx::TensorMap& map_a, const ptx::TensorMap& map_b,
                                        const Order<BM, BN, BAND>& order, int k_tiles,
                                        unsigned* counters) {
  using Stage = l2_sides::Stage<BM, BN, BK>;
  constexpr int kHalf = BN / kBoxColumns / kPair;  // boxes of B that this block asks for
  constexpr unsigned kBoth = (1u << kPair) - 1;
  const int rank = ptx::cluster_rank();

  // -- Producer ------------------------------------------------------------------------------
  Pace pace(rank == 0 ? counters : nullptr, gridDim.x / kPair);
  int filled = 0;
  bool backwards = false;
  for (int tile = order.first; tile < order.tiles(); tile += order.step) {
    const int row0 = order.row(tile) + rank * BM;
    const int col0 = order.column(tile);
    for (int k_tile = 0; k_tile < k_tiles; ++k_tile, ++filled) {
      Stage& stage = shared.stages[filled % STAGES];
      ptx::Mbarrier* const full = &shared.full[filled % STAGES];
      ptx::mbarrier_wait(&shared.empty[filled % STAGES], (filled / STAGES + 1) % 2);
      if (filled % kEpoch == 0) pace.begin_epoch();
      const int k0 = (backwards ? k_tiles - 1 - k_tile : k_tile) * BK;
      ptx::mbarrier_arrive_expect(full, sizeof(Stage));
      ptx::tma_load(stage.A, map_a, row0, k0, full);
      for (int box = rank * kHalf; box < (rank + 1) * kHalf; ++box) {
        ptx::tma_load_multicast(stage.B[box], map_b, k0, col0 + box * kBoxColumns, full, kBoth);
      }
    }
    backwards = !backwards;  // what was read last is still in L2
  }
  const int most = (order.tiles() + order.step - 1) / order.step * k_tiles;
  pace.end((most + kEpoch - 1) / kEpoch);
}

/// \brief   C = alpha*A*B + beta*C; clusters take tiles of 2*BM x BN in turn, a block BM x BN.
/// \tparam  BM,BN,BK  block tile in elements; BM is a multiple of 64, BN of 128 up to 256, BK is 64
///                    and one warpgroup per 64 rows after the producer's
/// \tparam  STAGES    stages in the ring, in dynamic shared memory
/// \tparam  BAND      pairs of block rows that consecutive tiles walk through
/// \param   map_a     A as (M, K) with boxes of BM x BK
/// \param   map_b     B as (K, N) with boxes of BK x 64
/// \param   map_c     C as (M, N) with boxes of 64 x 64
/// \param   M         extent in elements, any value >= 1
/// \param   N,K       extents in elements, multiples of 8
/// \param   C         (M, N) row-major, 16-byte aligned; not read when beta == 0
/// \param   counters  (kCounters)  see Pace; null: clusters do not wait for each other
/// \param   sides     of L2; if there are two, N has an even number of tiles
template <int BM, int BN, int BK, int STAGES, int BAND>
__global__ void __launch_bounds__(128 + BM / 64 * 128, 1)
    kernel(const __grid_constant__ ptx::TensorMap map_a,
           const __grid_constant__ ptx::TensorMap map_b,
           const __grid_constant__ ptx::TensorMap map_c, int M, int N, int K, float alpha,
           float beta, const bf16* C, unsigned* counters, const __grid_constant__ Sides sides) {
  constexpr int kConsumerGroups = BM / 64;
  static_assert(BK == kBoxColumns, "rows of A, too, are 128 bytes");
  using Stage = l2_sides::Stage<BM, BN, BK>;

  // -- Where this thread works ---------------------------------------------------------------
  const int k_tiles = (K + BK - 1) / BK;
  const int warpgroup = threadIdx.x / 128;

  // -- Shared tiles and registers ------------------------------------------------------------
  extern __shared__ __align__(1024) unsigned char dynamic_shared[];
  auto& shared = *reinterpret_cast<Shared<BM, BN, BK, STAGES>*>(dynamic_shared);
  if (threadIdx.x == 0) {
    for (int s = 0; s < STAGES; ++s) {
      ptx::mbarrier_init(&shared.full[s], 1);
      ptx::mbarrier_init(&shared.empty[s], kPair * kConsumerGroups);
    }
    ptx::fence_mbarrier_init();
    if (ptx::cluster_rank() == 0) {
      shared.seat = sides.take_seat(ptx::sm_id(), blockIdx.x / kPair, gridDim.x / kPair);
    }
  }
  ptx::cluster_sync();
  // Of the first block, for both. Without the shuffle, nvcc would not see that all threads agree.
  const int seat = __shfl_sync(0xFFFFFFFF, *ptx::in_block(&shared.seat, 0), 0);
  const Order<BM, BN, BAND> order(M, N, seat, gridDim.x / kPair, sides.count);

  if (warpgroup == 0) {
    ptx::setmaxnreg_dec<40>();
    if (threadIdx.x == 0) produce(shared, map_a, map_b, order, k_tiles, counters);
    ptx::cluster_sync();
    return;
  }

  // -- Consumer ------------------------------------------------------------------------------
  ptx::setmaxnreg_inc<232>();
  const int group = warpgroup - 1;
  const int group_row = group * 64;  // of the block tile's rows, this warpgroup's first
  const int warp = threadIdx.x / 32 % 4;
  const int lane = threadIdx.x % 32;
  float acc[BN / 2];  // (BN/2)  of 64 x BN per warpgroup

  int multiplied = 0;
  for (int tile = order.first; tile < order.tiles(); tile += order.step) {
    const int row0 = order.row(tile) + ptx::cluster_rank() * BM;
    const int col0 = order.column(tile);

    // -- Main loop over K --------------------------------------------------------------------
#pragma unroll 1
    for (int k_tile = 0; k_tile < k_tiles; ++k_tile, ++multiplied) {
      Stage& stage = shared.stages[multiplied % STAGES];
      ptx::mbarrier_wait(&shared.full[multiplied % STAGES], multiplied / STAGES % 2);
      ptx::wgmma_fence();
      for (int k = 0; k < BK; k += 16) {
        ptx::wgmma<BN, false, true>(
            acc,
            ptx::matrix_descriptor(&stage.A[group_row][k], 16, 8 * sizeof stage.A[0],
                                   ptx::Swizzle::rows_of_128),
            ptx::matrix_descriptor(&stage.B[0][k][0], sizeof stage.B[0], 8 * sizeof stage.B[0][0],
                                   ptx::Swizzle::rows_of_128),
            k_tile > 0 || k > 0);
      }
      ptx::wgmma_commit();
      ptx::wgmma_wait<0>();
      if (threadIdx.x % 128 < kPair) {
        ptx::mbarrier_arrive_in_block(&shared.empty[multiplied % STAGES], threadIdx.x % 128);
      }
    }

    // -- Epilogue: C = alpha*acc + beta*C ----------------------------------------------------
#pragma unroll
    for (int box = 0; box < BN / kBoxColumns; ++box) {
      Results& results = shared.results[group][box % kResults];
      if (threadIdx.x % 128 == 0) ptx::tma_store_wait_read<kResults - 1>();
      ptx::barrier_sync<128>(1 + group);  // the box before the last one has been read
      for (int n = 0; n < kBoxColumns; n += 16) {
        unsigned words[4];  // two neighbours each; 8 rows further down; the same 8 columns further
        for (int i = 0; i < 4; ++i) {
          const int row = row0 + group_row + warp * 16 + i % 2 * 8 + lane / 4;
          const int col = col0 + box * kBoxColumns + n + i / 2 * 8 + lane % 4 * 2;
          const float* const sums = &acc[(box * kBoxColumns + n) / 2 + i * 2];
          float2 c = {};
          if (beta != 0.0f && row < M && col < N) {
            c = __bfloat1622float2(
                *reinterpret_cast<const __nv_bfloat162*>(C + static_cast<size_t>(row) * N + col));
          }
          const __nv_bfloat162 pair =
              __float22bfloat162_rn({alpha * sums[0] + beta * c.x, alpha * sums[1] + beta * c.y});
          words[i] = reinterpret_cast<const unsigned&>(pair);
        }
        const int row = warp * 16 + lane % 16;  // that this lane names, and the piece of 8 columns
        const int piece = (n / 8 + lane / 16) ^ row % 8;
        ptx::stmatrix<false>(&results.box[row][piece * 8], words);
      }
      ptx::fence_proxy_async();
      ptx::barrier_sync<128>(1 + group);  // all of the box is there
      if (threadIdx.x % 128 == 0) {
        ptx::tma_store(map_c, row0 + group_row, col0 + box * kBoxColumns, results.box);
        ptx::tma_store_commit();
      }
    }
  }
  if (threadIdx.x % 128 == 0) ptx::tma_store_wait_read<0>();
  ptx::cluster_sync();  // the other block may still send boxes and arrivals here
}

}  // namespace ladder::l2_sides
