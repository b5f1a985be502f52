// SPDX-License-Identifier: MIT
/// \file  tests/gallery/order.cu
/// \brief Broken twins of sound_shared.cu and sound_order.cu: arrays of functions overrun, fences,
///        masks and barriers that are missing, threads that write different values.
#include "common/launch.cuh"
#include "tests/gallery/gallery.hpp"

namespace ladder {
namespace {

constexpr int BLOCK = 128;  // threads of a block in one dimension
constexpr int WARP = 32;    // lanes of a warp
constexpr int WARPS = BLOCK / WARP;
constexpr int HALF = WARP / 2;

constexpr unsigned kAllLanes = 0xFFFFFFFFu;
constexpr unsigned kLowHalf = 0x0000FFFFu;
constexpr unsigned kHighHalf = 0xFFFF0000u;

}  // namespace
}  // namespace ladder

namespace ladder::gallery_kernels {

// -- Arrays that are not the kernel's own --------------------------------------------------------

__shared__ float short_line_of_file[BLOCK];
extern __shared__ float short_dynamic_of_file[];

__global__ void beyond_the_array_of_a_file(const float* A, float* C) {
  const int t = threadIdx.x;
  const int i = blockIdx.x * BLOCK + t;
  const float x = t == 0 ? A[i + BLOCK] : 0.0f;
  float* const line = short_line_of_file;
  line[t] = A[i];
  if (t == 0) line[blockDim.x] = x;  // fault: the array has no place for the halo
  __syncthreads();
  C[i] = line[t] - line[BLOCK - 1 - t];
}

/// The value of the thread to the right.
__device__ inline float right_neighbour(float x) {
  __shared__ float ring[BLOCK];
  float* const line = ring;
  line[threadIdx.x] = x;
  __syncthreads();
  return line[threadIdx.x + 1];  // fault: the last thread has no right neighbour
}

__global__ void beyond_the_array_of_a_function(const float* A, float* C) {
  C[threadIdx.x] = right_neighbour(A[threadIdx.x]);
}

__global__ void dynamic_of_file_too_small(const float* A, float* C) {
  const int t = threadIdx.x;
  short_dynamic_of_file[t] = A[t];  // fault: the launch asked for one half
  __syncthreads();
  C[t] = short_dynamic_of_file[BLOCK - 1 - t];  // and here
}

// -- Fences and flags ----------------------------------------------------------------------------

__global__ void flag_without_a_fence(const float* A, float* C) {
  __shared__ float line[WARP];
  __shared__ int ready;
  const int t = threadIdx.x;
  if (t == 0) ready = 0;
  __syncthreads();
  if (t < WARP) {
    line[t] = A[t];  // and here
    atomicAdd(&ready, 1);
  } else {
    while (atomicAdd(&ready, 0) < WARP) {
    }
    __threadfence_block();
    C[t - WARP] = line[(t + 1) % WARP];  // fault: no fence before the flag
  }
}

__global__ void flag_without_the_readers_fence(const float* A, float* C) {
  __shared__ float line[WARP];
  __shared__ int ready;
  const int t = threadIdx.x;
  if (t == 0) ready = 0;
  __syncthreads();
  if (t < WARP) {
    line[t] = A[t];  // and here
    __threadfence_block();
    atomicAdd(&ready, 1);
  } else {
    while (atomicAdd(&ready, 0) < WARP) {
    }
    C[t - WARP] = line[(t + 1) % WARP];  // fault: no fence after the flag
  }
}

__global__ void flag_before_the_data(const float* A, float* C) {
  __shared__ float line[WARP];
  __shared__ volatile int ready;
  const int t = threadIdx.x;
  if (t == 0) ready = 0;
  if (t < WARP) line[t] = 0.0f;
  __syncthreads();
  if (t == BLOCK - 1) {
    __threadfence_block();
    ready = 1;
    for (int i = 0; i < WARP; ++i)
      line[i] = A[i];  // and here
  } else if (t < WARP) {
    while (ready == 0) {
    }
    __threadfence_block();
    C[t] = line[WARP - 1 - t];  // fault: the flag is set before the data
  }
}

// -- Some lanes of a warp ------------------------------------------------------------------------

__global__ void half_reads_the_other_half(const float* A, float* C) {
  __shared__ float line[BLOCK];  // (BLOCK)
  const int t = threadIdx.x;
  const unsigned mask = t % WARP < HALF ? kLowHalf : kHighHalf;
  line[t] = A[blockIdx.x * BLOCK + t];  // and here
  __syncwarp(mask);
  C[blockIdx.x * BLOCK + t] = line[t ^ HALF];  // fault: the mask orders one half only
}

__global__ void sum_read_by_the_other_half(const float* A, float* C) {
  __shared__ float sum[BLOCK];  // (BLOCK)
  const int t = threadIdx.x;
  const int lane = t % WARP;
  sum[t] = A[blockIdx.x * BLOCK + t];
  __syncwarp();
  if (lane < HALF) {
    for (int step = HALF; step > 0; step /= 2) {
      if (lane < step) sum[t] += sum[t + step];  // and here
      __syncwarp(kLowHalf);
    }
  }
  if (lane != WARP - 1) return;
  C[blockIdx.x * WARPS + t / WARP] = sum[t - lane];  // fault: this lane has met nobody since
}

// -- One function twice --------------------------------------------------------------------------

/// The sum over the block, for all of its threads.
__device__ inline float sum_twice(float x) {
  __shared__ float warp_sums[WARPS];
  for (int step = WARP / 2; step > 0; step /= 2)
    x += __shfl_xor_sync(kAllLanes, x, step);
  if (threadIdx.x % WARP == 0)
    warp_sums[threadIdx.x / WARP] = x;  // fault: some still read the first sum
  __syncthreads();
  x = 0.0f;
  for (int warp = 0; warp < WARPS; ++warp)
    x += warp_sums[warp];  // and here
  return x;
}

__global__ void array_of_a_function_used_again(const float* A, float* C) {
  const float x = A[threadIdx.x];
  const float mean = sum_twice(x) / BLOCK;
  C[threadIdx.x] = sum_twice((x - mean) * (x - mean));
}

// -- Different values ----------------------------------------------------------------------------

__global__ void flag_of_two_values(const float* A, float* C) {
  __shared__ int sign;
  const int t = threadIdx.x;
  if (t == 0) sign = 0;
  __syncthreads();
  if (A[t] != 0.0f) sign = A[t] < 0.0f ? -1 : 1;  // fault: some say -1 and some 1
  __syncthreads();
  if (t == 0) C[0] = static_cast<float>(sign);
}

__global__ void cleared_after_it_was_set(const float* A, float* C) {
  __shared__ int found;
  const int t = threadIdx.x;
  if (t == 0) found = 0;
  __syncthreads();
  found = A[t] == 8.0f ? 1 : 0;  // fault: those that found nothing clear the flag
  __syncthreads();
  C[t] = static_cast<float>(found);
}

// -- Endless waits -------------------------------------------------------------------------------

__global__ void volatile_wait_for_nobody(const float* A, float* C) {
  __shared__ volatile int ready;
  if (threadIdx.x == 0) ready = 0;
  __syncthreads();
  if (threadIdx.x > 0) {
    while (ready == 0) {  // fault: nobody sets the flag
    }
  }  // and here
  C[threadIdx.x] = A[threadIdx.x];
}

}  // namespace ladder::gallery_kernels

