// SPDX-License-Identifier: MIT
/// \file  bench/labs/instruments/kernels/lcg_reads.cuh
/// \brief Random reads as Karnagel et al. did them in 2017.
#pragma once

#include "bench/labs/instruments/random_places.hpp"
#include "common/device.cuh"

namespace ladder::labs::kernels {

/// Adds what the lanes of a warp have.
__device__ __forceinline__ void add_of_warp(unsigned long long total, unsigned long long* sum) {
  for (int offset = 16; offset > 0; offset /= 2)
    total += __shfl_down_sync(0xffffffffu, total, offset);
  if (threadIdx.x % 32 == 0) atomicAdd(sum, total);
}

/// \brief Each thread reads kLcgReads words, where its own generator says, and only in one scope.
/// \param  words  (count)
/// \param  threads  that read; a grid may have some more
/// \param  wanted  the scope
__global__ void __launch_bounds__(256)
    lcg_reads(const unsigned* words, std::uint64_t count, std::uint64_t threads, std::uint64_t seed,
              WordRange wanted, unsigned long long* sum) {
  const std::uint64_t thread = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  unsigned long long total = 0;
  if (thread < threads) {
    std::uint64_t state = lcg_start(seed, thread);
#pragma unroll 8
    for (std::uint64_t i = 0; i < kLcgReads; ++i) {
      state = lcg_next(state);
      const std::uint64_t word = lcg_word(state, count);
      if (word - wanted.first < wanted.count) total += __ldcg(words + word);
    }
  }
  add_of_warp(total, sum);
}

}  // namespace ladder::labs::kernels
