// SPDX-License-Identifier: MIT
/// \file  bench/labs/instruments/gpu_survival.cuh
/// \brief What survives in the L2 of a GPU.
#pragma once

#include "bench/labs/instruments/gpu_walks.cuh"
#include "bench/labs/instruments/survival.hpp"

namespace ladder::labs {

class GpuSurvival final : public SurvivalInstrument {
 public:
  GpuSurvival(GpuRegion& region, GpuWalks& walks, int sms)
      : region_(region), walks_(walks), sms_(sms) {}

  std::vector<double> survivors(const Survival& survival, int repeats) override;
  double second_lap_cycles(Hint hint) override;

 private:
  /// Lines of an array, each with an SM on its own side of L2. From there, a hit is always faster
  /// than a miss; from the other side, a hit may take longer than a miss takes from here.
  struct Sample {
    std::vector<std::uint64_t> bytes;
    std::vector<int> sm_of;
  };
  Sample draw(std::uint64_t array_bytes, int count, std::uint64_t seed);
  std::vector<unsigned> time_loads(const Sample& sample, cudaStream_t stream);
  /// Between the latencies of a hit and of a miss.
  double threshold_cycles();

  GpuRegion& region_;
  GpuWalks& walks_;
  int sms_;
  std::vector<int> side_sms_;  ///< one SM on each side; one alone where L2 has no sides
  double threshold_ = 0.0;
};

}  // namespace ladder::labs
