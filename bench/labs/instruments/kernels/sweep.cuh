// SPDX-License-Identifier: MIT
/// \file  bench/labs/instruments/kernels/sweep.cuh
/// \brief All SMs read or write an array again and again: bandwidth.
#pragma once

#include "bench/labs/instruments/instruments.hpp"
#include "bench/labs/instruments/order.hpp"
#include "common/ptx/sm_id.cuh"

namespace ladder::labs::kernels {

constexpr int kSweepThreads = 1024;

/// What one launch of a sweep does.
struct SweepPlan {
  std::uint64_t chunks;  ///< of kSweepThreads * in_flight vectors, in each array
  int steps;             ///< chunks that each block takes in a pass
  int passes;
  SweepOrder order;
  const int*
      block_of_sm;    ///< (SMs)  number of an SM among those that take part, or -1; null: all do
  unsigned* arrived;  ///< (SMs)  0 before the launch, where block_of_sm is given
  int blocks_per_sm;
  int blocks;  ///< that take part
};

/// \brief  This block's number among those that take part.
/// \return -1: it takes no part
__device__ inline int sweep_block(const SweepPlan& plan) {
  if (plan.block_of_sm == nullptr) return static_cast<int>(blockIdx.x);
  __shared__ int block;
  if (threadIdx.x == 0) {
    const unsigned sm = ptx::sm_id();
    const int number = plan.block_of_sm[sm];
    const int arrived = static_cast<int>(atomicAdd(&plan.arrived[sm], 1u));
    const bool takes_part = number >= 0 && arrived < plan.blocks_per_sm;
    block = takes_part ? number * plan.blocks_per_sm + arrived : -1;
  }
  __syncthreads();
  return block;
}

/// The chunk that a block takes. Each pass of `rotated_blocks` gives it those of another block.
__device__ __forceinline__ std::uint64_t chunk_of(const SweepPlan& plan, int block, int pass,
                                                  int step) {
  constexpr unsigned kShift = 61;  // blocks; a prime, so that SMs meet all parts of the array
  unsigned number = static_cast<unsigned>(block);
  if (plan.order == SweepOrder::rotated_blocks)
    number = (number + static_cast<unsigned>(pass) * kShift) % static_cast<unsigned>(plan.blocks);
  const std::uint64_t chunk =
      number + static_cast<std::uint64_t>(step) * static_cast<unsigned>(plan.blocks);
  return chunk % plan.chunks;
}

/// A number that looks random, from the warp and its step.
__device__ __forceinline__ std::uint64_t mixed(std::uint64_t x) {
  x = (x ^ (x >> 31)) * 0x7fb5d329728ea185u;
  x = (x ^ (x >> 27)) * 0x81dadef4bc2dd44du;
  return x ^ (x >> 33);
}

template <Access access>
__device__ __forceinline__ uint4 load_vector(const uint4* from) {
  if constexpr (access == Access::cached)
    return __ldca(from);
  else
    return __ldcg(from);
}

/// \brief Reads an array.
/// \param  data  (chunks * kSweepThreads * in_flight)  16-byte vectors
/// \param  sink  written only if all bits that were read are 1, which they are not
template <Access access, int in_flight>
__global__ void __launch_bounds__(kSweepThreads)
    read_sweep(const uint4* data, SweepPlan plan, unsigned* sink) {
  const int block = sweep_block(plan);
  if (block < 0) return;
  constexpr int kWarp = 32;
  const unsigned lane = threadIdx.x % kWarp;
  const std::uint64_t pieces = plan.chunks * (kSweepThreads * in_flight / kWarp);
  const std::uint64_t warp =
      static_cast<std::uint64_t>(block) * (kSweepThreads / kWarp) + threadIdx.x / kWarp;
  unsigned all = ~0u;
#pragma unroll 1
  for (int pass = 0; pass < plan.passes; ++pass) {
#pragma unroll 1
    for (int step = 0; step < plan.steps; ++step) {
      uint4 vectors[in_flight];
      if (plan.order == SweepOrder::random_lines) {
        const std::uint64_t number = (static_cast<std::uint64_t>(pass) * plan.steps + step);
#pragma unroll
        for (int i = 0; i < in_flight; ++i) {
          const std::uint64_t random = mixed((warp << 32) + number * in_flight + i + 1);
          vectors[i] = load_vector<access>(data + __umul64hi(random, pieces) * kWarp + lane);
        }
      } else {
        const uint4* const from =
            data + chunk_of(plan, block, pass, step) * (kSweepThreads * in_flight) + threadIdx.x;
#pragma unroll
        for (int i = 0; i < in_flight; ++i)
          vectors[i] = load_vector<access>(from + i * kSweepThreads);
      }
#pragma unroll
      for (int i = 0; i < in_flight; ++i)
        all &= vectors[i].x & vectors[i].y & vectors[i].z & vectors[i].w;
    }
  }
  if (all == ~0u) *sink = all;
}

/// Writes an array.
template <int in_flight>
__global__ void __launch_bounds__(kSweepThreads) write_sweep(uint4* data, SweepPlan plan) {
  const int block = sweep_block(plan);
  if (block < 0) return;
#pragma unroll 1
  for (int pass = 0; pass < plan.passes; ++pass) {
#pragma unroll 1
    for (int step = 0; step < plan.steps; ++step) {
      uint4* const to =
          data + chunk_of(plan, block, pass, step) * (kSweepThreads * in_flight) + threadIdx.x;
      const unsigned value = static_cast<unsigned>(pass + step) * 0x9e3779b1u + threadIdx.x;
#pragma unroll
      for (int i = 0; i < in_flight; ++i)
        to[i * kSweepThreads] = make_uint4(value, value ^ 1u, value ^ 2u, value ^ 3u);
    }
  }
}

/// Copies one array to another.
template <Access access, int in_flight>
__global__ void __launch_bounds__(kSweepThreads)
    copy_sweep(const uint4* source, uint4* target, SweepPlan plan) {
  const int block = sweep_block(plan);
  if (block < 0) return;
#pragma unroll 1
  for (int pass = 0; pass < plan.passes; ++pass) {
#pragma unroll 1
    for (int step = 0; step < plan.steps; ++step) {
      const std::uint64_t first =
          chunk_of(plan, block, pass, step) * (kSweepThreads * in_flight) + threadIdx.x;
      uint4 vectors[in_flight];
#pragma unroll
      for (int i = 0; i < in_flight; ++i)
        vectors[i] = load_vector<access>(source + first + i * kSweepThreads);
#pragma unroll
      for (int i = 0; i < in_flight; ++i)
        target[first + i * kSweepThreads] = vectors[i];
    }
  }
}

/// Fills an array with bits that look random, or with zeros.
__global__ void fill_bits(uint4* data, std::uint64_t vectors, bool zeros) {
  const std::uint64_t threads = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < vectors;
       i += threads) {
    const std::uint64_t low = zeros ? 0 : mixed(2 * i + 1);
    const std::uint64_t high = zeros ? 0 : mixed(2 * i + 2);
    data[i] = make_uint4(static_cast<unsigned>(low), static_cast<unsigned>(low >> 32),
                         static_cast<unsigned>(high), static_cast<unsigned>(high >> 32));
  }
}

}  // namespace ladder::labs::kernels
