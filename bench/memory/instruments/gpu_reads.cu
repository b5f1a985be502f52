// SPDX-License-Identifier: MIT
/// \file  bench/memory/instruments/gpu_reads.cu
/// \brief How long patterns of reads take on a GPU.
#include "bench/memory/instruments/gpu_reads.cuh"

#include <algorithm>

#include "bench/memory/labs/kernels/global_reads.cuh"
#include "common/launch.cuh"

namespace ladder::labs {
namespace {

constexpr unsigned kNever = 0x5EEDFACEu;
constexpr unsigned kThreads = 512;
constexpr unsigned kBlocksPerSm = 4;
constexpr unsigned kBlockShift = 61;  // a prime: each pass brings an SM other blocks' places
/// Groups of 32 places that one sample reads at least, where they fit a cache.
constexpr std::uint64_t kLeastWarps = std::uint64_t{1} << 22;

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
  kernels::ReadPlan plan = {.pattern = pattern,
                            .places = places_in(pattern, bytes),
                            .reads = 0,
                            .passes = 1,
                            .block_shift = home == Home::l2 ? kBlockShift : 0,
                            .block_bytes = own ? bytes : 0};
  plan.reads = plan.places;
  const char* const region = region_.of_bytes(own ? sms * bytes : bytes);
  const GpuArray<unsigned> sink(1);
  const auto kernel = kernels::read_kernel(pattern);
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout,
                             cudaSharedmemCarveoutMaxL1));
  const LaunchShape shape = {.grid = dim3(own ? sms : sms * kBlocksPerSm),
                             .block = dim3(own ? 2 * kThreads : kThreads),
                             .stream = stopwatch_.stream()};
  const std::uint64_t pass_warps = plan.reads / kWarpLanes * (own ? sms : 1);
  const auto run = [&](int passes) {
    plan.passes = passes;
    return stopwatch_.time_ms([&] { launch(kernel, shape, region, plan, kNever, sink.data()); });
  };
  run(2);
  const auto passes = home == Home::dram
                          ? 1
                          : static_cast<int>(std::max<std::uint64_t>(kLeastWarps / pass_warps, 2));
  std::vector<double> ns;
  for (int repeat = 0; repeat < repeats; ++repeat)
    ns.push_back(run(passes) * 1e6 / (static_cast<double>(pass_warps) * passes));
  return ns;
}

}  // namespace ladder::labs
