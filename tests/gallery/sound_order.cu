// SPDX-License-Identifier: MIT
/// \file  tests/gallery/sound_order.cu
/// \brief Sound kernels that put accesses in order without a barrier of the block: by fences and
///        flags, by some lanes of a warp, or because the order does not matter.
#include "common/launch.cuh"
#include "tests/gallery/gallery.hpp"

namespace ladder {
namespace {

constexpr int BLOCK = 128;  // threads of a block in one dimension
constexpr int WARP = 32;    // lanes of a warp
constexpr int HALF = WARP / 2;

constexpr unsigned kLowHalf = 0x0000FFFFu;
constexpr unsigned kHighHalf = 0xFFFF0000u;

}  // namespace
}  // namespace ladder

namespace ladder::gallery_kernels {

// -- Fences and flags ----------------------------------------------------------------------------

__global__ void flag_behind_a_fence(const float* A, float* C) {
  __shared__ float line[WARP];
  __shared__ int ready;
  const int t = threadIdx.x;
  if (t == 0) ready = 0;
  __syncthreads();
  if (t < WARP) {
    line[t] = A[t];
    __threadfence_block();
    atomicAdd(&ready, 1);
  } else {
    while (atomicAdd(&ready, 0) < WARP) {
    }
    __threadfence_block();
    C[t - WARP] = line[(t + 1) % WARP];
  }
}

__global__ void volatile_flag_behind_a_fence(const float* A, float* C) {
  __shared__ float line[WARP];
  __shared__ volatile int ready;
  const int t = threadIdx.x;
  if (t == 0) ready = 0;
  __syncthreads();
  if (t == BLOCK - 1) {
    for (int i = 0; i < WARP; ++i)
      line[i] = A[i];
    __threadfence_block();
    ready = 1;
  } else if (t < WARP) {
    while (ready == 0) {
    }
    __threadfence_block();
    C[t] = line[WARP - 1 - t];
  }
}

__global__ void flag_within_a_warp(const float* A, float* C) {
  __shared__ float factor;
  __shared__ int ready;
  const int t = threadIdx.x;
  if (t == 0) ready = 0;
  __syncthreads();
  if (t == 5) {
    factor = A[1] + 1.0f;
    __threadfence_block();
    atomicExch(&ready, 1);
  } else {
    while (atomicAdd(&ready, 0) == 0) {
    }
    __threadfence_block();
    C[t < 5 ? t : t - 1] = factor;
  }
}

__global__ void sum_behind_a_lock(const float* A, float* C) {
  __shared__ float total;
  __shared__ int lock;
  const int t = threadIdx.x;
  if (t == 0) {
    total = 0.0f;
    lock = 0;
  }
  __syncthreads();
  bool added = false;
  while (!added) {
    if (atomicCAS(&lock, 0, 1) == 0) {
      __threadfence_block();
      total += A[t];
      __threadfence_block();
      atomicExch(&lock, 0);
      added = true;
    }
  }
  __syncthreads();
  if (t == 0) C[0] = total;
}

__global__ void ball_between_two_lanes(int rounds, const float* A, float* C) {
  __shared__ float ball;
  __shared__ volatile int side;
  const int t = threadIdx.x;
  if (t == 0) side = 0;
  __syncthreads();
  if (t != 0 && t != 9) return;
  const int own = t == 0 ? 0 : 1;
  for (int round = 0; round < rounds; ++round) {
    while (side != own) {
    }
    __threadfence_block();
    if (own == 0) {
      ball = A[round];
    } else {
      C[round] = ball;
    }
    __threadfence_block();
    side = 1 - own;
  }
}

__global__ void ring_of_two_warps(int rounds, const float* A, float* C) {
  __shared__ float ring[2][WARP];  // (2, WARP)
  __shared__ volatile int filled;
  __shared__ volatile int emptied;
  const int lane = threadIdx.x % WARP;
  if (threadIdx.x == 0) {
    filled = 0;
    emptied = 0;
  }
  __syncthreads();
  if (threadIdx.x < WARP) {
    for (int round = 0; round < rounds; ++round) {
      while (emptied + 2 <= round) {
      }
      __threadfence_block();
      ring[round % 2][lane] = A[round * WARP + lane];
      __threadfence_block();
      __syncwarp();
      if (lane == 0) filled = round + 1;
      __syncwarp();
    }
  } else {
    for (int round = 0; round < rounds; ++round) {
      while (filled <= round) {
      }
      __threadfence_block();
      C[round * WARP + lane] = ring[round % 2][WARP - 1 - lane];
      __threadfence_block();
      __syncwarp();
      if (lane == 0) emptied = round + 1;
      __syncwarp();
    }
  }
}

__global__ void clear_words(int count, unsigned* words) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i < count) words[i] = 0;
}

