// SPDX-License-Identifier: MIT
/// \file  ladder/21_l2_sides/launch.cu
/// \brief Tile, grid and launch of rung 21.
#include <algorithm>
#include <optional>

#include "common/launch.cuh"
#include "common/side_aware/multiprocessor_sides.hpp"
#include "common/workspace.hpp"
#include "ladder/21_l2_sides/kernel.cuh"

namespace ladder::l2_sides {

constexpr int BM = 128;  // two warpgroups of 64 rows
constexpr int BN = 256;  // the most that a wgmma takes: 128 sums per thread
constexpr int BK = 64;   // 128 bytes of A's rows, the widest swizzle
// With the boxes of results, 224 KiB of the 227 that a block can have.
constexpr int STAGES = 4;
constexpr int kThreads = 128 + BM / 64 * 128;  // the producer's warpgroup, and consumers
// An H200 has 66 pairs of SMs: 8 pairs of block rows by 8 columns make their tiles a square of C.
constexpr int BAND = 8;
// With fewer epochs in a tile, all that 66 clusters read for a tile each is less than 18 MB, and L2
// holds it, however far they drift.
constexpr int kFewestEpochs = 4;

/// Like run(), with SMs on sides that we are told; null: all on one side.
void run_with(const Gemm<bfloat16>& gemm, const side_aware::SideBits* sides, Stream stream) {
  require_multiple("21 l2_sides", 'N', gemm.N, 8, "rows of B and C have to be 16-byte aligned");
  require_multiple("21 l2_sides", 'K', gemm.K, 8, "rows of A have to be 16-byte aligned");
  const int tiles = ceil_div(gemm.M, kPair * BM) * ceil_div(gemm.N, BN);
  const int clusters = std::min(tiles, multiprocessors() / kPair);
  const bool in_step = ceil_div(gemm.K, BK) >= kFewestEpochs * kEpoch;
  void* const words = in_step ? workspace(stream, kCounters * sizeof(unsigned)) : nullptr;
  auto* const counters = static_cast<unsigned*>(words);
  // Pace resets the seats, and sides with unequal halves would wait for each other.
  const bool halves = in_step && ceil_div(gemm.N, BN) % kSides == 0 && clusters % kSides == 0;
  // Clusters that wait for each other must all run at the same time, or none.
  launch(kernel<BM, BN, BK, STAGES, BAND>,
         {.grid = dim3(clusters * kPair),
          .block = dim3(kThreads),
          .dynamic_shared_bytes = sizeof(Shared<BM, BN, BK, STAGES>),
          .stream = stream,
          .cluster = kPair,
          .cooperative = in_step},
         ptx::make_tensor_map(gemm.A, gemm.M, gemm.K, BM, BK, ptx::Swizzle::rows_of_128),
         ptx::make_tensor_map(gemm.B, gemm.K, gemm.N, BK, kBoxColumns, ptx::Swizzle::rows_of_128),
         ptx::make_tensor_map(gemm.C, gemm.M, gemm.N, 64, kBoxColumns, ptx::Swizzle::rows_of_128),
         gemm.M, gemm.N, gemm.K, gemm.alpha, gemm.beta, reinterpret_cast<const bf16*>(gemm.C),
         counters,
         sides != nullptr && halves ? Sides{kSides, *sides, counters + kCounters - kSides}
                                    : Sides{1, {}, nullptr});
}

void run(const Gemm<bfloat16>& gemm, Stream stream) {
  const std::optional<side_aware::MultiprocessorSides> found = side_aware::multiprocessor_sides();
  run_with(gemm, found ? &found->bits : nullptr, stream);
}

}  // namespace ladder::l2_sides
