// SPDX-License-Identifier: MIT
/// \file  bench/labs/instruments/kernels/sm_timing.cuh
/// \brief What goes on inside one SM, by its own clock: shared memory, registers, local memory.
#pragma once

#include "bench/labs/questions/kernels/shared_accesses.cuh"

namespace ladder::labs::kernels {

/// When a warp began and ended, by the clock of its SM.
struct Interval {
  long long begin;
  long long end;
};

/// The warp's lane 0 writes it down.
__device__ inline void write_interval(Interval* intervals, long long begin) {
  const long long end = clock64();
  const unsigned warp = (blockIdx.x * blockDim.x + threadIdx.x) / kWarpLanes;
  if (threadIdx.x % kWarpLanes == 0) intervals[warp] = {begin, end};
}

/// \brief  access_slots(), timed.
/// \param  move  0
/// \param  intervals  (warps)
template <class T, bool kStores>
__global__ void time_shared(const __grid_constant__ SharedAccess access, int rounds, unsigned move,
                            unsigned never, unsigned* sink, Interval* intervals) {
  clear_slots();
  const unsigned lane_byte = access.lane_byte[threadIdx.x % kWarpLanes];
  access_slots<T, kStores>(lane_byte, 2, move);
  __syncthreads();
  const long long begin = clock64();
  const unsigned bits = access_slots<T, kStores>(lane_byte, rounds, move);
  if (bits == never) *sink = bits;  // waits for what was read
  write_interval(intervals, begin);
}

constexpr unsigned kChainWords = 1024;

/// \brief  One warp walks through shared memory: where it reads next is what it has just read.
///         Words hold bytes and not indices, so that a load needs nothing but the one before it.
/// \param  stride  words from place to place; odd, so that all are visited
__global__ void shared_chain(int steps, unsigned stride, unsigned* ends, Interval* intervals) {
  __shared__ unsigned next_byte[kChainWords];  // (kChainWords)
  for (unsigned word = threadIdx.x; word < kChainWords; word += blockDim.x)
    next_byte[word] = (word + stride) % kChainWords * sizeof(unsigned);
  __syncthreads();
  const auto* const first = reinterpret_cast<const char*>(next_byte);
  unsigned byte = threadIdx.x * sizeof(unsigned);  // each lane in a bank of its own
  const long long begin = clock64();
#pragma unroll 16
  for (int step = 0; step < steps; ++step)
    byte = *reinterpret_cast<const unsigned*>(first + byte);
  ends[threadIdx.x] = byte;
  write_interval(intervals, begin);
}

constexpr int kAddsUnrolled = 16;

/// \brief  Multiply-adds in chains: each waits for the one before it.
/// \param  steps  a multiple of kAddsUnrolled
/// \param  sums   (threads)  so that no chain can be left out
template <int kChains>
__global__ void chained_adds(int steps, float factor, float addend, float* sums,
                             Interval* intervals) {
  float sum[kChains];  // (kChains)
  for (int chain = 0; chain < kChains; ++chain)
    sum[chain] = static_cast<float>(threadIdx.x + chain);
  __syncthreads();
  const long long begin = clock64();
#pragma unroll 1
  for (int step = 0; step < steps; step += kAddsUnrolled) {
#pragma unroll
    for (int i = 0; i < kAddsUnrolled; ++i) {
#pragma unroll
      for (int chain = 0; chain < kChains; ++chain)
        sum[chain] = sum[chain] * factor + addend;
    }
  }
  float all = 0.0f;
  for (int chain = 0; chain < kChains; ++chain)
    all += sum[chain];
  sums[blockIdx.x * blockDim.x + threadIdx.x] = all;
  write_interval(intervals, begin);
}

constexpr int kLocalWords = 64;

/// \brief  Walks through an array of the thread's own, at places that only the run knows. Registers
///         have no addresses, so that it lies in local memory.
/// \param  stride  odd, so that all words are visited
template <int kThreads>
__global__ void __launch_bounds__(kThreads)
    local_array(int steps, int stride, int* ends, Interval* intervals) {
  int next[kLocalWords];  // (kLocalWords)
#pragma unroll 1
  for (int word = 0; word < kLocalWords; ++word)
    next[word] = (word + stride) % kLocalWords;
  __syncthreads();
  int place = 0;
#pragma unroll 1
  for (int word = 0; word < kLocalWords; ++word)  // the first lap brings it to L1
    place = next[place];
  const long long begin = clock64();
#pragma unroll 4
  for (int step = 0; step < steps; ++step)
    place = next[place];
  ends[blockIdx.x * blockDim.x + threadIdx.x] = place;
  write_interval(intervals, begin);
}

constexpr int kManySums = 48;

/// \brief  Threads that keep 48 sums: into 32 registers they do not fit.
/// \param  sums  (threads)
template <int kRegisters>
__global__ void __maxnreg__(kRegisters)
    many_sums(int steps, float factor, float* sums, Interval* intervals) {
  float sum[kManySums];  // (kManySums)
#pragma unroll
  for (int i = 0; i < kManySums; ++i)
    sum[i] = static_cast<float>(threadIdx.x + i);
  __syncthreads();
  const long long begin = clock64();
#pragma unroll 1
  for (int step = 0; step < steps; ++step) {
#pragma unroll
    for (int i = 0; i < kManySums; ++i)
      sum[i] = sum[i] * factor + sum[(i + 7) % kManySums];
  }
  float all = 0.0f;
#pragma unroll
  for (int i = 0; i < kManySums; ++i)
    all += sum[i];
  sums[blockIdx.x * blockDim.x + threadIdx.x] = all;
  write_interval(intervals, begin);
}

}  // namespace ladder::labs::kernels
