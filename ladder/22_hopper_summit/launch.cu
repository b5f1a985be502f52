// SPDX-License-Identifier: MIT
/// \file  ladder/22_hopper_summit/launch.cu
/// \brief Tile sizes, which of them a shape gets, plan and launch of rung 22.
#include <algorithm>
#include <array>
#include <bit>
#include <cstdio>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/launch.cuh"
#include "common/work_plan.hpp"
#include "common/workspace.hpp"
#include "ladder/22_hopper_summit/kernel.cuh"
#include "ladder/22_hopper_summit/sizes.hpp"

namespace ladder::hopper_summit {
namespace {

constexpr int BK = 64;  // 128 bytes of A's rows, the widest swizzle
// An H200 has 66 pairs of SMs: 8 x 8 tiles of 256 x 256, one for each pair, are a square of C.
constexpr int kSquareBand = 8;
// If B is no larger, tiles of all its columns are computed at once: each row of A passes by once.
constexpr std::size_t kResidentBytes = std::size_t{36} << 20;
// With fewer epochs in a tile, all that 66 clusters read for a tile each is less than 18 MB, and L2
// holds it, however far they drift.
constexpr int kFewestEpochs = 4;
constexpr std::size_t kFlagBytes = 8192;  // counters, and a word per warpgroup that shares a tile
constexpr int kFlagsAt = 16;              // in words, after the counters

/// Rows of clusters' tiles that are computed at the same time.
int band_of(const Gemm<bfloat16>& gemm, int clusters, int tile_columns) {
  const std::size_t b_bytes = static_cast<std::size_t>(gemm.N) * gemm.K * sizeof(bf16);
  return b_bytes <= kResidentBytes ? std::max(1, clusters / tile_columns) : kSquareBand;
}

/// How many stages fill the 227 KiB that a block can have, beside its results and barriers.
constexpr int stages_of(int BM, int BN, int box) {
  constexpr int kBarriers = 1024;
  constexpr int kMostStages = 16;
  const int results = BN / 64 * kResults * box * kBoxColumns * static_cast<int>(sizeof(bf16));
  const int stage = (BM + BN) * BK * static_cast<int>(sizeof(bf16));
  return std::min(kMostStages, (227 * 1024 - kBarriers - results) / stage);
}

template <int SIZE>
void launch_size(const Gemm<bfloat16>& gemm, const Cluster& cluster, const Cut& cut,
                 Stream stream) {
  constexpr int BM = kSizes[SIZE].BM;
  constexpr int BN = kSizes[SIZE].BN;
  constexpr int BOX = kSizes[SIZE].box;
  constexpr int STAGES = stages_of(BM, BN, BOX);
  const auto [rows, columns] = cluster;
  const std::size_t part_bytes = 2 * sizeof(float) * cut.clusters * rows * columns * BM * BN;
  auto* const words = static_cast<unsigned*>(workspace(stream, kFlagBytes + part_bytes));
  const bool in_step =
      cut.whole + cut.split > cut.clusters && cut.k_tiles >= kFewestEpochs * kEpoch;
  const int tile_columns = ceil_div(gemm.N, columns * BN);
  launch(kernel<BM, BN, BK, BOX, STAGES>,
         {.grid = dim3(cut.clusters * rows * columns),
          .block = dim3(128 + BN / 64 * 128),
          .dynamic_shared_bytes = sizeof(Shared<BM, BN, BK, BOX, STAGES>),
          .stream = stream,
          .cluster = static_cast<unsigned>(rows * columns),
          .overlaps_previous = true},
         ptx::make_tensor_map(gemm.A, gemm.M, gemm.K, BM / columns, BK, ptx::Swizzle::rows_of_128),
         ptx::make_tensor_map(gemm.B, gemm.K, gemm.N, BK / rows, kBoxColumns,
                              ptx::Swizzle::rows_of_128),
         ptx::make_tensor_map(gemm.C, gemm.M, gemm.N, BOX, kBoxColumns, ptx::Swizzle::rows_of_128),
         gemm.alpha, gemm.beta,
         Plan{.log_rows = std::countr_zero(static_cast<unsigned>(rows)),
              .log_columns = std::countr_zero(static_cast<unsigned>(columns)),
              .k_tiles = cut.k_tiles,
              .per_tile = cut.k_tiles,
              .whole = cut.whole,
              .split = cut.split,
              .share = cut.share,
              .counters = in_step ? words : nullptr,
              .order = Order(ceil_div(gemm.M, rows * BM), tile_columns,
                             band_of(gemm, cut.clusters, tile_columns)),
              .parts = reinterpret_cast<float4*>(words + kFlagBytes / sizeof(unsigned)),
              .flags = words + kFlagsAt});
}

using Launch = void (*)(const Gemm<bfloat16>&, const Cluster&, const Cut&, Stream);
/// In the order of kSizes.
constexpr auto kLaunches = []<std::size_t... SIZES>(std::index_sequence<SIZES...>) {
  return std::array<Launch, kSizes.size()>{launch_size<SIZES>...};
}
(std::make_index_sequence<kSizes.size()>());

void run_choice(const Gemm<bfloat16>& gemm, const Choice& choice, Stream stream) {
  kLaunches[choice.size](gemm, kClusters[choice.cluster], choice.cut, stream);
}

using Name = std::array<char, 20>;
/// Of all sizes in all clusters, "256 x 128, 1 x 2": the tile of a block, and the blocks of a
/// cluster if there are more than one.
constexpr auto kNames = [] {
  std::array<Name, kSizes.size() * kClusters.size()> names = {};
  Name* name = names.data();
  for (const Size& size : kSizes) {
    for (const auto& [rows, columns] : kClusters) {
      char* end = std::ranges::copy(std::string_view(size.name), (name++)->begin()).out;
      if (rows * columns == 1) continue;
      end = std::ranges::copy(std::string_view(", "), end).out;
      *end++ = static_cast<char>('0' + rows);
      end = std::ranges::copy(std::string_view(" x "), end).out;
      *end = static_cast<char>('0' + columns);
    }
  }
  return names;
}();

}  // namespace

void run(const Gemm<bfloat16>& gemm, Stream stream) {
  require_multiple("22 hopper_summit", 'N', gemm.N, 8,
                   "rows of B and C have to be 16-byte aligned");
  require_multiple("22 hopper_summit", 'K', gemm.K, 8, "rows of A have to be 16-byte aligned");
  const Shape shape = {gemm.M, gemm.N, gemm.K};
  run_choice(gemm, fastest(shape, multiprocessors()), stream);
}

std::vector<WorkPlan> plans(const Shape& shape) {
  const int sms = multiprocessors();
  const int taken = fastest(shape, sms).size;
  std::vector<WorkPlan> found;
  for (int i = 0; i < static_cast<int>(kSizes.size()); ++i) {
    const Choice choice = fastest_clusters(i, shape, sms);
    const auto [rows, columns] = kClusters[choice.cluster];
    const Cut& cut = choice.cut;
    found.push_back({.name = kNames[i * kClusters.size() + choice.cluster].data(),
                     .tile = {rows * kSizes[i].BM, columns * kSizes[i].BN},
                     .BK = BK,
                     .blocks_per_sm = 1,
                     .cluster = 1,
                     .taken = i == taken,
                     .tiles = cut.whole + cut.split,
                     .k_tiles = cut.k_tiles,
                     .whole_tiles = cut.whole,
                     .ranks = cut.split > 0 ? ceil_div(cut.split * cut.k_tiles, cut.share) : 0,
                     .share = cut.share,
                     .longer = 0,
                     .fan_in = 1,
                     .expected_us = cut.us,
                     .launch = [choice](const Gemm<bfloat16>& gemm, Stream stream) {
                       run_choice(gemm, choice, stream);
                     }});
  }
  return found;
}

std::string explain(const Shape& shape) {
  std::string text = "Rung 22 takes what its model calls fastest on " +
                     std::to_string(multiprocessors()) +
                     " SMs. Each tile is shown in\nits best clusters:\n";
  char line[160];
  constexpr const char* kHeading = "   %-20s %8s %8s %7s %8s %9s\n";
  std::snprintf(line, sizeof line, kHeading, "tile, blocks", "tiles", "k tiles", "shared",
                "clusters", "us");
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
