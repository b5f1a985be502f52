// SPDX-License-Identifier: MIT
/// \file  bench/labs/instruments/kernels/survival.cuh
/// \brief Reads with a hint to the caches, and single loads that tell hits from misses.
#pragma once

#include "bench/labs/instruments/kernels/clock.cuh"
#include "bench/labs/instruments/kernels/placement.cuh"
#include "common/ptx/cache_hints.cuh"

namespace ladder::labs::kernels {

/// Reads an array once, with a hint.
/// \param  words  a multiple of 4 * blockDim.x * gridDim.x is best
/// \param  of_line  words that are read of each line of 32, the first ones: a power of two
template <ptx::CacheHint hint>
__global__ void read_with_hint(const unsigned* data, std::uint64_t words, unsigned* sink,
                               unsigned of_line = 32) {
  constexpr int kInFlight = 8;
  const std::uint64_t threads = std::uint64_t{gridDim.x} * blockDim.x;
  unsigned all = ~0u;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < words;
       i += threads * kInFlight) {
    unsigned values[kInFlight];
#pragma unroll
    for (int step = 0; step < kInFlight; ++step) {
      const std::uint64_t word = i + static_cast<std::uint64_t>(step) * threads;
      const std::uint64_t place = word / of_line * 32 + word % of_line;
      values[step] = word < words ? ptx::load_with<hint>(data + place) : ~0u;
    }
#pragma unroll
    for (int step = 0; step < kInFlight; ++step)
      all &= values[step];
  }
  if (all == ~0u) *sink = all;
}

/// \brief Times single loads past L1 from one SM, one after the other.
/// \param  bytes  (count)  of the data: where each load goes
/// \param  sm_of  (count)  the SM that loads it; this launch does those of `sm`
/// \param  cycles  (count)
__global__ void time_loads(const char* data, const std::uint64_t* bytes, const int* sm_of,
                           int count, int sm, unsigned* arrived, unsigned* cycles, unsigned* sink) {
  wait_for_all_blocks(arrived);
  if (ptx::sm_id() != static_cast<unsigned>(sm) || threadIdx.x != 0) return;
  std::uint64_t last = 0;
  for (int i = 0; i < count; ++i) {
    if (sm_of[i] != sm) continue;
    const char* const place = data + bytes[i] + last;  // last is 0: one load after the other
    const long long start = clock_after(place);
    const unsigned value = __ldcg(reinterpret_cast<const unsigned*>(place));
    last = value == 0xffffffffu ? 4 : 0;
    cycles[i] = static_cast<unsigned>(clock_after(data + last) - start);
  }
  if (last != 0) *sink = 1;
}

/// \brief Two laps over a few lines by one thread, with a hint: cycles of the second one.
/// \param  data  (lines * 32)  words that hold 0
template <ptx::CacheHint hint>
__global__ void second_lap(const unsigned* data, int lines, long long* cycles, unsigned* sink) {
  constexpr int kWordsPerLine = 32;
  if (threadIdx.x != 0) return;
  unsigned offset = 0;  // stays 0
  for (int line = 0; line < lines; ++line)
    offset += ptx::load_with<hint>(data + line * kWordsPerLine + offset);
  const long long start = clock_after(data + offset);
  for (int line = 0; line < lines; ++line)
    offset += ptx::load_with<hint>(data + line * kWordsPerLine + offset);
  *cycles = clock_after(data + offset) - start;
  *sink = offset;
}

}  // namespace ladder::labs::kernels
