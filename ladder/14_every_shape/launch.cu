// SPDX-License-Identifier: MIT
/// \file  ladder/14_every_shape/launch.cu
/// \brief The configurations of rung 14 and their launches.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <string>

#include "common/launch.cuh"
#include "common/work_plan.hpp"
#include "common/workspace.hpp"
#include "ladder/14_every_shape/kernel.cuh"
#include "ladder/14_every_shape/plan.hpp"
#include "ladder/14_every_shape/small_kernel.cuh"
#include "ladder/14_every_shape/thin_kernel.cuh"

namespace ladder::every_shape {
namespace {

constexpr int WM = 64;
constexpr int WN = 64;
constexpr std::size_t kFlagBytes = 4096;  // a word per block
constexpr std::size_t kSharedBytesOfSm = 228 * 1024;
constexpr int kMostBlocks = 8;                // of a cluster, on any GPU
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
void launch_stream_k(const Gemm<float>& gemm, Stream stream, const Plan& plan) {
  constexpr int BM = WARPS_M * WM;
  constexpr int BN = WARPS_N * WN;
  constexpr int BK = WARPS_K * 8;
  constexpr int BAND = 4;  // chosen by hand
  const Decomposition& split = plan.split;
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
void launch_small(const Gemm<float>& gemm, Stream stream, const Plan&) {
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
void launch_thin(const Gemm<float>& gemm, Stream stream, const Plan&) {
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
          .cluster = 1,
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
          .fan_in = WARPS_K > 1 ? kFanIn : 1,
          .launch = launch_stream_k<WARPS_M, WARPS_N, WARPS_K, STAGES>};
}

template <int LANES_M, int TM, int TN, int WARPS, int STAGES, int BLOCKS>
Configuration small(const char* name, double start_us, double tile_us, double step_us,
                    double wait_us) {
  return {.name = name,
          .cluster = 1,
          .BM = LANES_M * TM,
          .BN = 32 / LANES_M * TN,
          .BK = WARPS * 16,
          .blocks = BLOCKS,
          .bytes = small_bytes<LANES_M, TM, TN, WARPS, STAGES>(),
          .start_us = start_us,
          .tile_us = tile_us,
          .step_us = step_us,
          .wait_us = wait_us,
          .part_us = 0,
          .fan_in = 0,
          .launch = launch_small<LANES_M, TM, TN, WARPS, 1, STAGES, BLOCKS>};
}

template <int LANES_M, int TM, int TN, int WARPS, int STAGES, int BLOCKS>
Configuration clusters(const char* name, double start_us, double tile_us, double step_us,
                       double wait_us, double part_us) {
  Configuration configuration =
      small<LANES_M, TM, TN, WARPS, STAGES, BLOCKS>(name, start_us, tile_us, step_us, wait_us);
  configuration.cluster = kMostBlocks;
  configuration.part_us = part_us;
  configuration.launch = [](const Gemm<float>& gemm, Stream stream, const Plan& plan) {
    const auto launch_it =
        plan.cluster == 8   ? launch_small<LANES_M, TM, TN, WARPS, 8, STAGES, BLOCKS>
        : plan.cluster == 4 ? launch_small<LANES_M, TM, TN, WARPS, 4, STAGES, BLOCKS>
                            : launch_small<LANES_M, TM, TN, WARPS, 2, STAGES, BLOCKS>;
    launch_it(gemm, stream, plan);
  };
  return configuration;
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

// Microseconds of start, tile and step, and of part (stream_k), wait (small, thin), or both
// (clusters).
const auto kConfigurations = std::to_array<Configuration>({
    stream_k<2, 4, 1, 8>("128 x 256", 7.080, 1.421, 1.184, 2.795),
    stream_k<2, 2, 2, 8>("128 x 128", 5.292, 2.624, 1.253, 0.848),
    stream_k<1, 2, 4, 6>("64 x 128", 5.292, 2.165, 1.285, 0.447),
    stream_k<1, 1, 8, 5>("64 x 64", 4.917, 2.738, 1.467, 0.454),
    small<8, 6, 12, 4, 3, 2>("48 x 48", 0.291, 2.127, 0.529, 0.640),
    small<4, 8, 8, 4, 3, 2>("32 x 64", 0.000, 2.070, 0.526, 0.371),
    small<4, 6, 8, 4, 3, 3>("24 x 64", 1.220, 0.848, 0.551, 0.178),
    small<8, 5, 8, 4, 3, 2>("40 x 32", 0.958, 0.980, 0.512, 0.181),
    small<16, 4, 8, 4, 4, 2>("64 x 16", 1.372, 0.387, 0.589, 0.150),
    small<2, 4, 4, 4, 4, 2>("8 x 64", 1.131, 0.254, 0.327, 0.076),
    small<1, 4, 4, 4, 4, 1>("4 x 128", 0.000, 1.285, 0.314, 0.276),
    small<16, 4, 4, 4, 4, 2>("64 x 8", 1.168, 0.311, 0.377, 0.135),
    small<4, 4, 4, 4, 4, 4>("16 x 32", 1.626, 0.131, 0.312, 0.000),
    small<2, 1, 4, 8, 3, 2>("2 x 64", 0.942, 0.232, 0.531, 0.031),
    small<1, 1, 4, 4, 3, 2>("1 x 128", 0.910, 0.251, 0.603, 0.000),
    small<8, 1, 4, 8, 6, 2>("8 x 16", 0.788, 0.398, 0.406, 0.000),
    clusters<4, 6, 8, 4, 3, 3>("24 x 64, clusters", 0.743, 1.391, 0.445, 0.487, 0.365),
    clusters<8, 5, 8, 4, 3, 2>("40 x 32, clusters", 2.789, 0.999, 0.482, 0.136, 0.229),
    clusters<16, 2, 12, 4, 4, 2>("32 x 24, clusters", 2.409, 0.842, 0.475, 0.000, 0.000),
    clusters<2, 4, 4, 4, 4, 2>("8 x 64, clusters", 1.616, 1.004, 0.370, 0.000, 0.060),
    clusters<16, 4, 4, 4, 4, 2>("64 x 8, clusters", 0.259, 2.273, 0.511, 0.029, 0.066),
    clusters<4, 4, 4, 4, 4, 4>("16 x 32, clusters", 1.649, 0.869, 0.260, 0.063, 0.117),
    clusters<8, 4, 4, 4, 4, 3>("32 x 16, clusters", 1.340, 1.167, 0.360, 0.018, 0.081),
    clusters<4, 1, 4, 4, 6, 3>("4 x 32, clusters", 1.642, 0.559, 0.204, 0.054, 0.063),
    thin<1, 8, 4, 4, 16, 3, 4>("32 x 128, thin", 1.308, 0.211, 0.383, 0.140),
    thin<2, 8, 8, 4, 16, 3, 3>("64 x 128, thin", 1.061, 0.631, 0.504, 0.767),
    thin<4, 8, 4, 4, 16, 3, 4>("128 x 32, thin", 1.218, 0.481, 0.437, 0.167),
    thin<2, 8, 4, 4, 16, 3, 4>("64 x 64, thin, 16 of K", 1.220, 0.321, 0.367, 0.268),
    thin<2, 8, 4, 4, 32, 3, 4>("64 x 64, thin, 32 of K", 1.356, 0.287, 0.739, 0.356),
    thin<4, 4, 4, 4, 16, 3, 5>("64 x 32, thin", 1.038, 0.328, 0.187, 0.200),
    thin<1, 4, 4, 4, 32, 3, 4>("16 x 128, thin", 1.230, 0.264, 0.615, 0.000),
});

/// Of the configurations whose blocks get as much shared memory as they need: on compute capability
/// 12.0, a block gets 99 KiB.
std::vector<Plan> plans_here(const Shape& shape) {
  std::vector<Plan> plans =
      plans_for(kConfigurations, shape, {multiprocessors(), dram_bytes_per_us()});
  const auto most = static_cast<int>(max_shared_bytes_per_block());
  std::erase_if(plans, [&](const Plan& plan) { return plan.configuration->bytes > most; });
  return plans;
}

}  // namespace

void run(const Gemm<float>& gemm, Stream stream) {
  require_multiple("14 every_shape", 'N', gemm.N, 4, "rows of B and C have to be 16-byte aligned");
  require_multiple("14 every_shape", 'K', gemm.K, 4, "rows of A are read as float4");
  const std::vector<Plan> plans = plans_here({gemm.M, gemm.N, gemm.K});
  const Plan& plan = quickest(plans);
  plan.configuration->launch(gemm, stream, plan);
}

std::string explain(const Shape& shape) {
  const std::vector<Plan> plans = plans_here(shape);
  std::string text = "Rung 14 takes the configuration that its model calls fastest on " +
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
                     .BK = c.BK * plan.cluster,
                     .blocks_per_sm = c.blocks,
                     .cluster = plan.cluster,
                     .taken = &plan == &quickest(plans),
                     .tiles = plan.tiles,
                     .k_tiles = plan.k_tiles,
                     .whole_tiles = shared ? plan.split.first_split : plan.tiles,
                     .ranks = shared ? plan.split.ranks : 0,
                     .share = plan.split.share,
                     .longer = plan.split.longer,
                     .fan_in = c.fan_in,
                     .expected_us = plan.us,
                     .launch = [plan](const Gemm<float>& gemm, Stream stream) {
                       plan.configuration->launch(gemm, stream, plan);
                     }});
  }
  return found;
}

}  // namespace ladder::every_shape
