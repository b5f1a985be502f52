// SPDX-License-Identifier: MIT
#include "ladder/ladder.hpp"

#include <array>
#include <stdexcept>
#include <string>
#include <vector>

// Each rung's launch.cu defines its run(). They are weak, so that a program may be linked with some
// of the rungs: those it leaves out are null here and drop out of rungs().
namespace ladder::cublas {
[[gnu::weak]] void run(const Gemm<float>&, Stream);
[[gnu::weak]] void run_tf32(const Gemm<float>&, Stream);
[[gnu::weak]] void run_bf16(const Gemm<bfloat16>&, Stream);
}  // namespace ladder::cublas
namespace ladder::naive {
[[gnu::weak]] void run(const Gemm<float>&, Stream);
}
namespace ladder::coalesced {
[[gnu::weak]] void run(const Gemm<float>&, Stream);
}
namespace ladder::shared_tile {
[[gnu::weak]] void run(const Gemm<float>&, Stream);
}
namespace ladder::register_tile {
[[gnu::weak]] void run(const Gemm<float>&, Stream);
}
namespace ladder::vector_access {
[[gnu::weak]] void run(const Gemm<float>&, Stream);
}
namespace ladder::double_buffer {
[[gnu::weak]] void run(const Gemm<float>&, Stream);
}
namespace ladder::wave_swizzle {
[[gnu::weak]] void run(const Gemm<float>&, Stream);
}
namespace ladder::warp_tile {
[[gnu::weak]] void run(const Gemm<float>&, Stream);
}
namespace ladder::async_copy {
[[gnu::weak]] void run(const Gemm<float>&, Stream);
}
namespace ladder::wide_tile {
[[gnu::weak]] void run(const Gemm<float>&, Stream);
}
namespace ladder::producer_warps {
[[gnu::weak]] void run(const Gemm<float>&, Stream);
}
namespace ladder::stream_k {
[[gnu::weak]] void run(const Gemm<float>&, Stream);
[[gnu::weak]] std::vector<WorkPlan> plans(const Shape&);
}  // namespace ladder::stream_k
namespace ladder::small_products {
[[gnu::weak]] void run(const Gemm<float>&, Stream);
[[gnu::weak]] std::string explain(const Shape&);
[[gnu::weak]] std::vector<WorkPlan> plans(const Shape&);
}  // namespace ladder::small_products

namespace ladder {
namespace {

// clang-format off
// number, name, idea, builds on, precision, CC, N and K multiple of, block tile, run
const Rung kCublasBf16 = {
    0, "cublas_bf16", "the library to beat, in BF16", -1, kBf16, 80, 1, {}, cublas::run_bf16};
const Rung kCublasTf32 = {
    0, "cublas_tf32", "the library to beat, in TF32", -1, kTf32, 80, 1, {}, cublas::run_tf32,
    nullptr, nullptr, &kCublasBf16};

const auto kRungs = std::to_array<Rung>({
    {0, "cublas", "the library to beat", -1, kFp32, 75, 1, {}, cublas::run, nullptr, nullptr,
     &kCublasTf32},
    {1, "naive", "a warp reads 32 rows of A", -1, kFp32, 75, 1, {32, 32}, naive::run},
    {2, "coalesced", "a warp reads one line of B", 1, kFp32, 75, 1, {32, 32}, coalesced::run},
    {3, "shared_tile", "stage tiles in shared memory", 2, kFp32, 75, 1, {32, 32}, shared_tile::run},
    {4, "register_tile", "8 x 8 results per thread", 3, kFp32, 75, 1, {128, 128},
     register_tile::run},
    {5, "vector_access", "move float4, transpose A", 4, kFp32, 75, 4, {128, 128},
     vector_access::run},
    {6, "double_buffer", "fetch while computing", 5, kFp32, 75, 4, {128, 128}, double_buffer::run},
    {7, "wave_swizzle", "order blocks for L2", 6, kFp32, 75, 4, {128, 128}, wave_swizzle::run},
    {8, "warp_tile", "a tile per warp, for the banks", 7, kFp32, 75, 4, {128, 128}, warp_tile::run},
    {9, "async_copy", "copies without registers", 8, kFp32, 80, 4, {128, 128}, async_copy::run},
    {10, "wide_tile", "8 x 16 results per thread", 9, kFp32, 80, 4, {128, 256}, wide_tile::run},
    {11, "producer_warps", "some warps only load", 10, kFp32, 90, 4, {128, 256},
     producer_warps::run},
    {12, "stream_k", "every SM works to the end", 11, kFp32, 90, 4, {128, 256}, stream_k::run,
     nullptr, stream_k::plans},
    {13, "small_products", "a tile for each shape", 12, kFp32, 90, 4, {128, 256},
     small_products::run, small_products::explain, small_products::plans},
});
// clang-format on

}  // namespace

void require_run_of_its_precision(const Rung& rung) {
  if (rung.run.stored() == rung.precision.stored) return;
  throw std::logic_error("the table says that rung " + std::to_string(rung.number) + ", " +
                         std::string(rung.name) + ", computes in " +
                         std::string(rung.precision.name) + ", but its run() takes " +
                         std::string(name_of(rung.run.stored())) + " matrices");
}

std::span<const Rung> rungs() {
  static const std::vector<Rung> linked = [] {
    std::vector<Rung> found;
    for (const Rung& rung : kRungs) {
      require_run_of_its_precision(rung);
      if (rung.run) found.push_back(rung);
    }
    return found;
  }();
  return linked;
}

}  // namespace ladder