namespace ladder::gallery {
namespace {

const LaunchShape kFullBlocks = {.grid = dim3(kM * kK / BLOCK), .block = dim3(BLOCK)};
const LaunchShape kOneBlock = {.grid = dim3(1), .block = dim3(BLOCK)};

}  // namespace

void beyond_the_array_of_a_file(const Arrays& arrays) {
  launch(gallery_kernels::beyond_the_array_of_a_file, kOneBlock, arrays.A, arrays.C);
}

void beyond_the_array_of_a_function(const Arrays& arrays) {
  launch(gallery_kernels::beyond_the_array_of_a_function, kOneBlock, arrays.A, arrays.C);
}

void dynamic_of_file_too_small(const Arrays& arrays) {
  launch(gallery_kernels::dynamic_of_file_too_small,
         {.grid = dim3(1), .block = dim3(BLOCK), .dynamic_shared_bytes = BLOCK / 2 * sizeof(float)},
         arrays.A, arrays.C);
}

void flag_without_a_fence(const Arrays& arrays) {
  launch(gallery_kernels::flag_without_a_fence, kOneBlock, arrays.A, arrays.C);
}

void flag_without_the_readers_fence(const Arrays& arrays) {
  launch(gallery_kernels::flag_without_the_readers_fence, kOneBlock, arrays.A, arrays.C);
}

void flag_before_the_data(const Arrays& arrays) {
  launch(gallery_kernels::flag_before_the_data, kOneBlock, arrays.A, arrays.C);
}

void half_reads_the_other_half(const Arrays& arrays) {
  launch(gallery_kernels::half_reads_the_other_half, kFullBlocks, arrays.A, arrays.C);
}

void sum_read_by_the_other_half(const Arrays& arrays) {
  launch(gallery_kernels::sum_read_by_the_other_half, kFullBlocks, arrays.A, arrays.C);
}

void array_of_a_function_used_again(const Arrays& arrays) {
  launch(gallery_kernels::array_of_a_function_used_again, kOneBlock, arrays.A, arrays.C);
}

void flag_of_two_values(const Arrays& arrays) {
  launch(gallery_kernels::flag_of_two_values, kOneBlock, arrays.A, arrays.C);
}

void cleared_after_it_was_set(const Arrays& arrays) {
  launch(gallery_kernels::cleared_after_it_was_set, kOneBlock, arrays.A, arrays.C);
}

void volatile_wait_for_nobody(const Arrays& arrays) {
  launch(gallery_kernels::volatile_wait_for_nobody, kOneBlock, arrays.A, arrays.C);
}

}  // namespace ladder::gallery
