// SPDX-License-Identifier: MIT
/// \file  ladder/13_shared_k/launch.cu
/// \brief Three tiles, the rule that chooses among them, and their launches.
#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <string>

#include "common/launch.cuh"
#include "common/work_plan.hpp"
#include "common/workspace.hpp"
#include "ladder/13_shared_k/kernel.cuh"
#include "ladder/13_shared_k/small_kernel.cuh"

namespace ladder::shared_k {
namespace {

constexpr int WM = 64;
constexpr int WN = 64;
constexpr std::size_t kFlagBytes = 4096;  // a word per block
constexpr std::size_t kSharedBytesOfSm = 228 * 1024;
constexpr std::size_t kReservedBytes = 1024;  // what CUDA takes of shared memory for each block
constexpr int kMostBlocks = 8;                // of a cluster, on any GPU
// From here on there is so much K for the stages of a ring that filling it does not count.
constexpr int kDeepK = 512;
constexpr int kMuchWork = 96;  // k tiles of 128 x 256 x 8 for each SM

/// What is done for one shape.
struct Work {
  Decomposition split;  ///< for stream-K
  int cluster;          ///< blocks that share a tile's K from the start
};

/// A kernel with its tile.
struct Configuration {
  const char* name;
  int BM, BN, BK;  ///< block tile, and the values of k that a block multiplies at a time
  int blocks;      ///< blocks that share an SM
  int bytes;       ///< of shared memory, of a block
  int fan_in;      ///< of the tree in which peers add; 1: the first adds all; 0: no stream-K
  bool (*suits)(const Shape&, int sms);
  Work (*work)(const Shape&, int sms);
  void (*launch)(const Gemm<float>&, Stream, const Work&);
};

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

template <int WARPS_M, int WARPS_N, int WARPS_K, int STAGES>
void launch_stream_k(const Gemm<float>& gemm, Stream stream, const Work& work) {
  constexpr int BM = WARPS_M * WM;
  constexpr int BN = WARPS_N * WN;
  constexpr int BK = WARPS_K * 8;
  constexpr int BAND = 4;  // chosen by hand
  const Decomposition& split = work.split;
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
void launch_small(const Gemm<float>& gemm, Stream stream, const Work&) {
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

long long tiles_of(const Shape& shape, int BM, int BN) {
  return static_cast<long long>(ceil_div(shape.M, BM)) * ceil_div(shape.N, BN);
}

/// \brief Splits tiles among blocks: see decompose(). To add a partial tile of 128 x 256 takes
///        about as long as a k tile, as in rung 12; one that is a fourth of that takes a fourth.
template <int WARPS_M, int WARPS_N, int WARPS_K>
Work split_of(const Shape& shape, int sms) {
  const auto cost = [](int k_tiles, int peers) {
    return WARPS_K * k_tiles + parts_in_turn(WARPS_K > 1 ? kFanIn : 1, peers);
  };
  return {decompose(tiles_of(shape, WARPS_M * WM, WARPS_N * WN), ceil_div(shape.K, WARPS_K * 8),
                    sms, cost),
          0};
}

/// \brief As many blocks for each tile as SMs have no tile, but none without K: 1, 2, 4 or 8, which
///        fill the SMs of a GPC.
template <int BM, int BN, int BK>
Work cluster_of(const Shape& shape, int sms) {
  const long long per_tile = sms / tiles_of(shape, BM, BN);
  const int most = std::min(kMostBlocks, ceil_div(shape.K, BK));
  const auto blocks = static_cast<unsigned>(std::clamp<long long>(per_tile, 1, most));
  return {{}, static_cast<int>(std::bit_floor(blocks))};
}

/// \brief Splitting tiles costs little: there is at least one for every four SMs, or much K for
///        each SM. And rows fill more than half of a tile.
template <int BM, int BN, int BK>
bool splits_cheaply(const Shape& shape, int sms) {
  const long long tiles = tiles_of(shape, BM, BN);
  const bool is_much = tiles * ceil_div(shape.K, BK) >= static_cast<long long>(kMuchWork) * sms;
  return 2 * shape.M > BM && (4 * tiles >= sms || is_much);
}

bool has_deep_k(const Shape& shape, int) {
  return shape.K > kDeepK;
}

bool has_anything(const Shape&, int) {
  return true;
}

template <int WARPS_M, int WARPS_N, int WARPS_K, int STAGES>
Configuration stream_k(const char* name, bool (*suits)(const Shape&, int)) {
  return {.name = name,
          .BM = WARPS_M * WM,
          .BN = WARPS_N * WN,
          .BK = WARPS_K * 8,
          .blocks = 1,
          .bytes = stream_k_bytes<WARPS_M, WARPS_N, WARPS_K, STAGES>(),
          .fan_in = WARPS_K > 1 ? kFanIn : 1,
          .suits = suits,
          .work = split_of<WARPS_M, WARPS_N, WARPS_K>,
          .launch = launch_stream_k<WARPS_M, WARPS_N, WARPS_K, STAGES>};
}

template <int LANES_M, int TM, int TN, int WARPS, int STAGES, int BLOCKS>
Configuration small(const char* name, bool (*suits)(const Shape&, int)) {
  constexpr int BM = LANES_M * TM;
  constexpr int BN = 32 / LANES_M * TN;
  return {.name = name,
          .BM = BM,
          .BN = BN,
          .BK = WARPS * 16,
          .blocks = BLOCKS,
          .bytes = small_bytes<LANES_M, TM, TN, WARPS, STAGES>(),
          .fan_in = 0,
          .suits = suits,
          .work = cluster_of<BM, BN, WARPS * 16>,
          .launch = [](const Gemm<float>& gemm, Stream stream, const Work& work) {
            const auto launch_it =
                work.cluster == 8   ? launch_small<LANES_M, TM, TN, WARPS, 8, STAGES, BLOCKS>
                : work.cluster == 4 ? launch_small<LANES_M, TM, TN, WARPS, 4, STAGES, BLOCKS>
                : work.cluster == 2 ? launch_small<LANES_M, TM, TN, WARPS, 2, STAGES, BLOCKS>
                                    : launch_small<LANES_M, TM, TN, WARPS, 1, STAGES, BLOCKS>;
            launch_it(gemm, stream, work);
          }};
}

// The first one that suits a shape is taken, if a block gets as much shared memory as it needs: on
// compute capability 12.0, that is 99 KiB.
const auto kConfigurations = std::to_array<Configuration>({
    stream_k<2, 4, 1, 8>("128 x 256", splits_cheaply<128, 256, 8>),
    stream_k<1, 2, 4, 6>("64 x 128", has_deep_k),
    small<4, 8, 8, 4, 3, 2>("32 x 64", has_anything),
});

const Configuration& taken_for(const Shape& shape, int sms) {
  const auto most = static_cast<int>(max_shared_bytes_per_block());
  const auto suits = [&](const Configuration& c) { return c.suits(shape, sms) && c.bytes <= most; };
  const auto* found = std::ranges::find_if(kConfigurations, suits);
  return found == kConfigurations.end() ? kConfigurations.back() : *found;
}

}  // namespace

void run(const Gemm<float>& gemm, Stream stream) {
  require_multiple("13 shared_k", 'N', gemm.N, 4, "rows of B and C have to be 16-byte aligned");
  require_multiple("13 shared_k", 'K', gemm.K, 4, "rows of A are read as float4");
  const Shape shape = {gemm.M, gemm.N, gemm.K};
  const int sms = multiprocessors();
  const Configuration& taken = taken_for(shape, sms);
  taken.launch(gemm, stream, taken.work(shape, sms));
}

std::string explain(const Shape& shape) {
  const int sms = multiprocessors();
  const Configuration& taken = taken_for(shape, sms);
  return "Rung 13 takes tiles of " + std::string(taken.name) + " on " + std::to_string(sms) +
         " SMs: 128 x 256 where\nrows fill more than half of such a tile and there is one for "
         "every four SMs, "
         "or\nmuch K for each; else 64 x 128 where K is more than " +
         std::to_string(kDeepK) + ", else 32 x 64.\n";
}

std::vector<WorkPlan> plans(const Shape& shape) {
  const int sms = multiprocessors();
  std::vector<WorkPlan> found;
  const auto most = static_cast<int>(max_shared_bytes_per_block());
  for (const Configuration& c : kConfigurations) {
    if (c.bytes > most) continue;
    const Work work = c.work(shape, sms);
    const bool splits = work.cluster == 0;
    const int BK = splits ? c.BK : c.BK * work.cluster;
    const long long tiles = tiles_of(shape, c.BM, c.BN);
    found.push_back({.name = c.name,
                     .tile = {c.BM, c.BN},
                     .BK = BK,
                     .blocks_per_sm = c.blocks,
                     .cluster = std::max(work.cluster, 1),
                     .taken = &c == &taken_for(shape, sms),
                     .tiles = tiles,
                     .k_tiles = ceil_div(shape.K, BK),
                     .whole_tiles = splits ? work.split.first_split : tiles,
                     .ranks = work.split.ranks,
                     .share = work.split.share,
                     .longer = work.split.longer,
                     .fan_in = c.fan_in,
                     .expected_us = 0,
                     .launch = [&c, work](const Gemm<float>& gemm, Stream stream) {
                       c.launch(gemm, stream, work);
                     }});
  }
  return found;
}

}  // namespace ladder::shared_k
