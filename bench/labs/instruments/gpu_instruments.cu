// SPDX-License-Identifier: MIT
/// \file  bench/labs/instruments/gpu_instruments.cu
/// \brief The instruments of a GPU.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "bench/labs/instruments/gpu_hash_grouping.cuh"
#include "bench/labs/instruments/gpu_memory.cuh"
#include "bench/labs/instruments/gpu_near_memory.hpp"
#include "bench/labs/instruments/gpu_products.cuh"
#include "bench/labs/instruments/gpu_random_reads.cuh"
#include "bench/labs/instruments/gpu_reads.cuh"
#include "bench/labs/instruments/gpu_registers.cuh"
#include "bench/labs/instruments/gpu_sm.cuh"
#include "bench/labs/instruments/gpu_survival.cuh"
#include "bench/labs/instruments/gpu_sweeps.cuh"
#include "bench/labs/instruments/gpu_walks.cuh"
#include "common/launch.cuh"

namespace ladder::labs {
namespace {

int attribute(cudaDeviceAttr which) {
  int value = 0;
  check(cudaDeviceGetAttribute(&value, which, 0));
  return value;
}

/// The figures of a device card that the driver knows.
std::vector<CardFigure> card_figures() {
  constexpr int kThreadsPerWarp = 32;
  struct Asked {
    std::string_view key;
    cudaDeviceAttr which;
    std::string_view name;
  };
  constexpr Asked kAsked[] = {
      {"sms", cudaDevAttrMultiProcessorCount, "cudaDevAttrMultiProcessorCount"},
      {"max_threads_per_sm", cudaDevAttrMaxThreadsPerMultiProcessor,
       "cudaDevAttrMaxThreadsPerMultiProcessor"},
      {"max_blocks_per_sm", cudaDevAttrMaxBlocksPerMultiprocessor,
       "cudaDevAttrMaxBlocksPerMultiprocessor"},
      {"registers_per_sm", cudaDevAttrMaxRegistersPerMultiprocessor,
       "cudaDevAttrMaxRegistersPerMultiprocessor"},
      {"shared_bytes_per_sm", cudaDevAttrMaxSharedMemoryPerMultiprocessor,
       "cudaDevAttrMaxSharedMemoryPerMultiprocessor"},
      {"shared_bytes_reserved_per_block", cudaDevAttrReservedSharedMemoryPerBlock,
       "cudaDevAttrReservedSharedMemoryPerBlock"},
      {"max_shared_bytes_per_block", cudaDevAttrMaxSharedMemoryPerBlockOptin,
       "cudaDevAttrMaxSharedMemoryPerBlockOptin"},
      {"l2_bytes", cudaDevAttrL2CacheSize, "cudaDevAttrL2CacheSize"},
  };
  std::vector<CardFigure> figures;
  for (const Asked& asked : kAsked)
    figures.push_back(
        {std::string(asked.key), 1.0 * attribute(asked.which), std::string(asked.name)});
  figures.push_back({"compute_capability",
                     10.0 * attribute(cudaDevAttrComputeCapabilityMajor) +
                         attribute(cudaDevAttrComputeCapabilityMinor),
                     "cudaDevAttrComputeCapabilityMajor and Minor"});
  figures.push_back(
      {"sm_clock_mhz", std::round(attribute(cudaDevAttrClockRate) / 1e3), "cudaDevAttrClockRate"});
  figures.push_back({"max_warps_per_sm",
                     1.0 * attribute(cudaDevAttrMaxThreadsPerMultiProcessor) / kThreadsPerWarp,
                     "cudaDevAttrMaxThreadsPerMultiProcessor / 32"});
  return figures;
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
          .versions = machine.versions(),
          .card = card_figures()};
}

/// What the first GPU measures in the memory of the second one.
struct Remote {
  Remote(Stopwatch& stopwatch, int sms) : walks(region, sms), sweeps(region, stopwatch, sms) {}
  PeerAccess access{1};
  GpuRegion region{1};
  GpuWalks walks;
  GpuSweeps sweeps;
};

class GpuInstruments final : public Instruments {
 public:
  GpuInstruments()
      : machine_(make_gpu_machine()),
        facts_(facts_of_gpu(*machine_)),
        stopwatch_(machine_->make_stopwatch()),
        walks_(region_, facts_.sms),
        sweeps_(region_, *stopwatch_, facts_.sms),
        random_reads_(region_, *stopwatch_, facts_.sms),
        grouping_(region_, *stopwatch_, facts_.sms),
        survival_(region_, walks_, facts_.sms),
        products_(region_, *stopwatch_, facts_.sms),
        reads_(region_, *stopwatch_, facts_),
        sm_(facts_.sms) {
    int devices = 0;
    check(cudaGetDeviceCount(&devices));
    int accessible = 0;
    if (devices > 1) check(cudaDeviceCanAccessPeer(&accessible, 0, 1));
    if (accessible != 0) remote_.emplace(*stopwatch_, facts_.sms);
  }

  const MemoryFacts& facts() const override { return facts_; }
  bool simulated() const override { return false; }
  WalkInstrument& walks() override { return walks_; }
  SweepInstrument& sweeps() override { return sweeps_; }
  RandomReadInstrument& random_reads() override { return random_reads_; }
  GroupingInstrument& grouping() override { return grouping_; }
  WalkInstrument* remote_walks() override { return remote_ ? &remote_->walks : nullptr; }
  SweepInstrument* remote_sweeps() override { return remote_ ? &remote_->sweeps : nullptr; }
  SurvivalInstrument* survival() override {
    constexpr int kAmpere = 80;  // policies and set-asides came with it
    return machine_->compute_capability() >= kAmpere ? &survival_ : nullptr;
  }
  NearMemoryInstrument& near_memory() override {
    if (!near_memory_) near_memory_ = make_gpu_near_memory(*stopwatch_, facts_);
    return *near_memory_;
  }
  ProductInstrument* products() override { return &products_; }
  ReadInstrument* reads() override { return &reads_; }
  SmInstrument* sm() override { return &sm_; }
  RegisterInstrument* registers() override {
    constexpr int kHopper = 90;  // whose instructions it encodes
    if (machine_->compute_capability() != kHopper) return nullptr;
    if (!registers_) registers_ = make_gpu_registers();
    return registers_.get();
  }

 private:
  std::unique_ptr<Machine> machine_;
  MemoryFacts facts_;
  std::unique_ptr<Stopwatch> stopwatch_;
  GpuRegion region_;
  GpuWalks walks_;
  GpuSweeps sweeps_;
  GpuRandomReads random_reads_;
  GpuHashGrouping grouping_;
  GpuSurvival survival_;
  GpuProducts products_;
  GpuReads reads_;
  GpuSm sm_;
  std::unique_ptr<NearMemoryInstrument> near_memory_;
  std::optional<Remote> remote_;
  std::unique_ptr<RegisterInstrument> registers_;
};

}  // namespace

char* GpuRegion::of_bytes(std::uint64_t bytes) {
  if (bytes <= bytes_) return static_cast<char*>(memory_);
  // In steps, so that a sweep over sizes does not allocate for each of them.
  constexpr std::uint64_t kStep = std::uint64_t{256} << 20;
  const std::uint64_t wanted = (bytes + kStep - 1) / kStep * kStep;
  release();
  check(cudaSetDevice(device_));
  const cudaError_t status = cudaMalloc(&memory_, wanted);
  check(cudaSetDevice(0));
  if (status != cudaSuccess) {
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
                   ". Without a GPU, a lab asks a simulated memory system: --simulate h200");
  }
}

}  // namespace ladder::labs
