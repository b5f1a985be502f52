// SPDX-License-Identifier: MIT
/// \file  bench/labs/instruments/gpu_products.cuh
/// \brief How long matrix products take on a GPU, by the order of their blocks.
#pragma once

#include "bench/labs/instruments/gpu_memory.cuh"
#include "bench/labs/instruments/kernel_instruments.hpp"
#include "common/timing.hpp"

namespace ladder::labs {

class GpuProducts final : public ProductInstrument {
 public:
  GpuProducts(GpuRegion& region, Stopwatch& stopwatch, int sms)
      : region_(region), stopwatch_(stopwatch), sms_(sms) {}

  int blocks_in_flight() override;
  std::vector<double> ms(const ProductPlan& plan, int repeats) override;

 private:
  GpuRegion& region_;
  Stopwatch& stopwatch_;
  int sms_;
};

}  // namespace ladder::labs
