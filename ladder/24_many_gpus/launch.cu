// SPDX-License-Identifier: MIT
/// \file  ladder/24_many_gpus/launch.cu
/// \brief Tile, decomposition and launch of rung 24 in FP32, and sums of what ranks have sent.
#include <algorithm>
#include <cstddef>

#include "common/launch.cuh"
#include "common/workspace.hpp"
#include "ladder/24_many_gpus/bf16_launch.hpp"
#include "ladder/24_many_gpus/kernel.cuh"
#include "ladder/24_many_gpus/kernels.hpp"
#include "ladder/24_many_gpus/sum_parts.cuh"

namespace ladder::many_gpus {
namespace {

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
constexpr int kThreads = 32 * kProducerWarps + kCouriers + kConsumers;
constexpr int BAND = 4;                   // more was not faster
constexpr std::size_t kFlagBytes = 4096;  // a word per block
constexpr std::size_t kPartialBytes = BM * BN * sizeof(float);
constexpr std::size_t kMostBlocks = kFlagBytes / sizeof(unsigned);
constexpr int kSumThreads = 256;

/// \brief Splits tiles among blocks: see decompose(). With more ranks, each multiplies less, but
///        the first peer of a tile adds a partial tile for each other peer. On an H200, that takes
///        about as long as a k tile (1.2 and 1.25 us).
Decomposition split_of(const Cut& cut, int sms) {
  int rows_of_tiles = 0;
  for (int q = 0; q < cut.ranks; ++q) {
    if (cut.rows_of(q) > 0) rows_of_tiles += ceil_div(cut.rows_of(q), BM);
  }
  const Shape local = cut.local();
  return decompose(rows_of_tiles * ceil_div(local.N, BN), ceil_div(local.K, BK), sms,
                   [](int k_tiles, int peers) { return k_tiles + peers - 1; });
}

int tiles_per_rank(const Cut& cut) {
  return ceil_div(cut.rows(), BM) * ceil_div(cut.local().N, BN);
}

/// Partial tiles of all ranks, if C is scattered.
std::size_t partial_tiles(const Cut& cut) {
  return cut.form == Form::scatter ? static_cast<std::size_t>(cut.ranks) * tiles_per_rank(cut) : 0;
}

/// Words at the beginning of a rank's own memory.
std::size_t local_words(const Cut& cut) {
  return 2 + kMostBlocks + cut.padded_rows();
}

Room room_fp32(const Cut& cut) {
  const std::size_t words = rounded_up((2 * cut.ranks + partial_tiles(cut)) * sizeof(unsigned));
  const std::size_t boxes = partial_tiles(cut) * kPartialBytes;
  const std::size_t rows_of_a =
      sizeof(float) * static_cast<std::size_t>(cut.padded_rows()) * cut.whole.K;
  const std::size_t data = cut.form == Form::gather ? rows_of_a : boxes;
  return {.data_offset = words,
          .window_bytes = rounded_up(words + data),
          .local_bytes = rounded_up(local_words(cut) * sizeof(unsigned)) + boxes,
          .blocks = multiprocessors()};
}

World world_of(const PeerGemm<float>& gemm) {
  auto* const words = static_cast<unsigned*>(gemm.local);
  unsigned char* const after_words = static_cast<unsigned char*>(gemm.local) +
                                     rounded_up(local_words(gemm.cut) * sizeof(unsigned));
  return {.cut = gemm.cut,
          .word_bytes = room_fp32(gemm.cut).data_offset,
          .tiles_per_rank = tiles_per_rank(gemm.cut),
          .windows = reinterpret_cast<const Window*>(gemm.windows),
          .started = words,
          .finished = words + 1,
          .here = words + 2 + kMostBlocks,
          .stored = words + 2,
          .outbox = reinterpret_cast<float4*>(after_words)};
}

template <class Stamps>
void start(const PeerGemm<float>& gemm, const Stamps& stamps, Stream stream) {
  const Shape local = gemm.cut.local();
  const int sms = multiprocessors();
  const Decomposition split = split_of(gemm.cut, sms);
  const unsigned blocks = split.first_split > 0 ? sms : split.ranks;
  auto* const flags =
      static_cast<unsigned*>(workspace(stream, kFlagBytes + blocks * kPartialBytes));
  // Blocks wait for blocks with lower numbers: all must run at the same time, or none.
  launch(kernel<BM, BN, BK, WM, WN, TM, TN, STAGES, BAND, Stamps>,
         {.grid = dim3(blocks),
          .block = dim3(kThreads),
          .dynamic_shared_bytes = STAGES * sizeof(Stage<BM, BN, BK>) + sizeof(Bag),
          .stream = stream,
          .cooperative = true},
         ptx::make_tensor_map(gemm.B, local.K, local.N, BK, BN), local.N, local.K, 1.0f, gemm.alpha,
         gemm.A, gemm.beta, gemm.C, split,
         reinterpret_cast<float4*>(flags + kFlagBytes / sizeof(unsigned)), flags, world_of(gemm),
         stamps);
}

void in_kernel_fp32(const PeerGemm<float>& gemm, Stream stream) {
  if (gemm.tracks == nullptr) return start(gemm, NoStamps{}, stream);
  start(gemm, Stamps{gemm.tracks}, stream);
}

template <class Element, class T>
void sum_of(const T* parts, int ranks, int own, std::size_t count, float alpha, float beta, T* C,
            Stream stream) {
  constexpr std::size_t kMostSumBlocks = 1 << 16;
  const std::size_t blocks = std::min((count + kSumThreads - 1) / kSumThreads, kMostSumBlocks);
  if (blocks == 0) return;
  launch(
      sum_parts<Element>,
      {.grid = dim3(static_cast<unsigned>(blocks)), .block = dim3(kSumThreads), .stream = stream},
      reinterpret_cast<const Element*>(parts), ranks, own, count, alpha, beta,
      reinterpret_cast<Element*>(C));
}

void sum_fp32(const float* parts, int ranks, int own, std::size_t count, float alpha, float beta,
              float* C, Stream stream) {
  sum_of<float>(parts, ranks, own, count, alpha, beta, C, stream);
}

void sum_bf16(const bfloat16* parts, int ranks, int own, std::size_t count, float alpha, float beta,
              bfloat16* C, Stream stream) {
  sum_of<__nv_bfloat16>(parts, ranks, own, count, alpha, beta, C, stream);
}

}  // namespace

Kernels kernels() {
  return {.room_fp32 = room_fp32,
          .room_bf16 = room_bf16,
          .in_kernel_fp32 = in_kernel_fp32,
          .in_kernel_bf16 = in_kernel_bf16,
          .sum_fp32 = sum_fp32,
          .sum_bf16 = sum_bf16};
}

}  // namespace ladder::many_gpus
