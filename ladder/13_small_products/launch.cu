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
constexpr std::size_t kReservedBytes = 1024;  // what CUDA takes of shared memory for each block

// Shared memory of a block of each kernel.
template <int WARPS_M, int WARPS_N, int WARPS_K, int STAGES>
constexpr int stream_k_bytes() {
  constexpr std::size_t kSums = WARPS_K == 1 ? 0 : kConsumerWarps * WM * WN / 2 * sizeof(float);
  return STAGES * sizeof(Stage<WARPS_M * WM, WARPS_N * WN, WARPS_K * 8>) + kSums;
}

template <int LANES_M, int TM, int TN, int WARPS, int STAGES>
constexpr int small_bytes() {
  return WARPS * STAGES * sizeof(SmallStage<LANES_M * TM, 32 / LANES_M * TN>);
}

template <int LANES_M, int TM, int TN, int WARPS, int DEPTH, int STAGES>
constexpr int thin_bytes() {
  return STAGES * sizeof(ThinStage<WARPS * LANES_M * TM, 32 / LANES_M * TN, DEPTH>);
}

template <int WARPS_M, int WARPS_N, int WARPS_K, int STAGES>
void launch_stream_k(const Gemm<float>& gemm, Stream stream, const Decomposition& split) {
  constexpr int BM = WARPS_M * WM;
  constexpr int BN = WARPS_N * WN;
  constexpr int BK = WARPS_K * 8;
  constexpr int BAND = 4;  // more was not faster
  const unsigned blocks = split.first_split > 0 ? multiprocessors() : split.ranks;
  auto* const flags = static_cast<unsigned*>(
      workspace(stream, kFlagBytes + static_cast<std::size_t>(blocks) * BM * BN * sizeof(float)));
  // Blocks wait for blocks with lower numbers: all must run at the same time, or none.
  launch(kernel<WARPS_M, WARPS_N, WARPS_K, STAGES, BAND>,
         {.grid = dim3(blocks),
          .block = dim3(32 * kProducerWarps + kConsumers),
          .dynamic_shared_bytes = stream_k_bytes<WARPS_M, WARPS_N, WARPS_K, STAGES>(),
          .stream = stream,
          .cooperative = true},
         ptx::make_tensor_map(gemm.B, gemm.K, gemm.N, BK, BN), gemm.M, gemm.N, gemm.K, 1.0f,
         gemm.alpha, gemm.A, gemm.beta, gemm.C, split,
         reinterpret_cast<float4*>(flags + kFlagBytes / sizeof(unsigned)), flags);
}

template <int LANES_M, int TM, int TN, int WARPS, int CLUSTER, int STAGES, int BLOCKS>
void launch_small(const Gemm<float>& gemm, Stream stream, const Decomposition&) {
  constexpr int BM = LANES_M * TM;
  constexpr int BN = 32 / LANES_M * TN;
  constexpr std::size_t kBytes = small_bytes<LANES_M, TM, TN, WARPS, STAGES>();
  static_assert(BLOCKS * (kBytes + kReservedBytes) <= kSharedBytesOfSm);
  launch(small_kernel<LANES_M, TM, TN, WARPS, CLUSTER, STAGES, BLOCKS>,
         {.grid = dim3(CLUSTER * ceil_div(gemm.M, BM) * ceil_div(gemm.N, BN)),
          .block = dim3(32 * WARPS),
          .dynamic_shared_bytes = kBytes,
          .stream = stream,
          .cluster = CLUSTER},
         gemm.M, gemm.N, gemm.K, 1.0f, gemm.alpha, gemm.A, gemm.B, gemm.beta, gemm.C);
}

template <int LANES_M, int TM, int TN, int WARPS, int DEPTH, int STAGES, int BLOCKS>
void launch_thin(const Gemm<float>& gemm, Stream stream, const Decomposition&) {
  constexpr int BM = WARPS * LANES_M * TM;
  constexpr int BN = 32 / LANES_M * TN;
  constexpr std::size_t kBytes = thin_bytes<LANES_M, TM, TN, WARPS, DEPTH, STAGES>();
  static_assert(BLOCKS * (kBytes + kReservedBytes) <= kSharedBytesOfSm);
  launch(thin_kernel<LANES_M, TM, TN, WARPS, DEPTH, STAGES, BLOCKS>,
         {.grid = dim3(ceil_div(gemm.M, BM) * ceil_div(gemm.N, BN)),
          .block = dim3(32 * WARPS),
          .dynamic_shared_bytes = kBytes,
          .stream = stream},
         gemm.M, gemm.N, gemm.K, gemm.alpha, gemm.A, gemm.B, gemm.beta, gemm.C);
}

