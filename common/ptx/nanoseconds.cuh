// SPDX-License-Identifier: MIT
/// \file  common/ptx/nanoseconds.cuh
/// \brief The clock that all SMs of a GPU read alike.
#pragma once

#include "common/device.cuh"

#ifndef __CUDACC__
#include <chrono>
#endif

namespace ladder::ptx {

/// Nanoseconds since some time: %globaltimer, PTX ISA 10. Its steps may be as long as 1 us. On the
/// emulator it is the CPU's clock, which tells what came first, and nothing about a GPU's time.
__device__ __forceinline__ unsigned long long nanoseconds() {
#ifdef __CUDACC__
  unsigned long long now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
#else
  return static_cast<unsigned long long>(
      std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count());
#endif
}

}  // namespace ladder::ptx
