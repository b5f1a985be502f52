// SPDX-License-Identifier: MIT
/// \file  bench/labs/instruments/gpu_random_reads.cuh
/// \brief Random reads on a GPU.
#pragma once

#include "bench/labs/instruments/gpu_memory.cuh"
#include "common/timing.hpp"

namespace ladder::labs {

class GpuRandomReads final : public RandomReadInstrument {
 public:
  GpuRandomReads(GpuRegion& region, Stopwatch& stopwatch, int sms)
      : region_(region), stopwatch_(stopwatch), sms_(sms) {}

  RandomReadsResult random_reads(const RandomReads& reads, int repeats) override;

 private:
  RandomReadsResult lcg_reads(const RandomReads& reads, int repeats);

  GpuRegion& region_;
  Stopwatch& stopwatch_;
  int sms_;
};

}  // namespace ladder::labs