// A line of the table: the kernel's template arguments, a name, and what the model needs to know.
template <int WARPS_M, int WARPS_N, int WARPS_K, int STAGES>
Configuration stream_k(const char* name, double start_us, double tile_us, double step_us,
                       double part_us) {
  return {.name = name,
          .cluster = 0,
          .BM = WARPS_M * WM,
          .BN = WARPS_N * WN,
          .BK = WARPS_K * 8,
          .blocks = 1,
          .bytes = stream_k_bytes<WARPS_M, WARPS_N, WARPS_K, STAGES>(),
          .start_us = start_us,
          .tile_us = tile_us,
          .step_us = step_us,
          .wait_us = 0,
          .part_us = part_us,
          .fan_in = WARPS_K > 1 ? kFanIn : 0,
          .launch = launch_stream_k<WARPS_M, WARPS_N, WARPS_K, STAGES>};
}

template <int LANES_M, int TM, int TN, int WARPS, int CLUSTER, int STAGES, int BLOCKS>
Configuration small(const char* name, double start_us, double tile_us, double step_us,
                    double wait_us) {
  return {.name = name,
          .cluster = CLUSTER,
          .BM = LANES_M * TM,
          .BN = 32 / LANES_M * TN,
          .BK = CLUSTER * WARPS * 16,
          .blocks = BLOCKS,
          .bytes = small_bytes<LANES_M, TM, TN, WARPS, STAGES>(),
          .start_us = start_us,
          .tile_us = tile_us,
          .step_us = step_us,
          .wait_us = wait_us,
          .part_us = 0,
          .fan_in = 0,
          .launch = launch_small<LANES_M, TM, TN, WARPS, CLUSTER, STAGES, BLOCKS>};
}

template <int LANES_M, int TM, int TN, int WARPS, int DEPTH, int STAGES, int BLOCKS>
Configuration thin(const char* name, double start_us, double tile_us, double step_us,
                   double wait_us) {
  return {.name = name,
          .cluster = 1,
          .BM = WARPS * LANES_M * TM,
          .BN = 32 / LANES_M * TN,
          .BK = DEPTH,
          .blocks = BLOCKS,
          .bytes = thin_bytes<LANES_M, TM, TN, WARPS, DEPTH, STAGES>(),
          .start_us = start_us,
          .tile_us = tile_us,
          .step_us = step_us,
          .wait_us = wait_us,
          .part_us = 0,
          .fan_in = 0,
          .launch = launch_thin<LANES_M, TM, TN, WARPS, DEPTH, STAGES, BLOCKS>};
}

