// SPDX-License-Identifier: MIT
/// \file  bench/labs/instruments/gpu_sweeps.cuh
/// \brief Sweeps on a GPU.
#pragma once

#include "bench/labs/instruments/gpu_memory.cuh"
#include "common/timing.hpp"

namespace ladder::labs {

class GpuSweeps final : public SweepInstrument {
 public:
  GpuSweeps(GpuRegion& region, Stopwatch& stopwatch, int sms)
      : region_(region), stopwatch_(stopwatch), sms_(sms) {}

  std::vector<double> gbps(const Sweep& sweep, int repeats) override;

 private:
  GpuRegion& region_;
  Stopwatch& stopwatch_;
  int sms_;
};

}  // namespace ladder::labs
