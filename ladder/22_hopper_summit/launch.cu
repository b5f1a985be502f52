// SPDX-License-Identifier: MIT
/// \file  ladder/22_hopper_summit/launch.cu
/// \brief Tile sizes, which of them a shape gets, plan and launch of rung 22.
#include <algorithm>
#include <array>
#include <cstdio>
#include <string>
#include <vector>

#include "common/launch.cuh"
#include "common/work_plan.hpp"
#include "common/workspace.hpp"
#include "ladder/22_hopper_summit/kernel.cuh"
#include "ladder/22_hopper_summit/sizes.hpp"

namespace ladder::hopper_summit {
namespace {

constexpr int BK = 64;  // 128 bytes of A's rows, the widest swizzle
// An H200 has 66 pairs of SMs: 8 pairs of block rows by 8 columns make their tiles a square of C.
constexpr int kSquareBand = 8;
// If B is no larger, tiles of all its columns are computed at once: each row of A passes by once.
constexpr std::size_t kResidentBytes = std::size_t{36} << 20;
// With fewer epochs in a tile, all that 66 clusters read for a tile each is less than 18 MB, and L2
// holds it, however far they drift.
constexpr int kFewestEpochs = 4;
constexpr std::size_t kFlagBytes = 4096;  // counters, and a word per warpgroup
constexpr int kFlagsAt = 16;              // in words, after the counters

/// Rows of clusters' tiles that are computed at the same time.
int band_of(const Gemm<bfloat16>& gemm, int clusters, int columns) {
  const std::size_t b_bytes = static_cast<std::size_t>(gemm.N) * gemm.K * sizeof(bf16);
  return b_bytes <= kResidentBytes ? std::max(1, clusters / columns) : kSquareBand;
}

/// How many stages fill the 227 KiB that a block can have, beside its results and barriers.
constexpr int stages_of(int BM, int BN) {
  constexpr int kBarriers = 1024;
  const int results = BM / 64 * kResults * static_cast<int>(sizeof(Results));
  const int stage = (BM + BN) * BK * static_cast<int>(sizeof(bf16));
  return (227 * 1024 - kBarriers - results) / stage;
}

template <int BM, int BN, int ROWS, int COLUMNS>
void launch_size(const Gemm<bfloat16>& gemm, const Cut& cut, Stream stream) {
  constexpr int STAGES = stages_of(BM, BN);
  const std::size_t part_bytes = 2 * sizeof(float) * cut.clusters * ROWS * COLUMNS * BM * BN;
  auto* const words = static_cast<unsigned*>(workspace(stream, kFlagBytes + part_bytes));
  const bool in_step =
      cut.whole + cut.split > cut.clusters && cut.k_tiles >= kFewestEpochs * kEpoch;
  launch(kernel<BM, BN, BK, ROWS, COLUMNS, STAGES>,
         {.grid = dim3(cut.clusters * ROWS * COLUMNS),
          .block = dim3(128 + BM / 64 * 128),
          .dynamic_shared_bytes = sizeof(Shared<BM, BN, BK, STAGES>),
          .stream = stream,
          .cluster = ROWS * COLUMNS,
          .overlaps_previous = true},
         ptx::make_tensor_map(gemm.A, gemm.M, gemm.K, BM / COLUMNS, BK, ptx::Swizzle::rows_of_128),
         ptx::make_tensor_map(gemm.B, gemm.K, gemm.N, BK / ROWS, kBoxColumns,
                              ptx::Swizzle::rows_of_128),
         ptx::make_tensor_map(gemm.C, gemm.M, gemm.N, 64, kBoxColumns, ptx::Swizzle::rows_of_128),
         gemm.M, gemm.N, gemm.alpha, gemm.beta, reinterpret_cast<const bf16*>(gemm.C),
         Plan{.k_tiles = cut.k_tiles,
              .whole = cut.whole,
              .split = cut.split,
              .share = cut.share,
              .counters = in_step ? words : nullptr,
              .band = band_of(gemm, cut.clusters, ceil_div(gemm.N, COLUMNS * BN)),
              .parts = reinterpret_cast<float4*>(words + kFlagBytes / sizeof(unsigned)),
              .flags = words + kFlagsAt});
}

using Launch = void (*)(const Gemm<bfloat16>&, const Cut&, Stream);
/// In the order of kSizes.
constexpr std::array<Launch, kSizes.size()> kLaunches = {
    launch_size<128, 256, 2, 1>, launch_size<128, 256, 1, 1>, launch_size<128, 256, 2, 2>,
    launch_size<128, 192, 1, 2>, launch_size<128, 128, 2, 1>, launch_size<128, 128, 2, 2>,
    launch_size<128, 64, 1, 1>,  launch_size<128, 64, 1, 4>,  launch_size<64, 128, 4, 1>,
    launch_size<64, 64, 1, 1>,   launch_size<64, 64, 2, 2>};

/// Runs a size with its cut of the shape.
void run_size(const Gemm<bfloat16>& gemm, int size, Stream stream) {
  const Cut cut = cut_of(kSizes[size], Shape{gemm.M, gemm.N, gemm.K}, multiprocessors());
  kLaunches[size](gemm, cut, stream);
}

}  // namespace

void run(const Gemm<bfloat16>& gemm, Stream stream) {
  require_multiple("22 hopper_summit", 'N', gemm.N, 8,
                   "rows of B and C have to be 16-byte aligned");
  require_multiple("22 hopper_summit", 'K', gemm.K, 8, "rows of A have to be 16-byte aligned");
  run_size(gemm, fastest_size(Shape{gemm.M, gemm.N, gemm.K}, multiprocessors()), stream);
}

std::vector<WorkPlan> plans(const Shape& shape) {
  const int sms = multiprocessors();
  std::vector<WorkPlan> found;
  for (int i = 0; i < static_cast<int>(kSizes.size()); ++i) {
    const Size& size = kSizes[i];
    const Cut cut = cut_of(size, shape, sms);
    found.push_back(
        {.name = size.name,
         .tile = {size.rows * size.BM, size.columns * size.BN},
         .BK = BK,
         .blocks_per_sm = 1,
         .cluster = 1,
         .taken = i == fastest_size(shape, sms),
         .tiles = cut.whole + cut.split,
         .k_tiles = cut.k_tiles,
         .whole_tiles = cut.whole,
         .ranks = cut.split > 0 ? ceil_div(cut.split * cut.k_tiles, cut.share) : 0,
         .share = cut.share,
         .longer = 0,
         .fan_in = 1,
         .expected_us = cut.us,
         .launch = [i](const Gemm<bfloat16>& gemm, Stream stream) { run_size(gemm, i, stream); }});
  }
  return found;
}

std::string explain(const Shape& shape) {
  std::string text = "Rung 22 takes the size that its model calls fastest on " +
                     std::to_string(multiprocessors()) + " SMs:\n";
  char line[160];
  constexpr const char* kHeading = "   %-20s %8s %8s %7s %8s %9s\n";
  std::snprintf(line, sizeof line, kHeading, "tile", "tiles", "k tiles", "shared", "clusters",
                "us");
  text += line;
  for (const WorkPlan& plan : plans(shape)) {
    std::snprintf(line, sizeof line, "%s %-20s %8lld %8lld %7lld %8d %9.4g\n",
                  plan.taken ? "->" : "  ", plan.name.data(), plan.tiles, plan.k_tiles,
                  plan.tiles - plan.whole_tiles, plan.ranks, plan.expected_us);
    text += line;
  }
  return text;
}

}  // namespace ladder::hopper_summit
