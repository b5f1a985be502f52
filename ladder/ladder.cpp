// SPDX-License-Identifier: MIT
#include "ladder/ladder.hpp"

#include <array>
#include <stdexcept>
#include <string>
#include <vector>

// Each rung's launch.cu defines its run(). They are weak, so that a program may be linked with some
// of the rungs: those it leaves out are null here and drop out of rungs().
// clang-format off
namespace ladder::cublas {
[[gnu::weak]] void run(const Gemm<float>&, Stream);
[[gnu::weak]] void run_tf32(const Gemm<float>&, Stream);
[[gnu::weak]] void run_bf16(const Gemm<bfloat16>&, Stream);
}  // namespace ladder::cublas
namespace ladder::naive { [[gnu::weak]] void run(const Gemm<float>&, Stream); }
namespace ladder::coalesced { [[gnu::weak]] void run(const Gemm<float>&, Stream); }
namespace ladder::shared_tile { [[gnu::weak]] void run(const Gemm<float>&, Stream); }
namespace ladder::register_tile { [[gnu::weak]] void run(const Gemm<float>&, Stream); }
namespace ladder::vector_access { [[gnu::weak]] void run(const Gemm<float>&, Stream); }
namespace ladder::double_buffer { [[gnu::weak]] void run(const Gemm<float>&, Stream); }
namespace ladder::wave_swizzle { [[gnu::weak]] void run(const Gemm<float>&, Stream); }
namespace ladder::warp_tile { [[gnu::weak]] void run(const Gemm<float>&, Stream); }
namespace ladder::async_copy { [[gnu::weak]] void run(const Gemm<float>&, Stream); }
namespace ladder::wide_tile { [[gnu::weak]] void run(const Gemm<float>&, Stream); }
namespace ladder::producer_warps { [[gnu::weak]] void run(const Gemm<float>&, Stream); }
namespace ladder::stream_k {
[[gnu::weak]] void run(const Gemm<float>&, Stream);
[[gnu::weak]] std::vector<WorkPlan> plans(const Shape&);
}  // namespace ladder::stream_k
namespace ladder::shared_k {
[[gnu::weak]] void run(const Gemm<float>&, Stream);
[[gnu::weak]] std::string explain(const Shape&);
[[gnu::weak]] std::vector<WorkPlan> plans(const Shape&);
}  // namespace ladder::shared_k
namespace ladder::every_shape {
[[gnu::weak]] void run(const Gemm<float>&, Stream);
[[gnu::weak]] std::string explain(const Shape&);
[[gnu::weak]] std::vector<WorkPlan> plans(const Shape&);
}  // namespace ladder::every_shape
namespace ladder::tf32_mma { [[gnu::weak]] void run(const Gemm<float>&, Stream); }
namespace ladder::bf16_mma { [[gnu::weak]] void run(const Gemm<bfloat16>&, Stream); }
namespace ladder::wgmma { [[gnu::weak]] void run(const Gemm<bfloat16>&, Stream); }
namespace ladder::producer_warpgroup { [[gnu::weak]] void run(const Gemm<bfloat16>&, Stream); }
namespace ladder::persistent_cluster { [[gnu::weak]] void run(const Gemm<bfloat16>&, Stream); }
namespace ladder::in_step { [[gnu::weak]] void run(const Gemm<bfloat16>&, Stream); }
namespace ladder::l2_sides { [[gnu::weak]] void run(const Gemm<bfloat16>&, Stream); }
namespace ladder::hopper_summit {
[[gnu::weak]] void run(const Gemm<bfloat16>&, Stream);
[[gnu::weak]] std::string explain(const Shape&);
[[gnu::weak]] std::vector<WorkPlan> plans(const Shape&);
}  // namespace ladder::hopper_summit
namespace ladder::split_precision {
[[gnu::weak]] void run(const Gemm<float>&, Stream);
[[gnu::weak]] std::string took(Stream);
}  // namespace ladder::split_precision
// clang-format on