__global__ void sum_by_the_last_block(const float* A, float* partial, unsigned* arrived,
                                      float* result) {
  __shared__ float sum[BLOCK];
  __shared__ bool is_last;
  const int t = threadIdx.x;
  sum[t] = A[blockIdx.x * BLOCK + t];
  __syncthreads();
  for (int step = BLOCK / 2; step > 0; step /= 2) {
    if (t < step) sum[t] += sum[t + step];
    __syncthreads();
  }
  if (t == 0) {
    partial[blockIdx.x] = sum[0];
    __threadfence();
    is_last = atomicInc(arrived, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (!is_last) return;
  __threadfence();
  sum[t] = t < static_cast<int>(gridDim.x) ? partial[t] : 0.0f;
  __syncthreads();
  for (int step = BLOCK / 2; step > 0; step /= 2) {
    if (t < step) sum[t] += sum[t + step];
    __syncthreads();
  }
  if (t == 0) *result = sum[0];
}

/// Single-pass scan: a block publishes its sum, looks back at the sums before it until one of them
/// includes all blocks below, and publishes that. states: 0 nothing, 1 sum of the block, 2 sum up
/// to the block.
__global__ void scan_with_look_back(const float* A, volatile float* sums, volatile float* all_sums,
                                    volatile unsigned* states, float* C) {
  __shared__ float line[2][BLOCK];  // (2, BLOCK)
  __shared__ float below;
  const int t = threadIdx.x;
  const int block = blockIdx.x;
  int from = 0;
  line[0][t] = A[block * BLOCK + t];
  __syncthreads();
  for (int step = 1; step < BLOCK; step *= 2) {
    line[from ^ 1][t] = line[from][t] + (t >= step ? line[from][t - step] : 0.0f);
    __syncthreads();
    from ^= 1;
  }
  if (t == 0) {
    const float sum = line[from][BLOCK - 1];
    sums[block] = sum;
    __threadfence();
    states[block] = 1;
    float before = 0.0f;
    for (int other = block - 1; other >= 0; --other) {
      unsigned state = 0;
      while ((state = states[other]) == 0) {
      }
      __threadfence();
      before += state == 2 ? all_sums[other] : sums[other];
      if (state == 2) break;
    }
    all_sums[block] = before + sum;
    __threadfence();
    states[block] = 2;
    below = before;
  }
  __syncthreads();
  C[block * BLOCK + t] = below + line[from][t];
}

// -- Some lanes of a warp ------------------------------------------------------------------------

__global__ void sums_of_half_warps(const float* A, float* C) {
  __shared__ float sum[BLOCK];  // (BLOCK)
  const int t = threadIdx.x;
  const int lane = t % WARP;
  const unsigned mask = lane < HALF ? kLowHalf : kHighHalf;
  sum[t] = A[blockIdx.x * BLOCK + t];
  __syncwarp(mask);
  for (int step = HALF / 2; step > 0; step /= 2) {
    if (lane % HALF < step) sum[t] += sum[t + step];
    __syncwarp(mask);
  }
  if (lane % HALF == 0) C[(blockIdx.x * BLOCK + t) / HALF] = sum[t];
}

__global__ void sum_of_the_low_half(const float* A, float* C) {
  __shared__ float sum[WARP];
  const int t = threadIdx.x;
  sum[t] = A[t];
  __syncwarp();
  if (t < HALF) {
    sum[t] += sum[t + HALF];
    __syncwarp(kLowHalf);
    for (int step = HALF / 2; step > 0; step /= 2) {
      const float other = t < step ? sum[t + step] : 0.0f;
      __syncwarp(kLowHalf);
      if (t < step) sum[t] += other;
      __syncwarp(kLowHalf);
    }
    if (t == 0) C[0] = sum[0];
  }
}

__global__ void groups_of_eight_lanes(const float* A, float* C) {
  __shared__ float line[BLOCK];  // (BLOCK)
  const int t = threadIdx.x;
  const unsigned mask = 0xFFu << (t % WARP / 8 * 8);
  float x = A[blockIdx.x * BLOCK + t];
  // Each group takes as many rounds as its number: the groups of a warp go apart.
  for (int round = 0; round <= t % WARP / 8; ++round) {
    line[t] = x;
    __syncwarp(mask);
    x = line[t / 8 * 8 + (t + 1) % 8];
    __syncwarp(mask);
  }
  C[blockIdx.x * BLOCK + t] = x;
}

__global__ void halves_then_the_warp(const float* A, float* C) {
  __shared__ float line[BLOCK];  // (BLOCK)
  const int t = threadIdx.x;
  const int lane = t % WARP;
  const unsigned mask = lane < HALF ? kLowHalf : kHighHalf;
  line[t] = A[blockIdx.x * BLOCK + t];
  __syncwarp(mask);
  const float own_half = line[t ^ 1];
  __syncwarp();
  C[blockIdx.x * BLOCK + t] = own_half + line[t ^ HALF];
}

__global__ void syncwarp_in_both_branches(const float* A, float* C) {
  __shared__ float line[WARP];
  const int t = threadIdx.x;
  if (t < HALF) {
    line[t] = A[t];
    __syncwarp();
    C[t] = line[t + HALF];
  } else {
    line[t] = -A[t];
    __syncwarp();
    C[t] = line[t - HALF];
  }
}

__global__ void chain_of_lanes(const float* A, float* C) {
  __shared__ float value;
  const int t = threadIdx.x;
  if (t == 0) value = A[0];
  // Each lane meets the one before it, then the one behind it, and nobody else.
  for (int i = 1; i < WARP; ++i) {
    if (t != i - 1 && t != i) continue;
    __syncwarp(3u << (i - 1));
    if (t == i) value += A[i];
  }
  if (t == WARP - 1) C[0] = value;
}

__global__ void last_warp_is_not_full(int n, const float* A, float* C) {
  __shared__ float line[48];
  const int t = threadIdx.x;
  line[t] = A[t];
  const unsigned mask = t < WARP ? 0xFFFFFFFFu : 0x0000FFFFu;
  __syncwarp(mask);
  C[t] = line[t ^ 1] + static_cast<float>(n);
}

// -- Compare and swap ----------------------------------------------------------------------------

/// atomicMax() for floats, as CUDA's programming guide makes what the GPU lacks: what the plain
/// load finds may be out of date, which costs another round.
__device__ inline void raise_to(float* largest, float x) {
  int* const word = reinterpret_cast<int*>(largest);
  int old = *word;
  int assumed;
  do {
    assumed = old;
    old = atomicCAS(word, assumed, __float_as_int(fmaxf(x, __int_as_float(assumed))));
  } while (assumed != old);
}

__global__ void largest_by_compare_and_swap(const float* A, float* C) {
  __shared__ float largest;
  const int t = threadIdx.x;
  if (t == 0) largest = -100.0f;
  __syncthreads();
  raise_to(&largest, A[blockIdx.x * BLOCK + t]);
  __syncthreads();
  if (t == 0) C[blockIdx.x] = largest;
}

/// The guide's atomicAdd() for doubles.
__device__ inline void add_double(double* sum, double x) {
  auto* const word = reinterpret_cast<unsigned long long*>(sum);
  unsigned long long old = *word;
  unsigned long long assumed;
  do {
    assumed = old;
    old = atomicCAS(word, assumed, __double_as_longlong(x + __longlong_as_double(assumed)));
  } while (assumed != old);
}

__global__ void doubles_by_compare_and_swap(int n, const float* A, float* C) {
  __shared__ double sum;
  const int t = threadIdx.x;
  if (t == 0) sum = 0.0;
  __syncthreads();
  // More accesses than a log holds: some lanes' logs end between the load and the swap.
  for (int i = t; i < 8 * n; i += BLOCK)
    add_double(&sum, A[i / 8]);
  __syncthreads();
  C[t] = static_cast<float>(sum);
}

__global__ void largest_of_all_blocks(const float* A, float* C) {
  raise_to(C, A[blockIdx.x * BLOCK + threadIdx.x]);
}

// -- The same value ------------------------------------------------------------------------------

__global__ void same_flag_from_many(const float* A, float* C) {
  __shared__ int any_negative;
  const int t = threadIdx.x;
  if (t == 0) any_negative = 0;
  __syncthreads();
  if (A[blockIdx.x * BLOCK + t] < -7.0f) any_negative = 1;
  __syncthreads();
  if (t == 0) C[blockIdx.x] = static_cast<float>(any_negative);
}

__global__ void same_value_from_all(int n, const float* A, float* C) {
  __shared__ float scale;
  scale = A[1] + static_cast<float>(n);  // every thread computes it
  __syncthreads();
  C[threadIdx.x] = A[threadIdx.x] * scale;
}

__global__ void cleared_by_every_warp(const float* A, float* C) {
  __shared__ float sums[2 * WARP];
  const int t = threadIdx.x;
  for (int i = t % WARP; i < 2 * WARP; i += WARP)
    sums[i] = 0.0f;
  __syncthreads();
  atomicAdd(&sums[t % (2 * WARP)], A[t]);
  __syncthreads();
  if (t < 2 * WARP) C[t] = sums[t];
}

__global__ void sorted_until_nothing_moves(const float* A, float* C) {
  __shared__ float line[BLOCK];  // (BLOCK)
  __shared__ bool moved;
  const int t = threadIdx.x;
  line[t] = A[blockIdx.x * BLOCK + t];
  __syncthreads();
  bool go_on = true;
  while (go_on) {
    moved = false;  // every thread says so
    __syncthreads();
    for (int odd = 0; odd < 2; ++odd) {
      const int i = 2 * t + odd;
      if (i + 1 < BLOCK && line[i] > line[i + 1]) {
        const float larger = line[i];
        line[i] = line[i + 1];
        line[i + 1] = larger;
        moved = true;
      }
      __syncthreads();
    }
    go_on = moved;
    __syncthreads();
  }
  C[blockIdx.x * BLOCK + t] = line[t];
}

__global__ void marks_of_values(const float* A, float* C) {
  __shared__ unsigned char seen[20];
  const int t = threadIdx.x;
  if (t < 20) seen[t] = 0;
  __syncthreads();
  seen[static_cast<int>(A[blockIdx.x * BLOCK + t]) + 8] = 1;
  __syncthreads();
  if (t < 17) C[blockIdx.x * 17 + t] = seen[t];
}

}  // namespace ladder::gallery_kernels

namespace ladder::gallery {
namespace {

constexpr int kBlocks = kM * kK / BLOCK;  // that elements of A fill

const LaunchShape kFullBlocks = {.grid = dim3(kBlocks), .block = dim3(BLOCK)};
const LaunchShape kOneBlock = {.grid = dim3(1), .block = dim3(BLOCK)};
const LaunchShape kOneWarp = {.grid = dim3(1), .block = dim3(WARP)};

void clear(float* words, int count) {
  launch(gallery_kernels::clear_words, {.grid = dim3(ceil_div(count, BLOCK)), .block = dim3(BLOCK)},
         count, reinterpret_cast<unsigned*>(words));
}

}  // namespace

void flag_behind_a_fence(const Arrays& arrays) {
  launch(gallery_kernels::flag_behind_a_fence, kOneBlock, arrays.A, arrays.C);
}

void volatile_flag_behind_a_fence(const Arrays& arrays) {
  launch(gallery_kernels::volatile_flag_behind_a_fence, kOneBlock, arrays.A, arrays.C);
}

void flag_within_a_warp(const Arrays& arrays) {
  launch(gallery_kernels::flag_within_a_warp, kOneWarp, arrays.A, arrays.C);
}

void sum_behind_a_lock(const Arrays& arrays) {
  launch(gallery_kernels::sum_behind_a_lock, kOneBlock, arrays.A, arrays.C);
}

void ball_between_two_lanes(const Arrays& arrays) {
  launch(gallery_kernels::ball_between_two_lanes, kOneWarp, 5, arrays.A, arrays.C);
}

void ring_of_two_warps(const Arrays& arrays) {
  launch(gallery_kernels::ring_of_two_warps, {.grid = dim3(1), .block = dim3(2 * WARP)}, 8,
         arrays.A, arrays.C);
}

void sum_by_the_last_block(const Arrays& arrays) {
  float* const partial = arrays.C + 2;  // (kBlocks)
  clear(arrays.C, 2);
  launch(gallery_kernels::sum_by_the_last_block, kFullBlocks, arrays.A, partial,
         reinterpret_cast<unsigned*>(arrays.C + 1), arrays.C);
}

void scan_with_look_back(const Arrays& arrays) {
  float* const sums = arrays.C + kBlocks * BLOCK;
  clear(sums, 3 * kBlocks);
  launch(gallery_kernels::scan_with_look_back, kFullBlocks, arrays.A, sums, sums + kBlocks,
         reinterpret_cast<unsigned*>(sums + 2 * kBlocks), arrays.C);
}

void sums_of_half_warps(const Arrays& arrays) {
  launch(gallery_kernels::sums_of_half_warps, kFullBlocks, arrays.A, arrays.C);
}

void sum_of_the_low_half(const Arrays& arrays) {
  launch(gallery_kernels::sum_of_the_low_half, kOneWarp, arrays.A, arrays.C);
}

void groups_of_eight_lanes(const Arrays& arrays) {
  launch(gallery_kernels::groups_of_eight_lanes, kFullBlocks, arrays.A, arrays.C);
}

void halves_then_the_warp(const Arrays& arrays) {
  launch(gallery_kernels::halves_then_the_warp, kFullBlocks, arrays.A, arrays.C);
}

void syncwarp_in_both_branches(const Arrays& arrays) {
  launch(gallery_kernels::syncwarp_in_both_branches, kOneWarp, arrays.A, arrays.C);
}

void chain_of_lanes(const Arrays& arrays) {
  launch(gallery_kernels::chain_of_lanes, kOneWarp, arrays.A, arrays.C);
}

void last_warp_is_not_full(const Arrays& arrays) {
  launch(gallery_kernels::last_warp_is_not_full, {.grid = dim3(1), .block = dim3(48)}, 1, arrays.A,
         arrays.C);
}

void same_flag_from_many(const Arrays& arrays) {
  launch(gallery_kernels::same_flag_from_many, kFullBlocks, arrays.A, arrays.C);
}

void largest_by_compare_and_swap(const Arrays& arrays) {
  launch(gallery_kernels::largest_by_compare_and_swap, kFullBlocks, arrays.A, arrays.C);
}

void doubles_by_compare_and_swap(const Arrays& arrays) {
  launch(gallery_kernels::doubles_by_compare_and_swap, kOneBlock, kM * kK, arrays.A, arrays.C);
}

void largest_of_all_blocks(const Arrays& arrays) {
  clear(arrays.C, 1);
  launch(gallery_kernels::largest_of_all_blocks, kFullBlocks, arrays.A, arrays.C);
}

void same_value_from_all(const Arrays& arrays) {
  launch(gallery_kernels::same_value_from_all, kOneBlock, 3, arrays.A, arrays.C);
}

void cleared_by_every_warp(const Arrays& arrays) {
  launch(gallery_kernels::cleared_by_every_warp, kOneBlock, arrays.A, arrays.C);
}

void sorted_until_nothing_moves(const Arrays& arrays) {
  launch(gallery_kernels::sorted_until_nothing_moves, kFullBlocks, arrays.A, arrays.C);
}

void marks_of_values(const Arrays& arrays) {
  launch(gallery_kernels::marks_of_values, kFullBlocks, arrays.A, arrays.C);
}

}  // namespace ladder::gallery
