// SPDX-License-Identifier: MIT
/// \file  ladder/11_stream_k/launch.cu
/// \brief Which kernel and which tile rung 11 takes for a shape, and its launch.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <string>

#include "common/launch.cuh"
#include "common/workspace.hpp"
#include "ladder/11_stream_k/cluster_kernel.cuh"
#include "ladder/11_stream_k/kernel.cuh"
#include "ladder/11_stream_k/schedule.cuh"

namespace ladder::stream_k {
namespace {

constexpr int WM = 64;
constexpr int WN = 64;
constexpr int kConsumers = 256;
constexpr int kThreads = 128 + kConsumers;
constexpr std::size_t kFlagBytes = 4096;  // a word per block

/// \brief How a problem can be worked on, and what that takes on one SM of an H200. The times were
///        fitted to those of each way for all shapes of the benchmark; only their relations matter.
struct Way {
  const char* name;
  bool cluster;     ///< cluster_kernel, else kernel
  int BM, BN;       ///< block tile
  int round;        ///< of K that is filled at a time
  double start_us;  ///< to start the launch and to end it
  double round_us;  ///< to multiply one round
  double tile_us;   ///< to begin and to finish a tile
  double part_us;   ///< to add a part that another block hands over
  void (*launch)(const Gemm<float>&, Stream, const Division&);
};

template <int WARPS_M, int WARPS_N, int WARPS_K, int SLICES>
void launch_stream_k(const Gemm<float>& gemm, Stream stream, const Division& division) {
  constexpr int BM = WARPS_M * WM;
  constexpr int BN = WARPS_N * WN;
  constexpr int BK = WARPS_K * 8;
  constexpr int BAND = 4;  // more was not faster: L2 holds what 132 blocks read at a time
  constexpr std::size_t kSums = WARPS_K == 1 ? 0 : kConsumers / 32 * WM * WN * sizeof(float);
  const unsigned blocks = division.first_cut > 0 ? multiprocessors() : division.sharers;
  auto* const flags = static_cast<unsigned*>(
      workspace(stream, kFlagBytes + static_cast<std::size_t>(blocks) * BM * BN * sizeof(float)));
  // Blocks wait for blocks with lower numbers: all of them run at the same time, or none.
  launch(kernel<WARPS_M, WARPS_N, WARPS_K, SLICES, BAND>,
         {.grid = dim3(blocks),
          .block = dim3(kThreads),
          .dynamic_shared_bytes = SLICES * sizeof(Slice<BM, BN, BK>) + kSums,
          .stream = stream,
          .cooperative = true},
         ptx::make_tensor_map(gemm.B, gemm.K, gemm.N, BK, BN), gemm.M, gemm.N, gemm.K, gemm.alpha,
         gemm.A, gemm.beta, gemm.C, division,
         reinterpret_cast<float4*>(flags + kFlagBytes / sizeof(unsigned)), flags);
}

template <int WARPS_M, int WARPS_N, int WARPS_K, int SLICES>
void launch_cluster(const Gemm<float>& gemm, Stream stream, const Division&) {
  constexpr int BM = WARPS_M * WM;
  constexpr int BN = WARPS_N * WN;
  constexpr int BK = WARPS_K * 8;
  constexpr std::size_t kSums = (kConsumers / 32 * WM * WN + BM * BN) * sizeof(float);
  launch(cluster_kernel<WARPS_M, WARPS_N, WARPS_K, SLICES>,
         {.grid = dim3(2 * ceil_div(gemm.M, BM) * ceil_div(gemm.N, BN)),
          .block = dim3(kThreads),
          .dynamic_shared_bytes = std::max(SLICES * sizeof(Slice<BM, BN, BK>), kSums),
          .stream = stream,
          .cluster = 2},
         ptx::make_tensor_map(gemm.B, gemm.K, gemm.N, BK, BN), gemm.M, gemm.N, gemm.K, gemm.alpha,
         gemm.A, gemm.beta, gemm.C);
}

// Eight consumer warps of 64 x 64 each: all on one k, or on 2, 4, 8 at a time for a smaller tile.
const auto kWays = std::to_array<Way>({
    {"128 x 256", false, 128, 256, 16, 7.8, 2.53, 0.0, 0.96, launch_stream_k<2, 4, 1, 8>},
    {"128 x 128", false, 128, 128, 32, 7.7, 2.70, 0.0, 0.60, launch_stream_k<2, 2, 2, 6>},
    {"64 x 128", false, 64, 128, 64, 4.7, 2.90, 1.7, 0.32, launch_stream_k<1, 2, 4, 4>},
    {"64 x 64", false, 64, 64, 64, 5.2, 1.70, 1.0, 0.22, launch_stream_k<1, 1, 8, 3>},
    {"128 x 128, K halved in a cluster", true, 128, 128, 16, 1.3, 1.35, 5.1, 0.0,
     launch_cluster<2, 2, 2, 12>},
    {"64 x 64, K halved in a cluster", true, 64, 64, 64, 1.6, 1.50, 4.4, 0.0,
     launch_cluster<1, 1, 8, 6>},
});

/// One way for one shape, and the time that it should take.
struct Plan {
  const Way* way;
  Division division;
  double us;
};

Plan plan_for(const Way& way, const Shape& shape, int sms) {
  const int tiles = ceil_div(shape.M, way.BM) * ceil_div(shape.N, way.BN);
  const int rounds = ceil_div(shape.K, way.round);
  if (way.cluster) {
    const int waves = ceil_div(tiles, std::max(sms / 2, 1));
    return {&way, {}, way.start_us + waves * (ceil_div(rounds, 2) * way.round_us + way.tile_us)};
  }
  const int whole = tiles / sms;
  const int cut = tiles - whole * sms;
  Division division = {rounds, whole * sms, 1, 0, 0};
  double us = way.start_us + whole * (rounds * way.round_us + way.tile_us);
  if (cut > 0) {
    // More sharers multiply less each and hand over more.
    double best_us = 0;
    const int most =
        static_cast<int>(std::min<long long>(sms, static_cast<long long>(cut) * rounds));
    for (int sharers = cut; sharers <= most; ++sharers) {
      const int share = ceil_div(cut * rounds, sharers);
      const double cut_us =
          share * way.round_us + way.tile_us + (ceil_div(sharers, cut) - 1) * way.part_us;
      if (sharers > cut && cut_us >= best_us) continue;
      best_us = cut_us;
      division.sharers = sharers;
    }
    division.share = cut * rounds / division.sharers;
    division.longer = cut * rounds % division.sharers;
    us += best_us;
  }
  return {&way, division, us};
}

std::array<Plan, kWays.size()> plans_for(const Shape& shape) {
  std::array<Plan, kWays.size()> plans;
  for (std::size_t i = 0; i < plans.size(); ++i) {
    plans[i] = plan_for(kWays[i], shape, multiprocessors());
  }
  return plans;
}

template <class Plans>
const Plan& quickest(const Plans& plans) {
  return *std::min_element(plans.begin(), plans.end(),
                           [](const Plan& a, const Plan& b) { return a.us < b.us; });
}

}  // namespace

void run(const Gemm<float>& gemm, Stream stream) {
  require_multiple("11 stream_k", 'N', gemm.N, 4, "rows of B and C have to be 16-byte aligned");
  require_multiple("11 stream_k", 'K', gemm.K, 4, "rows of A are read as float4");
  const auto plans = plans_for({gemm.M, gemm.N, gemm.K});
  const Plan& plan = quickest(plans);
  plan.way->launch(gemm, stream, plan.division);
}

std::string explain(const Shape& shape) {
  const auto plans = plans_for(shape);
  std::string text = "Rung 11 takes the way that its model calls quickest on " +
                     std::to_string(multiprocessors()) + " SMs:\n";
  char line[160];
  constexpr const char* kHeading = "   %-32s %8s %7s %6s %7s %9s\n";
  std::snprintf(line, sizeof line, kHeading, "tile", "tiles", "rounds", "cut", "sharers", "us");
  text += line;
  for (const Plan& plan : plans) {
    const Way& way = *plan.way;
    const int tiles = ceil_div(shape.M, way.BM) * ceil_div(shape.N, way.BN);
    const int last = tiles - plan.division.first_cut;
    const bool cut = plan.division.sharers > last;  // as many blocks as tiles have one tile each
    std::snprintf(line, sizeof line, "%s %-32s %8d %7d %6d %7d %9.1f\n",
                  &plan == &quickest(plans) ? "->" : "  ", way.name, tiles,
                  ceil_div(shape.K, way.round), cut ? last : 0, cut ? plan.division.sharers : 0,
                  plan.us);
    text += line;
  }
  return text +
         "rounds: of K, for a tile. cut: tiles whose K is cut. sharers: blocks that share\n"
         "these tiles. us: what the model expects.\n";
}

}  // namespace ladder::stream_k
