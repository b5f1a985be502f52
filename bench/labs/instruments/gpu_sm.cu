// SPDX-License-Identifier: MIT
/// \file  bench/labs/instruments/gpu_sm.cu
/// \brief What goes on inside one SM of a GPU.
#include "bench/labs/instruments/gpu_sm.cuh"

#include <algorithm>
#include <limits>

#include "bench/labs/instruments/gpu_memory.cuh"
#include "bench/labs/instruments/kernels/sm_timing.cuh"
#include "common/launch.cuh"

namespace ladder::labs {
namespace {

using kernels::Interval;

constexpr unsigned kNever = 0x5EEDFACEu;

int attribute(cudaDeviceAttr which) {
  int value = 0;
  check(cudaDeviceGetAttribute(&value, which, 0));
  return value;
}

/// Cycles from the first warp's begin to the last one's end; all on one SM.
double cycles_of(const GpuArray<Interval>& intervals) {
  long long begin = std::numeric_limits<long long>::max();
  long long end = std::numeric_limits<long long>::min();
  for (const Interval& interval : intervals.values()) {
    begin = std::min(begin, interval.begin);
    end = std::max(end, interval.end);
  }
  return static_cast<double>(end - begin);
}

/// The cycles of a kernel that `start` launches, `repeats` times after a first one that warms up.
template <class Start>
std::vector<double> cycles_of_repeats(int repeats, const GpuArray<Interval>& intervals,
                                      const Start& start) {
  std::vector<double> cycles;
  for (int repeat = -1; repeat < repeats; ++repeat) {
    start();
    check(cudaDeviceSynchronize());
    if (repeat >= 0) cycles.push_back(cycles_of(intervals));
  }
  return cycles;
}

std::vector<double> divided(std::vector<double> values, double by) {
  for (double& value : values)
    value /= by;
  return values;
}

auto chained_kernel(int chains) {
  switch (chains) {
    case 1:
      return kernels::chained_adds<1>;
    case 2:
      return kernels::chained_adds<2>;
    case 4:
      return kernels::chained_adds<4>;
    case 8:
      return kernels::chained_adds<8>;
    default:
      throw LabError("multiply-adds come in 1, 2, 4 or 8 chains, not " + std::to_string(chains));
  }
}

constexpr int kLocalThreads = 1024;
constexpr auto kLocalKernel = kernels::local_array<kLocalThreads>;

}  // namespace

SmFacts GpuSm::facts() {
  return {.sms = sms_,
          .clock_mhz = attribute(cudaDevAttrClockRate) / 1e3,
          .registers = attribute(cudaDevAttrMaxRegistersPerMultiprocessor),
          .registers_per_thread = 255,  // CUDA does not say; all GPUs of 5.0 and newer
          .shared_bytes = attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor),
          .shared_bytes_per_block = attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin),
          .reserved_shared_bytes_per_block = attribute(cudaDevAttrReservedSharedMemoryPerBlock)};
}

std::vector<double> GpuSm::shared_cycles(const SharedAccess& access, int repeats) {
  constexpr unsigned kWarps = 8;
  constexpr int kRounds = 256;
  const GpuArray<Interval> intervals(kWarps);
  const GpuArray<unsigned> sink(1);
  const LaunchShape shape = {.grid = dim3(1),
                             .block = dim3(kWarps * kWarpLanes),
                             .dynamic_shared_bytes = kernels::kSlotsBytes};
  const std::vector<double> cycles = cycles_of_repeats(repeats, intervals, [&] {
    kernels::with_element(access, [&]<class T>(T) {
      const auto kernel =
          access.stores ? kernels::time_shared<T, true> : kernels::time_shared<T, false>;
      launch(kernel, shape, access, kRounds, 0u, kNever, sink.data(), intervals.data());
    });
  });
  return divided(cycles, static_cast<double>(kWarps) * kRounds * kSharedSlots);
}

