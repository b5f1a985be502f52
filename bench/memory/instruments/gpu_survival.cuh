// SPDX-License-Identifier: MIT
/// \file  bench/memory/instruments/gpu_survival.cuh
/// \brief What survives in the L2 of a GPU.
#pragma once

#include "bench/memory/instruments/gpu_memory.cuh"
#include "bench/memory/instruments/survival.hpp"

namespace ladder::labs {

class GpuSurvival final : public SurvivalInstrument {
 public:
  GpuSurvival(GpuRegion& region, int sms) : region_(region), sms_(sms) {}

  std::vector<double> survivors(const Survival& survival, int repeats) override;
  double second_lap_cycles(Hint hint) override;

 private:
  /// Latency between a hit in L2, at whichever side, and a miss.
  double threshold_cycles();

  GpuRegion& region_;
  int sms_;
  double threshold_ = 0.0;
};

}  // namespace ladder::labs
