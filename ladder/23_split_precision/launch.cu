// SPDX-License-Identifier: MIT
/// \file  ladder/23_split_precision/launch.cu
/// \brief Parts, tile, grid and launches of rung 23.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <string>

#include "common/launch.cuh"
#include "common/workspace.hpp"
#include "ladder/23_split_precision/kernel.cuh"

namespace ladder::split_precision {
namespace {

constexpr int BM = 128;    // two warpgroups of 64 rows
constexpr int BN = 192;    // 96 sums per thread in the tensor cores, and 96 totals
constexpr int BK = 64;     // 128 bytes of A's rows, the widest swizzle
constexpr int STAGES = 5;  // of 40 KiB: 200 of the 227 that a block can have
constexpr int kThreads = 128 + BM / 64 * 128;  // the producer's warpgroup, and consumers
// An H200 has 66 pairs of SMs: 8 pairs of block rows by 8 columns make their tiles a square of C.
constexpr int BAND = 8;
// What tensor cores cut off grows with the length of a sum. With 512 of K, normal numbers lose less
// than in a chain of FP32 where K is 2048 or more; shorter sums add to the totals more often.
constexpr int CHUNK = 512;
constexpr int kRowThreads = 256;  // that split a row of A
constexpr int kColumnWarps = 32;  // that split 32 columns of B

/// Where things are in the workspace.
struct Memory {
  int padded_n, padded_k;  // rows of 16 bytes; whole k tiles
  unsigned* counters;      // (kCounters)  zero before and after
  Outcome* outcome;
  int* row_exponents;     // (M)
  int* column_exponents;  // (N)
  std::byte* a;           // (parts, M, padded_k) of 2 bytes
  std::byte* b;           // (parts, padded_k, padded_n)
};

int round_up(int extent, int multiple) {
  return ceil_div(extent, multiple) * multiple;
}

Memory memory_for(const Gemm<float>& gemm, Stream stream) {
  constexpr std::size_t kAligned = 256;
  const auto size = [](auto extent) { return static_cast<std::size_t>(extent); };
  const int padded_n = round_up(gemm.N, 8);
  const int padded_k = round_up(gemm.K, BK);
  std::size_t bytes = kWorkspaceWordBytes;
  const auto place = [&](std::size_t more) {
    const std::size_t start = bytes;
    bytes += (more + kAligned - 1) / kAligned * kAligned;
    return start;
  };
  const std::size_t outcome = place(sizeof(Outcome));
  const std::size_t rows = place(size(gemm.M) * sizeof(int));
  const std::size_t columns = place(size(gemm.N) * sizeof(int));
  constexpr std::size_t kBytesOfParts = Bfloat16Parts::kParts * sizeof(Bfloat16Parts::Element);
  const std::size_t a = place(kBytesOfParts * size(gemm.M) * size(padded_k));
  const std::size_t b = place(kBytesOfParts * size(padded_k) * size(padded_n));
  auto* const memory = static_cast<std::byte*>(workspace(stream, bytes));
  return {padded_n,
          padded_k,
          reinterpret_cast<unsigned*>(memory),
          reinterpret_cast<Outcome*>(memory + outcome),
          reinterpret_cast<int*>(memory + rows),
          reinterpret_cast<int*>(memory + columns),
          memory + a,
          memory + b};
}

/// Tensor maps copy 16 bits as they are.
ptx::TensorMap map_of(const std::byte* parts, int rows, int columns, int box_rows) {
  return ptx::make_tensor_map(reinterpret_cast<const bfloat16*>(parts), rows, columns, box_rows,
                              kBoxColumns, ptx::Swizzle::rows_of_128);
}

/// \brief Splits A and B, if it is the turn of these parts.
/// \param target  exponent that the largest elements of rows and columns are scaled to
template <class Parts>
void split(const Gemm<float>& gemm, const Memory& memory, int target, Stream stream) {
  using Element = typename Parts::Element;
  launch(split_rows<Parts, kRowThreads>,
         {.grid = dim3(gemm.M), .block = dim3(kRowThreads), .stream = stream}, gemm.K,
         memory.padded_k, gemm.A, target, reinterpret_cast<Element*>(memory.a),
         memory.row_exponents, memory.outcome);
  launch(split_columns<Parts, kColumnWarps>,
         {.grid = dim3(ceil_div(memory.padded_n, 32)),
          .block = dim3(kColumnWarps * 32),
          .stream = stream},
         gemm.N, gemm.K, memory.padded_n, memory.padded_k, gemm.B, target,
         reinterpret_cast<Element*>(memory.b), memory.column_exponents, memory.outcome);
}

/// Multiplies the parts, if it is their turn.
template <class Parts>
void multiply(const Gemm<float>& gemm, const Memory& memory, Stream stream) {
  int alpha_exponent = 0;
  const float alpha = std::frexp(gemm.alpha, &alpha_exponent);
  const int tiles = ceil_div(gemm.M, kPair * BM) * ceil_div(gemm.N, BN);
  const int clusters = std::min(tiles, std::max(1, multiprocessors() / kPair));
  launch(kernel<Parts, BM, BN, BK, STAGES, BAND, CHUNK>,
         {.grid = dim3(clusters * kPair),
          .block = dim3(kThreads),
          .dynamic_shared_bytes = sizeof(Shared<typename Parts::Element, BM, BN, BK, STAGES>),
          .stream = stream,
          .cluster = kPair},
         map_of(memory.a, Parts::kParts * gemm.M, memory.padded_k, BM),
         map_of(memory.b, Parts::kParts * memory.padded_k, memory.padded_n, BK / kPair), gemm.M,
         gemm.N, memory.padded_k, alpha, alpha_exponent, memory.row_exponents,
         memory.column_exponents, gemm.beta, gemm.C, memory.outcome,
         tiles > clusters ? memory.counters : nullptr);
}

}  // namespace

void run(const Gemm<float>& gemm, Stream stream) {
  const Memory memory = memory_for(gemm, stream);
  launch(start_outcome, {.grid = dim3(1), .block = dim3(1), .stream = stream}, memory.outcome);
  // FP16 ends below 2^16. In BF16, K products of two numbers below 2^(e+1) add up to less than
  // 2^127.
  constexpr int kHalfTarget = 14;
  const int e = (125 - std::bit_width(static_cast<unsigned>(gemm.K))) / 2;
  // The host does not know which it will be, and does not wait: all are launched.
  split<HalfParts>(gemm, memory, kHalfTarget, stream);
  split<Bfloat16Parts>(gemm, memory, e, stream);
  multiply<Bfloat16Parts>(gemm, memory, stream);
  multiply<HalfParts>(gemm, memory, stream);
}

std::string took(Stream stream) {
  Outcome outcome = {};
  read_workspace(stream, kWorkspaceWordBytes, &outcome, sizeof outcome);
  if (outcome.beyond_half == 0) return "two FP16 parts, three products";
  if (outcome.beyond_bfloat16 == 0)
    return "three BF16 parts, six products: two FP16 parts do not hold all elements";
  return "three BF16 parts, six products: two FP16 parts do not hold all elements, nor do three "
         "BF16 parts";
}

}  // namespace ladder::split_precision