std::vector<double> GpuSm::shared_chain_cycles(int repeats) {
  constexpr int kSteps = 4096;
  constexpr unsigned kStride = 33;
  const GpuArray<Interval> intervals(1);
  const GpuArray<unsigned> ends(kWarpLanes);
  const std::vector<double> cycles = cycles_of_repeats(repeats, intervals, [&] {
    launch(kernels::shared_chain, {.grid = dim3(1), .block = dim3(kWarpLanes)}, kSteps, kStride,
           ends.data(), intervals.data());
  });
  return divided(cycles, kSteps);
}

std::vector<double> GpuSm::multiply_add_cycles(int chains, int warps, int repeats) {
  constexpr int kSteps = 256 * kernels::kAddsUnrolled;
  const auto threads = static_cast<unsigned>(warps * kWarpLanes);
  const GpuArray<Interval> intervals(static_cast<std::size_t>(warps));
  const GpuArray<float> sums(threads);
  const std::vector<double> cycles = cycles_of_repeats(repeats, intervals, [&] {
    launch(chained_kernel(chains), {.grid = dim3(1), .block = dim3(threads)}, kSteps, 0.5f, 1.0f,
           sums.data(), intervals.data());
  });
  return divided(cycles, static_cast<double>(kSteps) * chains);
}

std::vector<double> GpuSm::local_array_cycles(int warps_per_sm, bool all_sms, int repeats) {
  constexpr int kSteps = 4096;
  constexpr int kStride = 27;
  const int threads_per_sm = warps_per_sm * kWarpLanes;
  const int blocks_per_sm = (threads_per_sm + kLocalThreads - 1) / kLocalThreads;
  const auto blocks = static_cast<unsigned>(blocks_per_sm * (all_sms ? sms_ : 1));
  const auto threads = static_cast<unsigned>(threads_per_sm / blocks_per_sm);
  const GpuArray<Interval> intervals(blocks * threads / kWarpLanes);
  const GpuArray<int> ends(blocks * threads);
  check(cudaFuncSetAttribute(kLocalKernel, cudaFuncAttributePreferredSharedMemoryCarveout,
                             cudaSharedmemCarveoutMaxL1));
  // Clocks of different SMs do not agree: the mean over the warps, each by its own.
  std::vector<double> per_load;
  for (int repeat = -1; repeat < repeats; ++repeat) {
    launch(kLocalKernel, {.grid = dim3(blocks), .block = dim3(threads)}, kSteps, kStride,
           ends.data(), intervals.data());
    check(cudaDeviceSynchronize());
    if (repeat < 0) continue;
    double sum = 0.0;
    const std::vector<Interval> warps = intervals.values();
    for (const Interval& warp : warps)
      sum += static_cast<double>(warp.end - warp.begin);
    per_load.push_back(sum / static_cast<double>(warps.size()) / kSteps);
  }
  return per_load;
}

int GpuSm::local_array_bytes() {
  cudaFuncAttributes attributes = {};
  check(cudaFuncGetAttributes(&attributes, kLocalKernel));
  return static_cast<int>(attributes.localSizeBytes);
}

SumsResult GpuSm::many_sums(bool squeezed) {
  constexpr unsigned kThreads = 1024;
  constexpr int kSteps = 512;
  const auto kernel = squeezed ? kernels::many_sums<32> : kernels::many_sums<64>;
  cudaFuncAttributes attributes = {};
  check(cudaFuncGetAttributes(&attributes, kernel));
  const GpuArray<Interval> intervals(kThreads / kWarpLanes);
  const GpuArray<float> sums(kThreads);
  const std::vector<double> cycles = cycles_of_repeats(5, intervals, [&] {
    launch(kernel, {.grid = dim3(1), .block = dim3(kThreads)}, kSteps, 0.5f, sums.data(),
           intervals.data());
  });
  constexpr double kWarpAdds =
      static_cast<double>(kSteps) * kernels::kManySums * kThreads / kWarpLanes;
  return {.registers = attributes.numRegs,
          .local_bytes = static_cast<int>(attributes.localSizeBytes),
          .cycles = median_of(cycles) / kWarpAdds};
}

}  // namespace ladder::labs
