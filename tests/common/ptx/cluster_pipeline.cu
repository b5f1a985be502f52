// SPDX-License-Identifier: MIT
/// \file  tests/common/ptx/cluster_pipeline.cu
/// \brief Two blocks, one below the other, share B's columns. In each, a thread of the first
///        warpgroup loads and the second warpgroup multiplies.
#include "tests/common/ptx/cluster_pipeline.hpp"

#include "common/launch.cuh"
#include "common/ptx/cluster.cuh"
#include "common/ptx/fence.cuh"
#include "common/ptx/ldmatrix.cuh"
#include "common/ptx/mbarrier.cuh"
#include "common/ptx/named_barrier.cuh"
#include "common/ptx/registers.cuh"
#include "common/ptx/tma.cuh"
#include "common/ptx/wgmma.cuh"

namespace ladder::pipeline_kernels {

using namespace ladder::ptx;
using pipeline_probes::PipelineFault;
using bf16 = __nv_bfloat16;

constexpr int BM = 64;
constexpr int BN = 128;
constexpr int BK = 64;
constexpr int kStages = 3;
constexpr int kBoxColumns = 64;
constexpr int kBoxes = BN / kBoxColumns;
constexpr unsigned kPair = 2;

struct Stage {
  bf16 A[BM][BK];
  bf16 B[kBoxes][BK][kBoxColumns];
};

struct Shared {
  Stage stages[kStages];
  bf16 results[kBoxes][BM][kBoxColumns];
  Mbarrier full[kStages];
  Mbarrier empty[kStages];
};

template <PipelineFault FAULT>
__device__ void produce(Shared& shared, const TensorMap& map_a, const TensorMap& map_b, int M,
                        int N, int K) {
  const L2Policy keep = l2_policy<CacheHint::l2_evict_last>();
  const int columns = (N + BN - 1) / BN;
  const int tiles = (M + kPair * BM - 1) / (kPair * BM) * columns;
  const int rank = static_cast<int>(cluster_rank());
  const unsigned mask = FAULT == PipelineFault::kMulticastToItself ? 1u << rank : 3u;
  int filled = 0;
  for (int tile = blockIdx.x / kPair; tile < tiles; tile += gridDim.x / kPair) {
    const int row0 = (tile / columns * static_cast<int>(kPair) + rank) * BM;
    const int col0 = tile % columns * BN;
    for (int k0 = 0; k0 < K; k0 += BK, ++filled) {
      Stage& stage = shared.stages[filled % kStages];
      Mbarrier* const full = &shared.full[filled % kStages];
      mbarrier_wait(&shared.empty[filled % kStages], (filled / kStages + 1) % 2);  // empty
      const int bytes = FAULT == PipelineFault::kTooFewBytes    ? sizeof stage.A
                        : FAULT == PipelineFault::kTooManyBytes ? sizeof stage + sizeof stage.A
                                                                : sizeof stage;
      mbarrier_arrive_expect(full, bytes);       // announce
      tma_load(stage.A, map_a, row0, k0, full);  // box of A
      const int n = col0 + rank * kBoxColumns;
      tma_load_multicast(stage.B[rank], map_b, k0, n, full, mask, keep);  // box of B
    }
  }
}

/// Rounds a box of a warpgroup's sums into shared memory, swizzled.
__device__ void lay_out(bf16 (&box)[BM][kBoxColumns], const float* sums) {
  const int warp = threadIdx.x / 32 % 4;
  const int lane = threadIdx.x % 32;
  for (int n = 0; n < kBoxColumns; n += 16) {
    unsigned words[4];
    for (int i = 0; i < 4; ++i) {
      const float* const pair = &sums[n / 2 + i * 2];
      const __nv_bfloat162 rounded = __float22bfloat162_rn({pair[0], pair[1]});
      words[i] = reinterpret_cast<const unsigned&>(rounded);
    }
    const int row = warp * 16 + lane % 16;
    const int piece = (n / 8 + lane / 16) ^ row % 8;
    stmatrix<false>(&box[row][piece * 8], words);  // results
  }
}

template <PipelineFault FAULT>
__device__ void consume(Shared& shared, const TensorMap& map_c, int M, int N, int K) {
  constexpr bool kWaitsForReaders = FAULT != PipelineFault::kResultsNotAwaited;
  const L2Policy stream = l2_policy<CacheHint::l2_evict_first>();
  const int columns = (N + BN - 1) / BN;
  const int tiles = (M + kPair * BM - 1) / (kPair * BM) * columns;
  const int rank = static_cast<int>(cluster_rank());
  const bool leads = threadIdx.x % 128 == 0;
  float acc[BN / 2];
  const auto release = [&](int stage) {
    if (FAULT == PipelineFault::kReleasedForItself) {
      if (leads) mbarrier_arrive(&shared.empty[stage]);
    } else if (threadIdx.x % 128 < kPair) {
      mbarrier_arrive_in_block(&shared.empty[stage], threadIdx.x % 128);  // release
    }
  };
  int used = 0;
  for (int tile = blockIdx.x / kPair; tile < tiles; tile += gridDim.x / kPair) {
    for (int k0 = 0; k0 < K; k0 += BK, ++used) {
      Stage& stage = shared.stages[used % kStages];
      if (FAULT != PipelineFault::kFullNotAwaited)
        mbarrier_wait(&shared.full[used % kStages], used / kStages % 2);  // full
      wgmma_fence();
      for (int k = 0; k < BK; k += 16) {
        const std::uint64_t a =
            matrix_descriptor(&stage.A[0][k], 16, 8 * sizeof stage.A[0], Swizzle::rows_of_128);
        const std::uint64_t b = matrix_descriptor(&stage.B[0][k][0], sizeof stage.B[0],
                                                  8 * sizeof stage.B[0][0], Swizzle::rows_of_128);
        wgmma<BN, false, true>(acc, a, b, k0 > 0 || k > 0);  // multiply
      }
      wgmma_commit();
      if (FAULT == PipelineFault::kReleasedBeforeTheWait) release(used % kStages);
      wgmma_wait<0>();
      if (FAULT != PipelineFault::kReleasedBeforeTheWait) release(used % kStages);
    }
    const int row0 = (tile / columns * static_cast<int>(kPair) + rank) * BM;
    for (int box = 0; box < kBoxes; ++box) {
      if (leads && kWaitsForReaders) tma_store_wait_read<kBoxes - 1>();
      barrier_sync<128>(1);  // the box has been stored
      lay_out(shared.results[box], &acc[box * kBoxColumns / 2]);
      if (FAULT != PipelineFault::kStoresNotFenced) fence_proxy_async();
      if (FAULT != PipelineFault::kStoredByOneWarp) barrier_sync<2, 128>();
      if (!leads) continue;
      const int col0 = tile % columns * BN + box * kBoxColumns;
      tma_store(map_c, row0, col0, shared.results[box], stream);  // store
      tma_store_commit();
    }
  }
  if (leads && FAULT != PipelineFault::kLeavesWithStores) tma_store_wait_read<0>();
}

template <PipelineFault FAULT>
__global__ void __launch_bounds__(256, 1)
    multiply_in_pairs(const __grid_constant__ TensorMap map_a,
                      const __grid_constant__ TensorMap map_b,
                      const __grid_constant__ TensorMap map_c, int M, int N, int K) {
  extern __shared__ __align__(1024) unsigned char dynamic_shared[];
  auto& shared = *reinterpret_cast<Shared*>(dynamic_shared);
  if (threadIdx.x == 0) {
    for (int stage = 0; stage < kStages; ++stage) {
      mbarrier_init(&shared.full[stage], 1);  // make full
      mbarrier_init(&shared.empty[stage],
                    FAULT == PipelineFault::kReleasedForItself ? 1 : int{kPair});  // make empty
    }
    if (FAULT != PipelineFault::kBarriersUnfenced) fence_mbarrier_init();
  }
  if (FAULT == PipelineFault::kBarriersUnknown) {
    __syncthreads();
  } else {
    cluster_sync();
  }
  if (threadIdx.x < 128) {
    setmaxnreg_dec<40>();
    if (threadIdx.x == 0) produce<FAULT>(shared, map_a, map_b, M, N, K);
  } else {
    setmaxnreg_inc<232>();
    consume<FAULT>(shared, map_c, M, N, K);
  }
  if (FAULT != PipelineFault::kLeavesBeforeTheOther) cluster_sync();  // the end
}

}  // namespace ladder::pipeline_kernels

