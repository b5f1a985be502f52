// SPDX-License-Identifier: MIT
#include "ladder/ladder.hpp"

#include <array>
#include <vector>

// Each rung's launch.cu defines its run(). They are weak, so that a program may be linked with some
// of the rungs: those it leaves out are null here and drop out of rungs().
namespace ladder::cublas {
[[gnu::weak]] void run(const Gemm<float>&, Stream);
}
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

// number, name, idea, builds on, compute capability, N and K multiple of, block tile, run
const auto kRungs = std::to_array<Rung>({
    {0, "cublas", "the library to beat", -1, 75, 1, {}, cublas::run},
    {1, "naive", "a warp reads 32 rows of A", -1, 75, 1, {32, 32}, naive::run},
    {2, "coalesced", "a warp reads one line of B", 1, 75, 1, {32, 32}, coalesced::run},
    {3, "shared_tile", "stage tiles in shared memory", 2, 75, 1, {32, 32}, shared_tile::run},
    {4, "register_tile", "8 x 8 results per thread", 3, 75, 1, {128, 128}, register_tile::run},
    {5, "vector_access", "move float4, transpose A", 4, 75, 4, {128, 128}, vector_access::run},
    {6, "double_buffer", "fetch while computing", 5, 75, 4, {128, 128}, double_buffer::run},
    {7, "wave_swizzle", "order blocks for L2", 6, 75, 4, {128, 128}, wave_swizzle::run},
    {8, "warp_tile", "a tile per warp, for the banks", 7, 75, 4, {128, 128}, warp_tile::run},
    {9, "async_copy", "copies without registers", 8, 80, 4, {128, 128}, async_copy::run},
    {10, "wide_tile", "8 x 16 results per thread", 9, 80, 4, {128, 256}, wide_tile::run},
    {11, "producer_warps", "some warps only load", 10, 90, 4, {128, 256}, producer_warps::run},
    {12,
     "stream_k",
     "every SM works to the end",
     11,
     90,
     4,
     {128, 256},
     stream_k::run,
     nullptr,
     stream_k::plans},
    {13,
     "small_products",
     "a tile for each shape",
     12,
     90,
     4,
     {128, 256},
     small_products::run,
     small_products::explain,
     small_products::plans},
});

}  // namespace

std::span<const Rung> rungs() {
  static const std::vector<Rung> linked = [] {
    std::vector<Rung> found;
    for (const Rung& rung : kRungs) {
      if (rung.run != nullptr) found.push_back(rung);
    }
    return found;
  }();
  return linked;
}

}  // namespace ladder
