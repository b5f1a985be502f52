// SPDX-License-Identifier: MIT
/// \file  ladder/12_stream_k/launch.cu
/// \brief Tile, decomposition and launch of rung 12.
#include <algorithm>
#include <cstddef>

#include "common/launch.cuh"
#include "common/work_plan.hpp"
#include "common/workspace.hpp"
#include "ladder/12_stream_k/kernel.cuh"

namespace ladder::stream_k {

constexpr int BM = 128;
constexpr int BN = 256;
constexpr int BK = 8;
constexpr int WM = 64;
constexpr int WN = 64;
constexpr int TM = 8;
constexpr int TN = 16;
// Eight stages are 99 KB: the producers may run 64 of K ahead. More were not faster.
constexpr int STAGES = 8;
constexpr int kConsumers = 32 * (BM / WM) * (BN / WN);
constexpr int BAND = 4;                   // more was not faster
constexpr std::size_t kFlagBytes = 4096;  // a word per block
constexpr std::size_t kPartialBytes = BM * BN * sizeof(float);

/// \brief How to split `tiles` tiles of `k_tiles` k tiles each among `sms` blocks: whole tiles as
///        long as every block gets one, then as many ranks as finish the rest soonest.
///
/// With more ranks, each multiplies less, but the first peer of a tile adds a partial tile for each
/// other peer. On an H200, that takes about as long as a k tile (1.2 and 1.25 us).
Decomposition decompose(int tiles, int k_tiles, int sms) {
  const int left = tiles % sms;
  if (left == 0) return {k_tiles, tiles, 0, 0, 0};
  const long long row = static_cast<long long>(left) * k_tiles;
  const auto cost = [&](int ranks) {
    return (row + ranks - 1) / ranks + ceil_div(ranks, left) - 1;  // in k tiles
  };
  int best = left;  // one tile per rank
  for (int ranks = left + 1; ranks <= std::min<long long>(sms, row); ++ranks) {
    if (cost(ranks) < cost(best)) best = ranks;
  }
  return {k_tiles, tiles - left, best, static_cast<int>(row / best), static_cast<int>(row % best)};
}

void run(const Gemm<float>& gemm, Stream stream) {
  require_multiple("12 stream_k", 'N', gemm.N, 4, "rows of B and C have to be 16-byte aligned");
  require_multiple("12 stream_k", 'K', gemm.K, 4, "rows of A are read as float4");
  const int sms = multiprocessors();
  const Decomposition split =
      decompose(ceil_div(gemm.M, BM) * ceil_div(gemm.N, BN), ceil_div(gemm.K, BK), sms);
  const unsigned blocks = split.first_split > 0 ? sms : split.ranks;
  auto* const flags =
      static_cast<unsigned*>(workspace(stream, kFlagBytes + blocks * kPartialBytes));
  // Blocks wait for blocks with lower numbers: all must run at the same time, or none.
  launch(kernel<BM, BN, BK, WM, WN, TM, TN, STAGES, BAND>,
         {.grid = dim3(blocks),
          .block = dim3(32 * kProducerWarps + kConsumers),
          .dynamic_shared_bytes = STAGES * sizeof(Stage<BM, BN, BK>),
          .stream = stream,
          .cooperative = true},
         ptx::make_tensor_map(gemm.B, gemm.K, gemm.N, BK, BN), gemm.M, gemm.N, gemm.K, 1.0f,
         gemm.alpha, gemm.A, gemm.beta, gemm.C, split,
         reinterpret_cast<float4*>(flags + kFlagBytes / sizeof(unsigned)), flags);
}

std::vector<WorkPlan> plans(const Shape& shape) {
  const int tiles = ceil_div(shape.M, BM) * ceil_div(shape.N, BN);
  const Decomposition split = decompose(tiles, ceil_div(shape.K, BK), multiprocessors());
  return {{.name = "128 x 256",
           .tile = {BM, BN},
           .BK = BK,
           .blocks_per_sm = 1,
           .cluster = 1,
           .taken = true,
           .tiles = tiles,
           .k_tiles = split.k_tiles,
           .whole_tiles = split.first_split,
           .ranks = split.ranks,
           .share = split.share,
           .longer = split.longer,
           .launch = run}};
}

}  // namespace ladder::stream_k