namespace ladder {
namespace {

const auto kRungs = std::to_array<Rung>({
    {.number = 0,
     .name = "cublas",
     .idea = "the library to beat",
     .run = cublas::run,
     .in_other_precisions = {{.number = 0,
                              .name = "cublas_tf32",
                              .idea = "the library to beat, in TF32",
                              .precision = kTf32,
                              .architectures = kAmpereAndNewer,
                              .run = cublas::run_tf32},
                             {.number = 0,
                              .name = "cublas_bf16",
                              .idea = "the library to beat, in BF16",
                              .precision = kBf16,
                              .architectures = kAmpereAndNewer,
                              .run = cublas::run_bf16}}},
    {.number = 1,
     .name = "naive",
     .idea = "a warp reads 32 rows of A",
     .tile = {32, 32},
     .run = naive::run},
    {.number = 2,
     .name = "coalesced",
     .idea = "a warp reads one line of B",
     .builds_on = 1,
     .tile = {32, 32},
     .about = Counter::kSectorsPerLoad,
     .run = coalesced::run},
    {.number = 3,
     .name = "shared_tile",
     .idea = "stage tiles in shared memory",
     .builds_on = 2,
     .tile = {32, 32},
     .about = Counter::kGlobalLoads,
     .run = shared_tile::run},
    {.number = 4,
     .name = "register_tile",
     .idea = "8 x 8 results per thread",
     .builds_on = 3,
     .tile = {128, 128},
     .about = Counter::kWavefronts,
     .run = register_tile::run},
    {.number = 5,
     .name = "vector_access",
     .idea = "move float4, transpose A",
     .builds_on = 4,
     .multiple_of = 4,
     .tile = {128, 128},
     .about = Counter::kGlobalLoads,
     .run = vector_access::run},
    {.number = 6,
     .name = "double_buffer",
     .idea = "fetch while computing",
     .builds_on = 5,
     .multiple_of = 4,
     .tile = {128, 128},
     .about = Counter::kHiddenLoads,
     .run = double_buffer::run},
    {.number = 7,
     .name = "wave_swizzle",
     .idea = "order blocks for L2",
     .builds_on = 6,
     .multiple_of = 4,
     .tile = {128, 128},
     .about = Counter::kDramBytes,
     .run = wave_swizzle::run},
    {.number = 8,
     .name = "warp_tile",
     .idea = "a tile per warp, for the banks",
     .builds_on = 7,
     .multiple_of = 4,
     .tile = {128, 128},
     .run = warp_tile::run},
    {.number = 9,
     .name = "async_copy",
     .idea = "copies without registers",
     .builds_on = 8,
     .architectures = kAmpereAndNewer,
     .multiple_of = 4,
     .tile = {128, 128},
     .about = Counter::kSharedStores,
     .run = async_copy::run},
    {.number = 10,
     .name = "wide_tile",
     .idea = "8 x 16 results per thread",
     .builds_on = 9,
     .architectures = kAmpereAndNewer,
     .multiple_of = 4,
     .tile = {128, 256},
     .about = Counter::kWavefronts,
     .run = wide_tile::run},
    {.number = 11,
     .name = "producer_warps",
     .idea = "some warps only load",
     .builds_on = 10,
     .architectures = kHopperAndBlackwell,
     .multiple_of = 4,
     .tile = {128, 256},
     .about = Counter::kGlobalLoads,
     .run = producer_warps::run},
    {.number = 12,
     .name = "stream_k",
     .idea = "every SM works to the end",
     .builds_on = 11,
     .architectures = kHopperAndBlackwell,
     .multiple_of = 4,
     .tile = {128, 256},
     .run = stream_k::run,
     .plans = stream_k::plans},
    {.number = 13,
     .name = "shared_k",
     .idea = "warps and clusters share K",
     .builds_on = 12,
     .architectures = kHopperAndBlackwell,
     .multiple_of = 4,
     .tile = {128, 256},
     .run = shared_k::run,
     .explain = shared_k::explain,
     .plans = shared_k::plans},
    {.number = 14,
     .name = "every_shape",
     .idea = "a tile for each shape",
     .builds_on = 13,
     .architectures = kHopperAndBlackwell,
     .multiple_of = 4,
     .tile = {128, 256},
     .run = every_shape::run,
     .explain = every_shape::explain,
     .plans = every_shape::plans},
    {.number = 15,
     .name = "tf32_mma",
     .idea = "tensor cores, fed by registers",
     .builds_on = 10,
     .precision = kTf32,
     .architectures = kAmpereAndNewer,
     .multiple_of = 4,
     .tile = {128, 256},
     .about = Counter::kWavefronts,
     .run = tf32_mma::run},
    {.number = 16,
     .name = "bf16_mma",
     .idea = "half the bytes, swizzled",
     .builds_on = 15,
     .precision = kBf16,
     .architectures = kAmpereAndNewer,
     .multiple_of = 8,
     .tile = {128, 256},
     .about = Counter::kWavefronts,
     .run = bf16_mma::run},
    {.number = 17,
     .name = "wgmma",
     .idea = "tensor cores read shared memory",
     .builds_on = 16,
     .precision = kBf16,
     .architectures = kHopper,
     .multiple_of = 8,
     .tile = {128, 256},
     .run = wgmma::run},
    {.number = 18,
     .name = "producer_warpgroup",
     .idea = "a warpgroup only loads",
     .builds_on = 17,
     .precision = kBf16,
     .architectures = kHopper,
     .multiple_of = 8,
     .tile = {128, 256},
     .run = producer_warpgroup::run},
    {.number = 19,
     .name = "persistent_cluster",
     .idea = "pairs of blocks share B and stay",
     .builds_on = 18,
     .precision = kBf16,
     .architectures = kHopper,
     .multiple_of = 8,
     .tile = {128, 256},
     .run = persistent_cluster::run},
    {.number = 20,
     .name = "in_step",
     .idea = "clusters keep in step along K",
     .builds_on = 19,
     .precision = kBf16,
     .architectures = kHopper,
     .multiple_of = 8,
     .tile = {128, 256},
     .run = in_step::run},
    {.number = 21,
     .name = "l2_sides",
     .idea = "each side of L2 computes one half of C",
     .builds_on = 20,
     .precision = kBf16,
     .architectures = kHopper,
     .multiple_of = 8,
     .tile = {128, 256},
     .run = l2_sides::run},
    {.number = 22,
     .name = "hopper_summit",
     .idea = "no idle tensor core: results leave under the next tile, the last tiles are split",
     .builds_on = 20,
     .precision = kBf16,
     .architectures = kHopper,
     .multiple_of = 8,
     .tile = {256, 128},
     .run = hopper_summit::run,
     .explain = hopper_summit::explain,
     .plans = hopper_summit::plans},
    {.number = 23,
     .name = "split_precision",
     .idea = "FP32 as a sum of 16-bit parts",
     .builds_on = 19,
     .architectures = kHopper,
     .tile = {128, 192},
     .run = split_precision::run,
     .took = split_precision::took},
});

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
