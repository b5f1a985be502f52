// SPDX-License-Identifier: MIT
/// \file  bench/labs/instruments/kernels/random_reads.cuh
/// \brief All SMs read words at random places.
#pragma once

#include "bench/labs/instruments/kernels/lcg_reads.cuh"
#include "bench/labs/instruments/random_places.hpp"
#include "common/ptx/sm_id.cuh"

namespace ladder::labs::kernels {

constexpr int kReadThreads = 1024;
constexpr int kReadsInFlight = 8;
/// Reads that a block takes at a time.
constexpr std::uint64_t kReadsPerTurn = std::uint64_t{kReadThreads} * kReadsInFlight * 4;

/// Gives each word of the region its value, or the low half of it.
template <class Word>
__global__ void fill_words(Word* words, std::uint64_t count) {
  const std::uint64_t threads = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count;
       i += threads)
    words[i] = static_cast<Word>(word_value(i));
}

/// What one launch reads.
struct ReadPlan {
  std::uint64_t region_words;
  std::uint64_t group_reads;  ///< of each group
  int groups;
  int scopes;
  const int* group_of_sm;     ///< (SMs)
  unsigned long long* taken;  ///< (groups)  reads that blocks have taken; 0 before the launch
  std::uint64_t seed;
};

/// \brief Reads from one of the scopes; the others are skipped.
/// \param  scope  0 .. scopes - 1
/// \param  sum  of all words that were read
__global__ void __launch_bounds__(kReadThreads)
    random_reads(const std::uint64_t* words, ReadPlan plan, int scope, unsigned long long* sum) {
  __shared__ std::uint64_t first;
  const int group = plan.group_of_sm[ptx::sm_id()];
  const WordRange window = part_of({0, plan.region_words}, plan.groups, group);
  const WordRange wanted = part_of(window, plan.scopes, scope);
  unsigned long long total = 0;
  while (true) {
    __syncthreads();
    if (threadIdx.x == 0) first = atomicAdd(&plan.taken[group], kReadsPerTurn);
    __syncthreads();
    const std::uint64_t begin = first;
    if (begin >= plan.group_reads) break;
    const std::uint64_t end = min(begin + kReadsPerTurn, plan.group_reads);
    for (std::uint64_t read = begin + threadIdx.x; read < end;
         read += kReadThreads * kReadsInFlight) {
      std::uint64_t values[kReadsInFlight];
#pragma unroll
      for (int i = 0; i < kReadsInFlight; ++i) {
        const std::uint64_t number = read + static_cast<std::uint64_t>(i) * kReadThreads;
        const std::uint64_t word = random_word(window, plan.seed, group, number);
        const bool reads = number < end && word - wanted.first < wanted.count;
        values[i] = reads ? __ldcg(reinterpret_cast<const unsigned long long*>(words + word)) : 0;
      }
#pragma unroll
      for (int i = 0; i < kReadsInFlight; ++i)
        total += values[i];
    }
  }
  add_of_warp(total, sum);
}

}  // namespace ladder::labs::kernels
