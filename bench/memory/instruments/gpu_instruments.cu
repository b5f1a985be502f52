// SPDX-License-Identifier: MIT
/// \file  bench/memory/instruments/gpu_instruments.cu
/// \brief The instruments of a GPU.
#include <algorithm>
#include <numeric>

#include "bench/memory/instruments/gpu_memory.cuh"
#include "bench/memory/instruments/gpu_products.cuh"
#include "bench/memory/instruments/gpu_random_reads.cuh"
#include "bench/memory/instruments/gpu_reads.cuh"
#include "bench/memory/instruments/gpu_sm.cuh"
#include "bench/memory/instruments/gpu_sweeps.cuh"
#include "bench/memory/instruments/gpu_walks.cuh"
#include "common/launch.cuh"

namespace ladder::labs {
namespace {

int attribute(cudaDeviceAttr which) {
  int value = 0;
  check(cudaDeviceGetAttribute(&value, which, 0));
  return value;
}

MemoryFacts facts_of_gpu(Machine& machine) {
  constexpr double kBitsPerByte = 8.0;
  constexpr double kTransfersPerClock = 2.0;
  std::size_t free = 0;
  std::size_t all = 0;
  check(cudaMemGetInfo(&free, &all));
  const double memory_khz = attribute(cudaDevAttrMemoryClockRate);
  return {.name = machine.name(),
          .sms = attribute(cudaDevAttrMultiProcessorCount),
          .sm_clock_mhz = attribute(cudaDevAttrClockRate) / 1e3,
          .l1_bytes =
              static_cast<std::uint64_t>(attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor)),
          .l2_bytes = static_cast<std::uint64_t>(attribute(cudaDevAttrL2CacheSize)),
          .dram_bytes = all,
          .free_bytes = free,
          .dram_gbps = memory_khz * 1e3 * kTransfersPerClock *
                       attribute(cudaDevAttrGlobalMemoryBusWidth) / kBitsPerByte / 1e9,
          .most_persisting_bytes =
              static_cast<std::uint64_t>(attribute(cudaDevAttrMaxPersistingL2CacheSize)),
          .largest_window_bytes =
              static_cast<std::uint64_t>(attribute(cudaDevAttrMaxAccessPolicyWindowSize)),
          .versions = machine.versions()};
}

class GpuInstruments final : public Instruments {
 public:
  GpuInstruments()
      : machine_(make_gpu_machine()),
        facts_(facts_of_gpu(*machine_)),
        stopwatch_(machine_->make_stopwatch()),
        walks_(region_, facts_.sms),
        sweeps_(region_, *stopwatch_, facts_.sms),
        random_reads_(region_, *stopwatch_, facts_.sms),
        products_(region_, *stopwatch_, facts_.sms),
        reads_(region_, *stopwatch_, facts_),
        sm_(facts_.sms) {}

  const MemoryFacts& facts() const override { return facts_; }
  bool simulated() const override { return false; }
  WalkInstrument& walks() override { return walks_; }
  SweepInstrument& sweeps() override { return sweeps_; }
  RandomReadInstrument& random_reads() override { return random_reads_; }
  ProductInstrument* products() override { return &products_; }
  ReadInstrument* reads() override { return &reads_; }
  SmInstrument* sm() override { return &sm_; }

 private:
  std::unique_ptr<Machine> machine_;
  MemoryFacts facts_;
  std::unique_ptr<Stopwatch> stopwatch_;
  GpuRegion region_;
  GpuWalks walks_;
  GpuSweeps sweeps_;
  GpuRandomReads random_reads_;
  GpuProducts products_;
  GpuReads reads_;
  GpuSm sm_;
};

}  // namespace

char* GpuRegion::of_bytes(std::uint64_t bytes) {
  if (bytes <= bytes_) return static_cast<char*>(memory_);
  // In steps, so that a sweep over sizes does not allocate for each of them.
  constexpr std::uint64_t kStep = std::uint64_t{256} << 20;
  const std::uint64_t wanted = (bytes + kStep - 1) / kStep * kStep;
  release();
  if (cudaMalloc(&memory_, wanted) != cudaSuccess) {
    cudaGetLastError();
    memory_ = nullptr;
    std::size_t free = 0;
    std::size_t all = 0;
    check(cudaMemGetInfo(&free, &all));
    throw LabError("The lab needs a region of " + std::to_string(wanted >> 20) + " MiB, and " +
                   std::to_string(free >> 20) + " MiB are free on this GPU");
  }
  bytes_ = wanted;
  return static_cast<char*>(memory_);
}

void GpuRegion::release() noexcept {
  if (memory_ != nullptr) cudaFree(memory_);
  memory_ = nullptr;
  bytes_ = 0;
}

std::unique_ptr<Instruments> make_gpu_instruments() {
  try {
    return std::make_unique<GpuInstruments>();
  } catch (const MachineError& error) {
    throw LabError(std::string(error.what()) +
                   ". Without a GPU, a lab asks a simulated memory system: --simulate h100");
  }
}

}  // namespace ladder::labs
