// SPDX-License-Identifier: MIT
/// \file  ladder/24_many_gpus/bf16_producer.cuh
/// \brief The thread that only loads, as in rung 19. Before it asks for another rank's rows of A,
///        it waits until these have arrived.
#pragma once

#include "common/device.cuh"
#include "common/ptx/cluster.cuh"
#include "common/ptx/fence.cuh"
#include "common/ptx/flag.cuh"
#include "common/ptx/mbarrier.cuh"
#include "common/ptx/tma.cuh"
#include "ladder/24_many_gpus/bf16_parcels.cuh"
#include "ladder/24_many_gpus/stamps.cuh"
#include "ladder/24_many_gpus/world.cuh"

namespace ladder::many_gpus {

using bf16 = __nv_bfloat16;

constexpr int kBoxColumns = 64;  // elements in a row of 128 bytes, as the swizzle wants them
constexpr int kPair = 2;         // blocks in a cluster

/// A tile of A and one of B, as boxes of rows of 128 bytes.
template <int BM, int BN, int BK>
struct Bf16Stage {
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
  Bf16Stage<BM, BN, BK> stages[STAGES];  // (STAGES)
  Results results[BM / 64][kResults];    // (BM/64, 2)  of each warpgroup
  ptx::Mbarrier full[STAGES];            // (STAGES)  the stage has been filled
  ptx::Mbarrier empty[STAGES];           // (STAGES)  both blocks have multiplied it
  unsigned epoch;                        // the number of this launch, the same on all ranks
};

/// Waits until all parcels are here that 128 rows have of a chunk of K.
__device__ __forceinline__ void wait_for_parcels(const World& world, int q, int row, int chunk,
                                                 unsigned epoch) {
  const Parcels parcels = {world.cut};
  const unsigned* const counter = &world.here[parcels.counter(q, row, chunk)];
  const unsigned all = epoch * parcels.counted(q, row);
  while (static_cast<int>(ptx::load_acquire(counter) - all) < 0) {
  }
  ptx::fence_proxy_async_global();
}

/// \brief  The producer, a single thread: fills a stage for each tile of A and B as soon as both
///         blocks have emptied it, tile of C after tile of C.
/// \param  count  tiles of C
template <Form FORM, int BM, int BN, int BK, int STAGES, class TileOrder, class Stamps>
__device__ __forceinline__ void produce_bf16(Shared<BM, BN, BK, STAGES>& shared,
                                             const ptx::TensorMap& map_a,
                                             const ptx::TensorMap& map_b, const TileOrder& tiles,
                                             int count, int k_tiles, unsigned epoch,
                                             const Stamps& stamps) {
  using Stage = Bf16Stage<BM, BN, BK>;
  constexpr int kHalf = BN / kBoxColumns / kPair;  // boxes of B that this block asks for
  constexpr unsigned kBoth = (1u << kPair) - 1;
  static_assert(BM == kCountedRows && kChunk % BK == 0, "a box of A has one counter");
  const int half = ptx::cluster_rank();
  const World& world = tiles.world;

  // -- Producer ------------------------------------------------------------------------------
  int filled = 0;
  for (int t = blockIdx.x / kPair; t < count; t += gridDim.x / kPair) {
    const RankTile tile = tiles(t);
    const int row0 = tile.row0 + half * BM;  // of the rank's. It may have no such rows: neither
                                             // has C, so the box may hold anything
    const bool travels =
        FORM == Form::gather && tile.rank != world.cut.rank && row0 < world.cut.rows_of(tile.rank);
    for (int k_tile = 0; k_tile < k_tiles; ++k_tile, ++filled) {
      Stage& stage = shared.stages[filled % STAGES];
      ptx::Mbarrier* const full = &shared.full[filled % STAGES];
      ptx::mbarrier_wait(&shared.empty[filled % STAGES], (filled / STAGES + 1) % 2);
      if (travels && k_tile * BK % kChunk == 0) {
        const unsigned long long begin = stamps.now();
        wait_for_parcels(world, tile.rank, row0, k_tile * BK / kChunk, epoch);
        stamps.add(kProducerTrack, Work::wait, tile.rank, begin);
      }
      ptx::mbarrier_arrive_expect(full, sizeof(Stage));
      ptx::tma_load(stage.A, map_a, tile.rank * world.cut.rows() + row0, k_tile * BK, full);
      for (int box = half * kHalf; box < (half + 1) * kHalf; ++box) {
        ptx::tma_load_multicast(stage.B[box], map_b, k_tile * BK, tile.col0 + box * kBoxColumns,
                                full, kBoth);
      }
    }
  }
}

}  // namespace ladder::many_gpus
