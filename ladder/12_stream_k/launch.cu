// SPDX-License-Identifier: MIT
/// \file  ladder/12_stream_k/launch.cu
/// \brief Tile, decomposition and launch of rung 12.
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
constexpr int BAND = 4;                   // chosen by hand
constexpr std::size_t kFlagBytes = 4096;  // a word per block
constexpr std::size_t kPartialBytes = BM * BN * sizeof(float);

/// \brief Splits tiles among blocks: see decompose(). With more ranks, each multiplies less, but
///        the first peer of a tile adds a partial tile for each other peer. On an H200, that takes
///        about as long as a k tile (1.2 and 1.25 us).
Decomposition split_of(const Shape& shape, int sms) {
  return decompose(ceil_div(shape.M, BM) * ceil_div(shape.N, BN), ceil_div(shape.K, BK), sms,
                   [](int k_tiles, int peers) { return k_tiles + peers - 1; });
}

void run(const Gemm<float>& gemm, Stream stream) {
  require_multiple("12 stream_k", 'N', gemm.N, 4, "rows of B and C have to be 16-byte aligned");
  require_multiple("12 stream_k", 'K', gemm.K, 4, "rows of A are read as float4");
  const int sms = multiprocessors();
  const Decomposition split = split_of({gemm.M, gemm.N, gemm.K}, sms);
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
  const Decomposition split = split_of(shape, multiprocessors());
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
           .fan_in = 1,
           .expected_us = 0,
           .launch = run}};
}

}  // namespace ladder::stream_k