namespace ladder::pipeline_probes {
namespace {

template <PipelineFault FAULT>
void run(const PipelineProblem& problem) {
  using namespace pipeline_kernels;
  constexpr auto kRows = ptx::Swizzle::rows_of_128;
  const auto& [M, N, K, A, B, C, clusters] = problem;
  launch(multiply_in_pairs<FAULT>,
         {.grid = dim3(kPair * static_cast<unsigned>(clusters)),
          .block = dim3(256),
          .dynamic_shared_bytes = sizeof(Shared),
          .cluster = kPair},
         make_tensor_map(A, M, K, BM, BK, kRows), make_tensor_map(B, K, N, BK, kBoxColumns, kRows),
         make_tensor_map(C, M, N, BM, kBoxColumns, kRows), M, N, K);
}

}  // namespace

void multiply(const PipelineProblem& problem, PipelineFault fault) {
  switch (fault) {
    case PipelineFault::kNone:
      return run<PipelineFault::kNone>(problem);
    case PipelineFault::kBarriersUnfenced:
      return run<PipelineFault::kBarriersUnfenced>(problem);
    case PipelineFault::kBarriersUnknown:
      return run<PipelineFault::kBarriersUnknown>(problem);
    case PipelineFault::kMulticastToItself:
      return run<PipelineFault::kMulticastToItself>(problem);
    case PipelineFault::kTooFewBytes:
      return run<PipelineFault::kTooFewBytes>(problem);
    case PipelineFault::kTooManyBytes:
      return run<PipelineFault::kTooManyBytes>(problem);
    case PipelineFault::kFullNotAwaited:
      return run<PipelineFault::kFullNotAwaited>(problem);
    case PipelineFault::kReleasedForItself:
      return run<PipelineFault::kReleasedForItself>(problem);
    case PipelineFault::kReleasedBeforeTheWait:
      return run<PipelineFault::kReleasedBeforeTheWait>(problem);
    case PipelineFault::kStoresNotFenced:
      return run<PipelineFault::kStoresNotFenced>(problem);
    case PipelineFault::kStoredByOneWarp:
      return run<PipelineFault::kStoredByOneWarp>(problem);
    case PipelineFault::kResultsNotAwaited:
      return run<PipelineFault::kResultsNotAwaited>(problem);
    case PipelineFault::kLeavesWithStores:
      return run<PipelineFault::kLeavesWithStores>(problem);
    case PipelineFault::kLeavesBeforeTheOther:
      return run<PipelineFault::kLeavesBeforeTheOther>(problem);
  }
}

}  // namespace ladder::pipeline_probes