// Microseconds of start, tile, step, and of part (stream_k) or wait (small, thin).
const auto kConfigurations = std::to_array<Configuration>({
    stream_k<2, 4, 1, 8>("128 x 256", 4.18, 2.66, 1.277, 2.59),
    stream_k<2, 2, 2, 8>("128 x 128", 5.35, 2.51, 1.356, 0.84),
    stream_k<1, 2, 4, 6>("64 x 128", 5.55, 1.82, 1.397, 0.55),
    stream_k<1, 1, 8, 5>("64 x 64", 4.77, 1.36, 1.671, 0.46),
    small<8, 7, 12, 4, 1, 3, 2>("56 x 48, small", 1.93, 1.00, 0.874, 0.466),
    small<8, 6, 12, 4, 1, 3, 2>("48 x 48, small", 1.40, 1.08, 0.719, 0.398),
    small<8, 6, 12, 4, 2, 3, 2>("48 x 48, cluster of 2", 3.00, 1.08, 1.041, 0.023),
    small<4, 8, 8, 4, 1, 3, 2>("32 x 64, small", 1.20, 1.33, 0.887, 0.004),
    small<4, 8, 8, 4, 2, 3, 2>("32 x 64, cluster of 2", 2.86, 0.81, 0.942, 0.008),
    small<8, 5, 12, 4, 1, 3, 2>("40 x 48, small", 1.20, 1.04, 0.544, 0.423),
    small<4, 6, 8, 4, 1, 3, 3>("24 x 64, small", 1.50, 0.75, 0.571, 0.217),
    small<4, 6, 8, 4, 4, 3, 3>("24 x 64, cluster of 4", 3.00, 0.42, 0.780, 0.114),
    small<8, 5, 8, 4, 1, 3, 2>("40 x 32, small", 1.79, 0.54, 0.575, 0.103),
    small<16, 4, 8, 4, 2, 4, 2>("64 x 16, cluster of 2", 2.15, 0.41, 0.660, 0.000),
    small<16, 4, 8, 4, 4, 4, 2>("64 x 16, cluster of 4", 2.28, 0.51, 0.747, 0.000),
    small<16, 2, 12, 4, 2, 4, 2>("32 x 24, cluster of 2", 1.53, 0.91, 0.466, 0.002),
    small<16, 2, 12, 4, 4, 4, 2>("32 x 24, cluster of 4", 2.58, 0.14, 0.640, 0.008),
    small<2, 4, 4, 4, 1, 4, 2>("8 x 64, small", 1.20, 0.46, 0.377, 0.001),
    small<2, 4, 4, 4, 2, 4, 2>("8 x 64, cluster of 2", 2.00, 0.32, 0.393, 0.001),
    small<1, 4, 4, 4, 1, 4, 1>("4 x 128, small", 1.20, 0.67, 0.548, 0.000),
    small<16, 4, 4, 4, 1, 4, 2>("64 x 8, small", 1.36, 0.44, 0.349, 0.150),
    small<4, 4, 4, 4, 1, 4, 4>("16 x 32, small", 1.36, 0.39, 0.297, 0.023),
    small<4, 4, 4, 4, 8, 4, 4>("16 x 32, cluster of 8", 3.00, 0.22, 0.295, 0.239),
    small<8, 4, 4, 4, 8, 4, 3>("32 x 16, cluster of 8", 2.98, 0.04, 0.525, 0.000),
    small<2, 2, 4, 4, 4, 5, 2>("4 x 64, cluster of 4", 2.82, 0.01, 0.401, 0.000),
    small<2, 1, 4, 8, 1, 3, 2>("2 x 64, small", 1.30, 0.22, 0.766, 0.000),
    small<8, 1, 4, 8, 1, 6, 2>("8 x 16, small", 1.26, 0.24, 0.390, 0.095),
    small<4, 1, 4, 4, 8, 6, 3>("4 x 32, cluster of 8", 2.77, 0.00, 0.346, 0.000),
    thin<4, 8, 8, 4, 16, 3, 3>("128 x 64, thin", 1.69, 1.04, 0.670, 0.289),
    thin<1, 8, 4, 4, 16, 3, 4>("32 x 128, thin", 1.57, 0.20, 0.414, 0.201),
    thin<2, 8, 4, 4, 16, 3, 4>("64 x 64, thin, 16 of K", 1.74, 0.35, 0.453, 0.055),
    thin<2, 8, 4, 4, 32, 3, 4>("64 x 64, thin, 32 of K", 2.49, 0.36, 0.707, 0.276),
    thin<4, 4, 4, 4, 16, 3, 5>("64 x 32, thin", 1.76, 0.22, 0.221, 0.099),
    thin<1, 4, 4, 4, 32, 3, 4>("16 x 128, thin", 1.54, 0.46, 0.433, 0.141),
});

/// Of the configurations whose blocks get as much shared memory as they need: on compute capability
/// 12.0, a block gets 99 KiB.
std::vector<Plan> plans_here(const Shape& shape) {
  std::vector<Plan> plans = plans_for(kConfigurations, shape, multiprocessors());
  const auto most = static_cast<int>(max_shared_bytes_per_block());
  std::erase_if(plans, [&](const Plan& plan) { return plan.configuration->bytes > most; });
  return plans;
}

}  // namespace

void run(const Gemm<float>& gemm, Stream stream) {
  require_multiple("13 small_products", 'N', gemm.N, 4,
                   "rows of B and C have to be 16-byte aligned");
  require_multiple("13 small_products", 'K', gemm.K, 4, "rows of A are read as float4");
  const std::vector<Plan> plans = plans_here({gemm.M, gemm.N, gemm.K});
  const Plan& plan = quickest(plans);
  plan.configuration->launch(gemm, stream, plan.split);
}

std::string explain(const Shape& shape) {
  const std::vector<Plan> plans = plans_here(shape);
  std::string text = "Rung 13 takes the configuration that its model calls fastest on " +
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
  const std::vector<Plan> plans = plans_here(shape);
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
