// SPDX-License-Identifier: MIT
/// \file  bench/benchmark/roofs.cu
/// \brief Measures the roofs of a GPU.
#include <algorithm>
#include <bit>

#include "bench/benchmark/roof_kernels.cuh"
#include "bench/benchmark/roof_work.hpp"
#include "bench/benchmark/roofs.hpp"
#include "common/check.hpp"
#include "common/launch.cuh"

namespace ladder::bench {
namespace {

constexpr std::size_t kL2WorkingSet = std::size_t{16} << 20;
constexpr std::size_t kCopyBytes = std::size_t{1} << 30;
/// Blocks per SM: enough to fill it eight times over with 256 threads.
constexpr int kBlocksPerSm = 8;

int sm_count() {
  int count = 0;
  check(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, 0));
  return count;
}

/// Arrays that the kernels read and write.
struct Arrays {
  Arrays(Machine& machine, int blocks)
      : out(machine, static_cast<std::size_t>(blocks) * kernels::kThreads),
        // L2 can be smaller than the working set, and every GPU has a quarter of its memory free.
        l2_bytes(std::bit_floor(std::min(kL2WorkingSet, machine.l2_bytes() / 2))),
        l2(machine, l2_bytes / sizeof(float)) {
    const std::size_t round = sizeof(float4) * kernels::kInFlight * kernels::kThreads * blocks;
    const std::size_t most = std::min(kCopyBytes, machine.free_bytes() / 4);
    copy_bytes = std::max<std::size_t>(most / round, 1) * round;
    from.emplace(machine, copy_bytes / sizeof(float));
    to.emplace(machine, copy_bytes / sizeof(float));
    machine.fill_random(l2.data(), l2.size(), {.seed = 1, .array = 0});
    machine.fill_random(from->data(), from->size(), {.seed = 1, .array = 1});
  }

  MachineArray<float> out;
  std::size_t l2_bytes;
  MachineArray<float> l2;
  std::size_t copy_bytes = 0;
  std::optional<MachineArray<float>> from;
  std::optional<MachineArray<float>> to;
};

float4* as_float4(const MachineArray<float>& array) {
  return reinterpret_cast<float4*>(array.data());
}

}  // namespace

std::vector<RoofFigure> measure_roofs(Machine& machine, Protocol protocol,
                                      const std::function<void(double)>& on_sample) {
  using namespace kernels;
  const int sms = sm_count();
  const int blocks = sms * kBlocksPerSm;
  const Arrays arrays(machine, blocks);
  const std::unique_ptr<Stopwatch> stopwatch = machine.make_stopwatch();
  const Stream stream = stopwatch->stream();
  float* const out = arrays.out.data();
  const auto over = [&](int grid) {
    return LaunchShape{.grid = dim3(grid), .block = dim3(kThreads), .stream = stream};
  };
  const double threads = 1.0 * blocks * kThreads;
  const double copied = 2.0 * static_cast<double>(arrays.copy_bytes);  // read and written

  std::vector<RoofWork> works = {
      {"ffma", "TFLOP/s", 2.0 * kFmaPerThread * threads,
       [&](int) { launch(ffma_chains, over(blocks), out, -0.999f, 0.5f); }},
      {"fed_ffma", "TFLOP/s", 2.0 * kFedFmaPerBlock * sms,
       [&](int) { launch(fed_ffma, over(sms), out); }},
      {"dram_copy", "GB/s", copied,
       [&](int) {
         launch(copy, over(blocks), as_float4(*arrays.to), as_float4(*arrays.from),
                arrays.copy_bytes / sizeof(float4));
       }},
      {"dram_memcpy", "GB/s", copied,
       [&](int) {
         check(cudaMemcpyAsync(arrays.to->data(), arrays.from->data(), arrays.copy_bytes,
                               cudaMemcpyDeviceToDevice, stream));
       }},
      {"l2_read", "GB/s", 1.0 * sizeof(float4) * kL2Steps * threads,
       [&](int) {
         launch(read_l2, over(blocks), out, as_float4(arrays.l2),
                static_cast<unsigned>(arrays.l2_bytes / sizeof(float4)));
       }},
      {"shared_read", "GB/s", 1.0 * sizeof(float4) * kSharedReads * kSharedSteps * threads,
       [&](int) { launch(read_shared, over(blocks), out); }},
  };
  for (const auto& more : {mma_roofs(sms, out, stream), wgmma_roofs(sms, out, stream)}) {
    works.insert(works.end(), more.begin(), more.end());
  }
  std::vector<Candidate> candidates;
  for (const RoofWork& work : works) {
    candidates.push_back({.name = std::string(work.name), .launch = work.launch});
  }

  const std::vector<Samples> samples = measure(*stopwatch, candidates, protocol, on_sample);
  std::vector<RoofFigure> figures;
  for (std::size_t i = 0; i < works.size(); ++i) {
    const double per_ms = works[i].per_launch / median(samples[i].ms);
    figures.push_back({.name = works[i].name,
                       .unit = works[i].unit,
                       .value = works[i].unit == "TFLOP/s" ? per_ms * 1e-9 : per_ms * 1e-6,
                       .samples = samples[i],
                       .work_per_launch = works[i].per_launch});
  }
  return figures;
}

}  // namespace ladder::bench
