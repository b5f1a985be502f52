// SPDX-License-Identifier: MIT
/// \file  ladder/11_stream_k/launch.cu
/// \brief Which kernel and which tile rung 11 takes for a shape, and its launch.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <string>

#include "common/launch.cuh"
#include "common/workspace.hpp"
#include "ladder/11_stream_k/kernel.cuh"
#include "ladder/11_stream_k/schedule.cuh"
#include "ladder/11_stream_k/small_kernel.cuh"

namespace ladder::stream_k {
namespace {

constexpr int WM = 64;
constexpr int WN = 64;
constexpr int kConsumers = 256;
constexpr std::size_t kFlagBytes = 4096;  // a word per block

/// \brief How a problem can be worked on, and what that takes on one SM of an H200. The times were
///        fitted to those of each way for 44 shapes; only their relations matter.
struct Way {
  const char* name;
  int cluster;      ///< small_kernel, with so many blocks for a tile; 0: kernel
  int BM, BN;       ///< block tile
  int round;        ///< of K that is multiplied at a time
  int blocks;       ///< that share an SM
  double start_us;  ///< to start the launch and to end it
  double tile_us;   ///< to begin and to finish a tile
  double round_us;  ///< to multiply one round
  double wait_us;   ///< that a round takes longer, however many blocks share the SM
  double part_us;   ///< to add a part that another block hands over
  void (*launch)(const Gemm<float>&, Stream, const Division&);
};

template <int WARPS_M, int WARPS_N, int WARPS_K, int SLICES>
void launch_stream_k(const Gemm<float>& gemm, Stream stream, const Division& division) {
  constexpr int BM = WARPS_M * WM;
  constexpr int BN = WARPS_N * WN;
  constexpr int BK = WARPS_K * 8;
  constexpr int BAND = 4;  // more was not faster
  constexpr std::size_t kSums = WARPS_K == 1 ? 0 : kConsumers / 32 * WM * WN / 2 * sizeof(float);
  const unsigned blocks = division.first_cut > 0 ? multiprocessors() : division.sharers;
  auto* const flags = static_cast<unsigned*>(
      workspace(stream, kFlagBytes + static_cast<std::size_t>(blocks) * BM * BN * sizeof(float)));
  // Blocks wait for blocks with lower numbers: all of them run at the same time, or none.
  launch(kernel<WARPS_M, WARPS_N, WARPS_K, SLICES, BAND>,
         {.grid = dim3(blocks),
          .block = dim3(128 + kConsumers),
          .dynamic_shared_bytes = SLICES * sizeof(Slice<BM, BN, BK>) + kSums,
          .stream = stream,
          .cooperative = true},
         ptx::make_tensor_map(gemm.B, gemm.K, gemm.N, BK, BN), gemm.M, gemm.N, gemm.K, gemm.alpha,
         gemm.A, gemm.beta, gemm.C, division,
         reinterpret_cast<float4*>(flags + kFlagBytes / sizeof(unsigned)), flags);
}

template <int TM, int TN, int CLUSTER, int BLOCKS>
void launch_small(const Gemm<float>& gemm, Stream stream, const Division&) {
  constexpr int BM = 8 * TM;
  constexpr int BN = 4 * TN;
  constexpr std::size_t kBytes = kSmallWarps * kSmallStages * sizeof(SmallSlice<BM, BN>);
  static_assert(BLOCKS * (kBytes + 1024) <= 228 * 1024, "the shared memory of an SM");
  launch(small_kernel<TM, TN, CLUSTER, BLOCKS>,
         {.grid = dim3(CLUSTER * ceil_div(gemm.M, BM) * ceil_div(gemm.N, BN)),
          .block = dim3(32 * kSmallWarps),
          .dynamic_shared_bytes = kBytes,
          .stream = stream,
          .cluster = CLUSTER},
         gemm.M, gemm.N, gemm.K, gemm.alpha, gemm.A, gemm.B, gemm.beta, gemm.C);
}

// Of kernel, eight consumer warps of 64 x 64 each: all on one k, or on 2, 4, 8 at a time for a
// smaller tile. Of small_kernel, a tile per block, or per cluster that shares K. (32 x 64 was timed
// with registers for three blocks; with those for two it is a few per cent quicker.)
const auto kWays = std::to_array<Way>({
    {"128 x 256", 0, 128, 256, 8, 1, 9.25, 0.00, 1.25, 0.00, 1.20, launch_stream_k<2, 4, 1, 8>},
    {"128 x 128", 0, 128, 128, 16, 1, 5.81, 2.17, 1.375, 0.00, 0.54, launch_stream_k<2, 2, 2, 8>},
    {"64 x 128", 0, 64, 128, 32, 1, 5.50, 1.80, 1.365, 0.00, 0.47, launch_stream_k<1, 2, 4, 6>},
    {"64 x 64", 0, 64, 64, 64, 1, 6.20, 0.00, 1.82, 0.00, 0.43, launch_stream_k<1, 1, 8, 5>},
    {"48 x 48, small", 1, 48, 48, 64, 2, 1.93, 1.02, 0.75, 0.36, 0.00, launch_small<6, 12, 1, 2>},
    {"32 x 64, small", 1, 32, 64, 64, 2, 1.27, 1.03, 0.71, 0.31, 0.00, launch_small<4, 16, 1, 2>},
    {"32 x 32, small", 1, 32, 32, 64, 4, 1.76, 0.45, 0.41, 0.17, 0.00, launch_small<4, 8, 1, 4>},
    {"32 x 32, cluster of 2", 2, 32, 32, 128, 4, 2.31, 0.70, 0.37, 0.20, 0.00,
     launch_small<4, 8, 2, 4>},
    {"32 x 32, cluster of 8", 8, 32, 32, 512, 4, 3.50, 0.73, 0.33, 0.56, 0.00,
     launch_small<4, 8, 8, 4>},
});

/// One way for one shape, and the time that it should take.
struct Plan {
  const Way* way;
  Division division;
  double us;
  long long tiles;
  int cut;  ///< tiles whose K is shared by blocks of the grid
};

/// How many parts the first of a tile's sharers adds one after the other: see add_blocks().
int parts_in_turn(const Way& way, int sharers) {
  const bool tree = way.BM * way.BN < kConsumers / 32 * WM * WN;  // warps share K as well
  if (!tree) return sharers - 1;
  int parts = 0;
  for (; sharers > 1; sharers = ceil_div(sharers, kFanIn)) {
    parts += std::min(sharers, kFanIn) - 1;
  }
  return parts;
}

Plan plan_for(const Way& way, const Shape& shape, int sms) {
  // Of arrays that fit no GPU there may be more tiles than an int counts; explain() shows them.
  const long long tiles =
      static_cast<long long>(ceil_div(shape.M, way.BM)) * ceil_div(shape.N, way.BN);
  const int rounds = ceil_div(shape.K, way.round);
  Plan plan = {&way, {}, way.start_us, tiles, 0};
  if (way.cluster > 0) {
    const double blocks_per_sm = std::ceil(static_cast<double>(tiles) * way.cluster / sms);
    plan.us += blocks_per_sm * (rounds * way.round_us + way.tile_us) +
               std::ceil(blocks_per_sm / way.blocks) * rounds * way.wait_us;
    return plan;
  }
  const long long whole = tiles / sms;
  const int cut = static_cast<int>(tiles % sms);
  plan.division = {rounds, static_cast<int>(whole * sms), 1, 0, 0};
  plan.us += whole * (rounds * way.round_us + way.tile_us);
  if (cut > 0) {
    // More sharers multiply less each and hand over more.
    const long long all = static_cast<long long>(cut) * rounds;
    double best_us = 0;
    int best = cut;
    for (int sharers = cut; sharers <= std::min<long long>(sms, all); ++sharers) {
      const double us = std::ceil(static_cast<double>(all) / sharers) * way.round_us + way.tile_us +
                        parts_in_turn(way, ceil_div(sharers, cut)) * way.part_us;
      if (sharers > cut && us >= best_us) continue;
      best_us = us;
      best = sharers;
    }
    plan.division.sharers = best;
    plan.division.share = static_cast<int>(all / best);
    plan.division.longer = static_cast<int>(all % best);
    plan.us += best_us;
    plan.cut = best > cut ? cut : 0;  // as many blocks as tiles have one tile each
  }
  return plan;
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
  constexpr const char* kHeading = "   %-22s %8s %7s %6s %7s %9s\n";
  std::snprintf(line, sizeof line, kHeading, "tile", "tiles", "rounds", "cut", "sharers", "us");
  text += line;
  for (const Plan& plan : plans) {
    std::snprintf(line, sizeof line, "%s %-22s %8lld %7d %6d %7d %9.4g\n",
                  &plan == &quickest(plans) ? "->" : "  ", plan.way->name, plan.tiles,
                  ceil_div(shape.K, plan.way->round), plan.cut,
                  plan.cut > 0 ? plan.division.sharers : 0, plan.us);
    text += line;
  }
  return text +
         "rounds: of K, for a tile. cut: tiles whose K is cut. sharers: blocks that share\n"
         "these tiles. us: what the model expects.\n";
}

}  // namespace ladder::stream_k
