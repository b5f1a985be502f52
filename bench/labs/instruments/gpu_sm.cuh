// SPDX-License-Identifier: MIT
/// \file  bench/labs/instruments/gpu_sm.cuh
/// \brief What goes on inside one SM of a GPU.
#pragma once

#include "bench/labs/instruments/gpu_memory.cuh"
#include "bench/labs/instruments/kernel_instruments.hpp"

namespace ladder::labs {

class GpuSm final : public SmInstrument {
 public:
  explicit GpuSm(int sms) : sms_(sms) {}

  SmFacts facts() override;
  std::vector<double> shared_cycles(const SharedAccess& access, int repeats) override;
  std::vector<double> shared_chain_cycles(int repeats) override;
  std::vector<double> multiply_add_cycles(int chains, int warps, int repeats) override;
  std::vector<double> local_array_cycles(int warps_per_sm, bool all_sms, int repeats) override;
  int local_array_bytes() override;
  SumsResult many_sums(bool squeezed) override;

 private:
  int sms_;
};

}  // namespace ladder::labs
