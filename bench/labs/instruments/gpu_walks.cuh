// SPDX-License-Identifier: MIT
/// \file  bench/labs/instruments/gpu_walks.cuh
/// \brief Walks on a GPU.
#pragma once

#include "bench/labs/instruments/gpu_memory.cuh"

namespace ladder::labs {

class GpuWalks final : public WalkInstrument {
 public:
  GpuWalks(GpuRegion& region, int sms) : region_(region), sms_(sms) {}

  std::vector<double> cycles(const Walk& walk, int repeats, std::optional<int> sm) override;
  Matrix disturbed_cycles(const Walk& first, const Walk& second, std::span<const int> sms,
                          std::span<const int> partners) override;
  Matrix home_cycles(std::span<const int> sms, std::span<const std::uint64_t> bytes,
                     int repeats) override;

 private:
  /// Writes the walk into the region.
  /// \return its first place
  const char* link(const Walk& walk, std::uint64_t region_bytes);
  /// \throws LabError  the GPU does not put one block on each SM
  void check_placement();

  GpuRegion& region_;
  int sms_;
  bool placement_checked_ = false;
};

}  // namespace ladder::labs
