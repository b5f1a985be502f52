// SPDX-License-Identifier: MIT
/// \file  bench/labs/instruments/gpu_reads.cuh
/// \brief How long patterns of reads take on a GPU.
#pragma once

#include "bench/labs/instruments/gpu_memory.cuh"
#include "bench/labs/instruments/kernel_instruments.hpp"
#include "common/timing.hpp"

namespace ladder::labs {

class GpuReads final : public ReadInstrument {
 public:
  GpuReads(GpuRegion& region, Stopwatch& stopwatch, const MemoryFacts& facts)
      : region_(region), stopwatch_(stopwatch), facts_(facts) {}

  std::vector<double> ns(const AccessPattern& pattern, Home home, int repeats) override;

 private:
  GpuRegion& region_;
  Stopwatch& stopwatch_;
  const MemoryFacts& facts_;
};

}  // namespace ladder::labs
