// SPDX-License-Identifier: MIT
/// \file  bench/labs/instruments/gpu_reads.cu
/// \brief How long patterns of reads take on a GPU.
#include "bench/labs/instruments/gpu_reads.cuh"

#include <algorithm>
#include <numeric>

#include "bench/labs/questions/kernels/global_reads.cuh"
#include "common/launch.cuh"

namespace ladder::labs {
namespace {

constexpr unsigned kNever = 0x5EEDFACEu;
constexpr unsigned kThreads = 512;
constexpr unsigned kBlocksPerSm = 4;
/// Groups of 32 places that one sample reads at least, where the data stays in a cache.
constexpr unsigned kLeastWarps = 1u << 22;

/// \brief How far a warp goes on from one group of 32 places to its next: through all groups, and
///        far enough that an SM meets the same line only when it has long left its L1.
unsigned spread_advance(unsigned groups) {
  constexpr double kGoldenSection = 0.6180339887;
  auto step = static_cast<unsigned>(kGoldenSection * groups);
  while (std::gcd(step, groups) != 1)
    ++step;
  return step % groups * kWarpLanes;
}

/// Bytes of the region; of L1, those of each block.
std::uint64_t bytes_for(Home home, const MemoryFacts& facts) {
  switch (home) {
    case Home::l1:
      return facts.l1_bytes / 2;
    case Home::l2:
      // What both halves of an L2 read, both may keep.
      return facts.l2_bytes / 3;
    default:
      return std::min(std::uint64_t{4} << 30, facts.free_bytes / 2);
  }
}

}  // namespace

std::vector<double> GpuReads::ns(const AccessPattern& pattern, Home home, int repeats) {
  const bool own = home == Home::l1;
  const auto sms = static_cast<unsigned>(facts_.sms);
  constexpr std::uint64_t kLine = 128;
  const std::uint64_t bytes = bytes_for(home, facts_) / kLine * kLine;
  const LaunchShape shape = {.grid = dim3(own ? sms : sms * kBlocksPerSm),
                             .block = dim3(own ? 2 * kThreads : kThreads),
                             .stream = stopwatch_.stream()};
  const unsigned threads = shape.grid.x * shape.block.x;
  kernels::ReadPlan plan = {.pattern = pattern,
                            .places = places_in(pattern, bytes),
                            .lanes = 0,
                            .advance = 0,
                            .reads = 0,
                            .block_bytes = own ? bytes : 0};
  plan.lanes = plan.places;
  if (home == Home::dram) {  // each place once
    plan.advance = threads;
    plan.reads = static_cast<int>(plan.lanes / threads);
  } else {
    plan.advance = spread_advance(plan.lanes / kWarpLanes);
    plan.reads = static_cast<int>(kLeastWarps / (threads / kWarpLanes));
  }
  const char* const region = region_.of_bytes(own ? sms * bytes : bytes);
  const GpuArray<unsigned> sink(1);
  const auto kernel = kernels::read_kernel(pattern);
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout,
                             cudaSharedmemCarveoutMaxL1));
  const double warps = static_cast<double>(threads) / kWarpLanes * plan.reads;
  std::vector<double> ns;
  for (int repeat = -1; repeat < repeats; ++repeat) {
    const double ms =
        stopwatch_.time_ms([&] { launch(kernel, shape, region, plan, kNever, sink.data()); });
    if (repeat >= 0) ns.push_back(ms * 1e6 / warps);  // the first one warms up
  }
  return ns;
}

}  // namespace ladder::labs
