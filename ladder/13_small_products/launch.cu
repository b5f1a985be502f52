// SPDX-License-Identifier: MIT
/// \file  ladder/13_small_products/launch.cu
/// \brief The configurations of rung 13 and their launches.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <string>

#include "common/launch.cuh"
#include "common/work_plan.hpp"
#include "common/workspace.hpp"
#include "ladder/13_small_products/kernel.cuh"
#include "ladder/13_small_products/plan.hpp"
#include "ladder/13_small_products/small_kernel.cuh"
#include "ladder/13_small_products/thin_kernel.cuh"

namespace ladder::small_products {
namespace {

constexpr int WM = 64;
constexpr int WN = 64;
constexpr std::size_t kFlagBytes = 4096;  // a word per block
constexpr std::size_t kSharedBytesOfSm = 228 * 1024;
constexpr std::size_t kReservedBytes = 1024;  // of an SM's shared memory, for each block

template <int WARPS_M, int WARPS_N, int WARPS_K, int STAGES>
void launch_stream_k(const Gemm<float>& gemm, Stream stream, const Decomposition& split) {
  constexpr int BM = WARPS_M * WM;
  constexpr int BN = WARPS_N * WN;
  constexpr int BK = WARPS_K * 8;
  constexpr int BAND = 4;  // more was not faster
  constexpr std::size_t kSums = WARPS_K == 1 ? 0 : kConsumerWarps * WM * WN / 2 * sizeof(float);
  const unsigned blocks = split.first_split > 0 ? multiprocessors() : split.ranks;
  auto* const flags = static_cast<unsigned*>(
      workspace(stream, kFlagBytes + static_cast<std::size_t>(blocks) * BM * BN * sizeof(float)));
  // Blocks wait for blocks with lower numbers: all of them run at the same time, or none.
  launch(kernel<WARPS_M, WARPS_N, WARPS_K, STAGES, BAND>,
         {.grid = dim3(blocks),
          .block = dim3(32 * kProducerWarps + kConsumers),
          .dynamic_shared_bytes = STAGES * sizeof(Stage<BM, BN, BK>) + kSums,
          .stream = stream,
          .cooperative = true},
         ptx::make_tensor_map(gemm.B, gemm.K, gemm.N, BK, BN), gemm.M, gemm.N, gemm.K, gemm.alpha,
         gemm.A, gemm.beta, gemm.C, split,
         reinterpret_cast<float4*>(flags + kFlagBytes / sizeof(unsigned)), flags);
}

template <int LANES_M, int TM, int TN, int WARPS, int CLUSTER, int STAGES, int BLOCKS>
void launch_small(const Gemm<float>& gemm, Stream stream, const Decomposition&) {
  constexpr int BM = LANES_M * TM;
  constexpr int BN = 32 / LANES_M * TN;
  constexpr std::size_t kBytes = WARPS * STAGES * sizeof(SmallStage<BM, BN>);
  static_assert(BLOCKS * (kBytes + kReservedBytes) <= kSharedBytesOfSm);
  launch(small_kernel<LANES_M, TM, TN, WARPS, CLUSTER, STAGES, BLOCKS>,
         {.grid = dim3(CLUSTER * ceil_div(gemm.M, BM) * ceil_div(gemm.N, BN)),
          .block = dim3(32 * WARPS),
          .dynamic_shared_bytes = kBytes,
          .stream = stream,
          .cluster = CLUSTER},
         gemm.M, gemm.N, gemm.K, gemm.alpha, gemm.A, gemm.B, gemm.beta, gemm.C);
}

template <int LANES_M, int TM, int TN, int WARPS, int STAGES, int BLOCKS>
void launch_thin(const Gemm<float>& gemm, Stream stream, const Decomposition&) {
  constexpr int BM = WARPS * LANES_M * TM;
  constexpr int BN = 32 / LANES_M * TN;
  constexpr std::size_t kBytes = STAGES * sizeof(ThinStage<BM, BN>);
  static_assert(BLOCKS * (kBytes + kReservedBytes) <= kSharedBytesOfSm);
  launch(thin_kernel<LANES_M, TM, TN, WARPS, STAGES, BLOCKS>,
         {.grid = dim3(ceil_div(gemm.M, BM) * ceil_div(gemm.N, BN)),
          .block = dim3(32 * WARPS),
          .dynamic_shared_bytes = kBytes,
          .stream = stream},
         gemm.M, gemm.N, gemm.K, gemm.alpha, gemm.A, gemm.B, gemm.beta, gemm.C);
}

// name, cluster, BM, BN, BK, blocks, times of start, tile, step, wait and part, fan-in, launch
// clang-format off
const auto kConfigurations = std::to_array<Configuration>({
    {"128 x 256", 0, 128, 256, 8, 1, 4.89, 1.80, 1.260, 0, 2.15, 0, launch_stream_k<2, 4, 1, 8>},
    {"128 x 128", 0, 128, 128, 16, 1, 3.03, 2.82, 1.338, 0, 1.00, 8, launch_stream_k<2, 2, 2, 8>},
    {"64 x 128", 0, 64, 128, 32, 1, 3.20, 2.21, 1.367, 0, 0.73, 8, launch_stream_k<1, 2, 4, 6>},
    {"64 x 64", 0, 64, 64, 64, 1, 3.47, 1.60, 1.632, 0, 0.48, 8, launch_stream_k<1, 1, 8, 5>},
    {"32 x 64, small", 1, 32, 64, 64, 2, 1.45, 0.77, 0.676, 0.254, 0, 0, launch_small<4, 8, 8, 4, 1, 3, 2>},
    {"32 x 64, cluster of 3", 3, 32, 64, 192, 2, 1.53, 1.68, 0.684, 0.322, 0, 0, launch_small<4, 8, 8, 4, 3, 3, 2>},
    {"8 x 128, cluster of 4", 4, 8, 128, 256, 1, 0.50, 2.24, 0.415, 0.265, 0, 0, launch_small<1, 8, 4, 4, 4, 4, 1>},
    {"8 x 128, cluster of 8", 8, 8, 128, 512, 1, 0.50, 2.39, 0.437, 0.286, 0, 0, launch_small<1, 8, 4, 4, 8, 4, 1>},
    {"32 x 32, small", 1, 32, 32, 64, 4, 1.75, 0.23, 0.422, 0.179, 0, 0, launch_small<8, 4, 8, 4, 1, 3, 4>},
    {"64 x 16, cluster of 4", 4, 64, 16, 256, 2, 1.64, 1.11, 0.667, 0.023, 0, 0, launch_small<16, 4, 8, 4, 4, 4, 2>},
    {"4 x 128, small", 1, 4, 128, 64, 1, 1.04, 0.68, 0.368, 0.155, 0, 0, launch_small<1, 4, 4, 4, 1, 4, 1>},
    {"16 x 32, small", 1, 16, 32, 64, 2, 1.46, 0.42, 0.280, 0.072, 0, 0, launch_small<4, 4, 4, 4, 1, 6, 2>},
    {"16 x 32, cluster of 2", 2, 16, 32, 128, 2, 1.62, 0.83, 0.219, 0.140, 0, 0, launch_small<4, 4, 4, 4, 2, 6, 2>},
    {"16 x 32, cluster of 8", 8, 16, 32, 512, 2, 1.65, 0.91, 0.316, 0.046, 0, 0, launch_small<4, 4, 4, 4, 8, 6, 2>},
    {"64 x 4, small", 1, 64, 4, 64, 2, 1.49, 0.33, 0.430, 0.000, 0, 0, launch_small<32, 2, 4, 4, 1, 4, 2>},
    {"8 x 16, small", 1, 8, 16, 128, 2, 1.50, 0.23, 0.342, 0.052, 0, 0, launch_small<8, 1, 4, 8, 1, 6, 2>},
    {"32 x 4, cluster of 8", 8, 32, 4, 1024, 2, 1.65, 0.83, 0.444, 0.000, 0, 0, launch_small<32, 1, 4, 8, 8, 4, 2>},
    {"64 x 128, thin", 1, 64, 128, 16, 3, 1.14, 0.54, 0.748, 0.619, 0, 0, launch_thin<1, 8, 4, 8, 2, 3>},
    {"32 x 128, thin", 1, 32, 128, 16, 5, 1.56, 0.22, 0.426, 0.539, 0, 0, launch_thin<1, 8, 4, 4, 3, 5>},
    {"64 x 64, thin", 1, 64, 64, 16, 5, 1.53, 0.22, 0.399, 0.564, 0, 0, launch_thin<2, 8, 4, 4, 3, 5>},
    {"16 x 128, thin", 1, 16, 128, 16, 7, 1.49, 0.13, 0.244, 0.578, 0, 0, launch_thin<1, 4, 4, 4, 3, 7>},
    {"64 x 32, thin", 1, 64, 32, 16, 8, 1.50, 0.23, 0.226, 0.539, 0, 0, launch_thin<4, 4, 4, 4, 3, 8>},
});
// clang-format on

}  // namespace

void run(const Gemm<float>& gemm, Stream stream) {
  require_multiple("13 small_products", 'N', gemm.N, 4,
                   "rows of B and C have to be 16-byte aligned");
  require_multiple("13 small_products", 'K', gemm.K, 4, "rows of A are read as float4");
  const std::vector<Plan> plans =
      plans_for(kConfigurations, {gemm.M, gemm.N, gemm.K}, multiprocessors());
  const Plan& plan = quickest(plans);
  plan.configuration->launch(gemm, stream, plan.split);
}

std::string explain(const Shape& shape) {
  const std::vector<Plan> plans = plans_for(kConfigurations, shape, multiprocessors());
  std::string text = "Rung 13 takes the configuration that its model calls quickest on " +
                     std::to_string(multiprocessors()) + " SMs:\n";
  char line[160];
  constexpr const char* kHeading = "   %-24s %8s %8s %6s %6s %9s\n";
  std::snprintf(line, sizeof line, kHeading, "tile", "tiles", "k tiles", "split", "ranks", "us");
  text += line;
  for (const Plan& plan : plans) {
    std::snprintf(line, sizeof line, "%s %-24s %8lld %8d %6d %6d %9.4g\n",
                  &plan == &quickest(plans) ? "->" : "  ", plan.configuration->name, plan.tiles,
                  plan.k_tiles, plan.split_tiles, plan.split_tiles > 0 ? plan.split.ranks : 0,
                  plan.us);
    text += line;
  }
  return text +
         "k tiles: of one tile. split: tiles whose K is split. ranks: blocks that share\n"
         "these tiles. us: what the model expects.\n";
}

std::vector<WorkPlan> plans(const Shape& shape) {
  const std::vector<Plan> plans = plans_for(kConfigurations, shape, multiprocessors());
  std::vector<WorkPlan> found;
  for (const Plan& plan : plans) {
    const Configuration& c = *plan.configuration;
    const bool shared = plan.split.share > 0;
    found.push_back({.name = c.name,
                     .tile = {c.BM, c.BN},
                     .BK = c.BK,
                     .blocks_per_sm = c.blocks,
                     .cluster = std::max(c.cluster, 1),
                     .taken = &plan == &quickest(plans),
                     .tiles = plan.tiles,
                     .k_tiles = plan.k_tiles,
                     .whole_tiles = shared ? plan.split.first_split : plan.tiles,
                     .ranks = shared ? plan.split.ranks : 0,
                     .share = plan.split.share,
                     .longer = plan.split.longer,
                     .launch = [&c, split = plan.split](const Gemm<float>& gemm, Stream stream) {
                       c.launch(gemm, stream, split);
                     }});
  }
  return found;
}

}  // namespace ladder::small_products
