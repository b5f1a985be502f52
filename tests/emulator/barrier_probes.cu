// SPDX-License-Identifier: MIT
#include "common/launch.cuh"
#include "tests/emulator/probes.hpp"

namespace ladder::probe_kernels {

__global__ void vote_at_barriers(const int* predicates, int* count, int* all, int* any) {
  const int predicate = predicates[threadIdx.x];
  count[threadIdx.x] = __syncthreads_count(predicate);
  all[threadIdx.x] = __syncthreads_and(predicate);
  any[threadIdx.x] = __syncthreads_or(predicate);
}

__global__ void rotate_through_shared(int steps, int* out) {
  __shared__ int ring[1024];
  int value = threadIdx.x;
  for (int step = 0; step < steps; ++step) {
    ring[threadIdx.x] = value;
    __syncthreads();
    value = ring[(threadIdx.x + 1) % blockDim.x];
    __syncthreads();
  }
  out[threadIdx.x] = value;
}

__global__ void divergent_barrier() {
  if (threadIdx.x % 2 == 0) {
    __syncthreads();  // even threads
  } else {
    __syncthreads();  // odd threads
  }
}

__global__ void votes_of_who_is_left(int first, int end, int* count, int* all) {
  const int t = threadIdx.x;
  if (t < first) return;
  if (t >= end) return;
  count[t] = __syncthreads_count(t % 2);
  all[t] = __syncthreads_and(1);
}

__global__ void barrier_of_each_warp() {
  if (threadIdx.x < 32) {
    __syncthreads();  // of warp 0
  } else if (threadIdx.x < 64) {
    __syncthreads();  // of warp 1
  } else {
    __syncthreads();  // of warps 2 and 3
  }
}

__global__ void spin_for_a_missing_barrier(int* flag) {
  if (threadIdx.x == 1) return;
  if (threadIdx.x == 0) {
    while (atomicAdd(flag, 0) == 0) {
    }
  }
  __syncthreads();  // thread 1 has left
  if (threadIdx.x == 2) atomicExch(flag, 1);
}

__global__ void divergent_in_block(unsigned first_bad) {
  __syncthreads();
  if (blockIdx.x >= first_bad && threadIdx.x == 0) {
    __syncthreads();
  } else {
    __syncthreads();  // thread 0 is elsewhere
  }
}

__global__ void barrier_in_loop_of_unequal_length(int* present) {
  for (unsigned i = 0; i < threadIdx.x + 1; ++i)
    present[i] = __syncthreads_count(1);
}

}  // namespace ladder::probe_kernels

namespace ladder::probes {

void vote_at_barriers(int threads, const int* predicates, int* count, int* all, int* any) {
  launch(probe_kernels::vote_at_barriers, {.grid = dim3(1), .block = dim3(threads)}, predicates,
         count, all, any);
}

void rotate_through_shared(int threads, int steps, int* out) {
  launch(probe_kernels::rotate_through_shared, {.grid = dim3(1), .block = dim3(threads)}, steps,
         out);
}

void divergent_barrier(int threads) {
  launch(probe_kernels::divergent_barrier, {.grid = dim3(1), .block = dim3(threads)});
}

void votes_of_who_is_left(int threads, int first, int end, int* count, int* all) {
  launch(probe_kernels::votes_of_who_is_left, {.grid = dim3(1), .block = dim3(threads)}, first, end,
         count, all);
}

void barrier_of_each_warp(int threads) {
  launch(probe_kernels::barrier_of_each_warp, {.grid = dim3(1), .block = dim3(threads)});
}

void spin_for_a_missing_barrier(int* flag) {
  launch(probe_kernels::spin_for_a_missing_barrier, {.grid = dim3(1), .block = dim3(64)}, flag);
}

void divergent_in_block(unsigned blocks, unsigned first_bad) {
  launch(probe_kernels::divergent_in_block, {.grid = dim3(blocks), .block = dim3(64)}, first_bad);
}

void barrier_in_loop_of_unequal_length(int threads, int* present) {
  launch(probe_kernels::barrier_in_loop_of_unequal_length,
         {.grid = dim3(1), .block = dim3(threads)}, present);
}

}  // namespace ladder::probes
