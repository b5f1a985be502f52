// SPDX-License-Identifier: MIT
/// \file  ladder/24_many_gpus/bf16_launch.cu
/// \brief Tile, grid and launch of rung 24 in BF16.
#include "ladder/24_many_gpus/bf16_launch.hpp"

#include <algorithm>

#include "common/launch.cuh"
#include "ladder/24_many_gpus/bf16_kernel.cuh"

namespace ladder::many_gpus {
namespace {

// Tile, stages and band are rung 19's.
constexpr int BM = 128;
constexpr int BN = 256;
constexpr int BK = 64;
constexpr int STAGES = 4;
constexpr int BAND = 8;
constexpr int kThreads = 128 + BM / 64 * 128;  // producer and couriers, and consumers
constexpr std::size_t kTileBytes = BM * BN * sizeof(bf16);
constexpr std::size_t kMostBlocks = 1024;

/// Tiles of a pair of blocks in `rows` rows of C.
int tiles_in(int rows, const Cut& cut) {
  return ceil_div(rows, kPair * BM) * ceil_div(cut.local().N, BN);
}

/// Tiles of all ranks' rows.
int tiles_of(const Cut& cut) {
  int tiles = 0;
  for (int q = 0; q < cut.ranks; ++q)
    tiles += tiles_in(cut.rows_of(q), cut);
  return tiles;
}

int tiles_per_rank(const Cut& cut) {
  return kPair * tiles_in(cut.rows(), cut);
}

/// Tiles of single blocks of all ranks, if C is scattered.
std::size_t travelling_tiles(const Cut& cut) {
  return cut.form == Form::scatter ? static_cast<std::size_t>(cut.ranks) * tiles_per_rank(cut) : 0;
}

/// Words at the beginning of a rank's own memory.
std::size_t local_words(const Cut& cut) {
  return 2 + kMostBlocks + (cut.form == Form::gather ? Parcels{cut}.counters() : 0);
}

World world_of(const PeerGemm<bfloat16>& gemm) {
  auto* const words = static_cast<unsigned*>(gemm.local);
  unsigned char* const after_words = static_cast<unsigned char*>(gemm.local) +
                                     rounded_up(local_words(gemm.cut) * sizeof(unsigned));
  return {.cut = gemm.cut,
          .word_bytes = room_bf16(gemm.cut).data_offset,
          .tiles_per_rank = tiles_per_rank(gemm.cut),
          .windows = reinterpret_cast<const Window*>(gemm.windows),
          .started = words,
          .finished = words + 1,
          .here = words + 2 + kMostBlocks,
          .stored = words + 2,
          .outbox = reinterpret_cast<float4*>(after_words)};
}

template <Form FORM, class Stamps>
void start(const PeerGemm<bfloat16>& gemm, const Stamps& stamps, Stream stream) {
  const Cut& cut = gemm.cut;
  const Shape local = cut.local();
  const int rows_of_c = FORM == Form::gather ? cut.whole.M : std::max(cut.rows_of(cut.rank), 1);
  const int count = tiles_of(cut);
  // One pair of blocks for each pair of SMs: those without a tile have couriers that fetch.
  const int pairs = std::max(multiprocessors() / kPair, 1);
  const int clusters = FORM == Form::gather ? pairs : std::min(count, pairs);
  // Blocks wait for what other blocks fetch: all must run at the same time, or none.
  launch(
      bf16_kernel<FORM, BM, BN, BK, STAGES, BAND, Stamps>,
      {.grid = dim3(clusters * kPair),
       .block = dim3(kThreads),
       .dynamic_shared_bytes = sizeof(Shared<BM, BN, BK, STAGES>),
       .stream = stream,
       .cluster = kPair,
       .cooperative = true},
      ptx::make_tensor_map(gemm.A, cut.whole.M, local.K, BM, BK, ptx::Swizzle::rows_of_128),
      ptx::make_tensor_map(gemm.B, local.K, local.N, BK, kBoxColumns, ptx::Swizzle::rows_of_128),
      ptx::make_tensor_map(gemm.C, rows_of_c, local.N, 64, kBoxColumns, ptx::Swizzle::rows_of_128),
      count, local.N, local.K, gemm.alpha, reinterpret_cast<bf16*>(gemm.A), gemm.beta,
      reinterpret_cast<bf16*>(gemm.C), world_of(gemm), stamps);
}

template <class Stamps>
void start(const PeerGemm<bfloat16>& gemm, const Stamps& stamps, Stream stream) {
  if (gemm.cut.form == Form::gather) return start<Form::gather>(gemm, stamps, stream);
  start<Form::scatter>(gemm, stamps, stream);
}

}  // namespace

Room room_bf16(const Cut& cut) {
  const std::size_t tiles = travelling_tiles(cut);
  const std::size_t words = rounded_up((2 * cut.ranks + tiles) * sizeof(unsigned));
  const std::size_t rows_of_a =
      sizeof(bf16) * static_cast<std::size_t>(cut.padded_rows()) * cut.whole.K;
  const std::size_t data = cut.form == Form::gather ? rows_of_a : tiles * kTileBytes;
  return {.data_offset = words,
          .window_bytes = rounded_up(words + data),
          .local_bytes = rounded_up(local_words(cut) * sizeof(unsigned)) + tiles * kTileBytes,
          .blocks = std::max(multiprocessors(), kPair)};
}

void in_kernel_bf16(const PeerGemm<bfloat16>& gemm, Stream stream) {
  if (gemm.tracks == nullptr) return start(gemm, NoStamps{}, stream);
  start(gemm, Stamps{gemm.tracks}, stream);
}

}  // namespace ladder::many_gpus
