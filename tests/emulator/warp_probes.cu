// SPDX-License-Identifier: MIT
#include "common/launch.cuh"
#include "tests/emulator/probes.hpp"

namespace ladder::probe_kernels {

constexpr unsigned kAll = 0xFFFFFFFFu;

__device__ bool takes_part(unsigned mask) {
  return mask >> (threadIdx.x % 32) & 1u;
}

__global__ void shuffle_ints(unsigned mask, int width, int operand, const int* in, int* out) {
  if (!takes_part(mask)) return;
  const int value = in[threadIdx.x];
  int* own = out + 4 * threadIdx.x;
  own[0] = __shfl_sync(mask, value, operand, width);
  own[1] = __shfl_up_sync(mask, value, operand, width);
  own[2] = __shfl_down_sync(mask, value, operand, width);
  own[3] = __shfl_xor_sync(mask, value, operand, width);
}

__global__ void shuffle_types(unsigned mask, double* doubles, long long* longs, float* halves) {
  const int lane = threadIdx.x;
  if (!takes_part(mask)) return;
  doubles[lane] = __shfl_xor_sync(mask, 1.0 / (lane + 1), 1);
  longs[lane] = __shfl_xor_sync(mask, 10000000000LL * lane, 1);
  halves[lane] = __half2float(__shfl_xor_sync(mask, __float2half(lane * 0.5f), 1));
}

__global__ void vote(unsigned mask, const int* predicates, unsigned* out) {
  if (!takes_part(mask)) return;
  unsigned* own = out + 3 * threadIdx.x;
  own[0] = __ballot_sync(mask, predicates[threadIdx.x]);
  own[1] = __any_sync(mask, predicates[threadIdx.x]);
  own[2] = __all_sync(mask, predicates[threadIdx.x]);
}

__global__ void match(unsigned mask, const int* in, unsigned* any, unsigned* all, int* equal) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 700
  if (!takes_part(mask)) return;
  any[threadIdx.x] = __match_any_sync(mask, in[threadIdx.x]);
  all[threadIdx.x] = __match_all_sync(mask, in[threadIdx.x], &equal[threadIdx.x]);
#endif
}

__global__ void reduce(unsigned mask, const int* in, int* out, unsigned* bits) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
  if (!takes_part(mask)) return;
  const int value = in[threadIdx.x];
  int* own = out + 3 * threadIdx.x;
  own[0] = __reduce_add_sync(mask, value);
  own[1] = __reduce_min_sync(mask, value);
  own[2] = __reduce_max_sync(mask, value);
  unsigned* own_bits = bits + 5 * threadIdx.x;
  own_bits[0] = __reduce_and_sync(mask, static_cast<unsigned>(value));
  own_bits[1] = __reduce_or_sync(mask, static_cast<unsigned>(value));
  own_bits[2] = __reduce_xor_sync(mask, static_cast<unsigned>(value));
  own_bits[3] = __reduce_min_sync(mask, static_cast<unsigned>(value));
  own_bits[4] = __reduce_max_sync(mask, static_cast<unsigned>(value));
#endif
}

__global__ void halves_of_a_warp(int* out) {
  const int lane = threadIdx.x;
  if (lane < 16) {
    int sum = lane;
    for (int step = 8; step > 0; step /= 2)
      sum += __shfl_xor_sync(0x0000FFFFu, sum, step);
    out[lane] = sum;
  } else {
    out[lane] = __shfl_sync(0xFFFF0000u, lane * lane, 31);
  }
  __syncwarp();
  out[lane] += 1000;
}

/// Lane 1 first meets lane 3 and then lane 2, which has been waiting for it with another mask.
__global__ void chain_of_masks(int* out) {
  const int lane = threadIdx.x;
  int value = lane + 1;
  if (lane == 1 || lane == 3) value += 10 * __shfl_xor_sync(0xAu, lane, 2);
  if (lane == 1 || lane == 2) value += 100 * __shfl_xor_sync(0x6u, value, 3);
  out[lane] = value;
}

__global__ void active_mask(unsigned* out) {
  const unsigned lane = threadIdx.x;
  out[lane] = __activemask();
  if (lane % 4 == 0) {
    out[32 + lane] = __activemask();
  } else if (lane < 8) {
    out[32 + lane] = __activemask();
  } else {
    __syncwarp(0xFFFFFF00u & ~0x11111111u);
    out[32 + lane] = 0;
  }
}

__global__ void sum_of_partial_warp(float* out) {
  float sum = 1.0f;
  for (int step = 16; step > 0; step /= 2)
    sum += __shfl_down_sync(kAll, sum, step);
  out[threadIdx.x] = sum;
}

__global__ void lane_not_in_mask() {
  __syncwarp(0xFFFFFFFEu);  // lane 0 is not in the mask
}

/// out[t] = what lane t + 1 has; lanes from 20 on leave, some of them late.
__global__ void lanes_leave(int* out) {
  const int t = static_cast<int>(threadIdx.x);
  if (t >= 24) return;
  __syncwarp(0xFFFFFFu);
  if (t >= 20) {
    if (t == 21) __syncwarp(1u << 21);
    return;
  }
  __syncwarp();
  const unsigned votes = __ballot_sync(kAll, t % 2);
  out[t] = __shfl_down_sync(kAll, t, 1);
  if (t == 0) out[20] = static_cast<int>(votes);
}

__global__ void lane_at_barrier() {
  if (threadIdx.x >= 32 + 5 || threadIdx.x < 32) {
    __syncthreads();
  } else {
    __ballot_sync(kAll, 1);  // lanes below 5
  }
}

__global__ void different_functions() {
  if (threadIdx.x < 3) {
    __any_sync(kAll, 1);  // lanes below 3
  } else {
    __all_sync(kAll, 1);
  }
}

__global__ void different_masks() {
  if (threadIdx.x < 2) {
    __syncwarp(0x3u | 0x4u);  // mask 7
  } else {
    __syncwarp(0x3u | 0xCu);
  }
}

__global__ void ring_of_masks() {
  const int lane = threadIdx.x;
  if (lane == 0) __syncwarp(0x3u);  // waits for lane 1
  if (lane == 1) __syncwarp(0x6u);
  if (lane == 2) __syncwarp(0x5u);
}

__global__ void bad_width() {
  __shfl_sync(kAll, 1, 0, 12);  // twelve
}

__global__ void take_numbers(int* next, int* first, int* second) {
  first[threadIdx.x] = atomicAdd(next, 1);
  __syncwarp();
  second[threadIdx.x] = atomicAdd(next, 1);
}

__global__ void released_too_early(int* out) {
  __shared__ int tile[32];
  __shared__ int released;
  if (threadIdx.x == 0) released = 0;
  if (threadIdx.x < 32) tile[threadIdx.x] = threadIdx.x;
  __syncthreads();
  if (threadIdx.x < 32) {
    if (threadIdx.x == 0) atomicExch(&released, 1);  // the place for it is behind __syncwarp()
    out[threadIdx.x] = tile[threadIdx.x];
    __syncwarp();
  } else if (threadIdx.x == 32) {
    while (atomicAdd(&released, 0) == 0) {
    }
    for (int& element : tile)
      element = -1;
  }
}

}  // namespace ladder::probe_kernels

namespace ladder::probes {
namespace {

const LaunchShape kOneWarp = {.grid = dim3(1), .block = dim3(32)};

}  // namespace

void shuffle_ints(unsigned threads, unsigned mask, int width, int operand, const int* in,
                  int* out) {
  launch(probe_kernels::shuffle_ints, {.grid = dim3(1), .block = dim3(threads)}, mask, width,
         operand, in, out);
}

void shuffle_types(unsigned mask, double* doubles, long long* longs, float* halves) {
  launch(probe_kernels::shuffle_types, kOneWarp, mask, doubles, longs, halves);
}

void vote(unsigned threads, unsigned mask, const int* predicates, unsigned* out) {
  launch(probe_kernels::vote, {.grid = dim3(1), .block = dim3(threads)}, mask, predicates, out);
}

void match(unsigned mask, const int* in, unsigned* any, unsigned* all, int* equal) {
  launch(probe_kernels::match, kOneWarp, mask, in, any, all, equal);
}

void reduce(unsigned mask, const int* in, int* out, unsigned* bits) {
  launch(probe_kernels::reduce, kOneWarp, mask, in, out, bits);
}

void halves_of_a_warp(int* out) {
  launch(probe_kernels::halves_of_a_warp, kOneWarp, out);
}

void chain_of_masks(int* out) {
  launch(probe_kernels::chain_of_masks, kOneWarp, out);
}

void active_mask(unsigned* out) {
  launch(probe_kernels::active_mask, kOneWarp, out);
}

void sum_of_partial_warp(unsigned threads, float* out) {
  launch(probe_kernels::sum_of_partial_warp, {.grid = dim3(1), .block = dim3(threads)}, out);
}

void lane_not_in_mask() {
  launch(probe_kernels::lane_not_in_mask, kOneWarp);
}

void lanes_leave(int* out) {
  launch(probe_kernels::lanes_leave, kOneWarp, out);
}

void lane_at_barrier() {
  launch(probe_kernels::lane_at_barrier, {.grid = dim3(1), .block = dim3(64)});
}

void different_functions() {
  launch(probe_kernels::different_functions, kOneWarp);
}

void different_masks() {
  launch(probe_kernels::different_masks, {.grid = dim3(1), .block = dim3(4)});
}

void ring_of_masks() {
  launch(probe_kernels::ring_of_masks, {.grid = dim3(1), .block = dim3(3)});
}

void bad_width() {
  launch(probe_kernels::bad_width, kOneWarp);
}

void take_numbers(int* first, int* second) {
  int next = 0;
  launch(probe_kernels::take_numbers, {.grid = dim3(1), .block = dim3(96)}, &next, first, second);
}

void released_too_early(int* out) {
  launch(probe_kernels::released_too_early, {.grid = dim3(1), .block = dim3(64)}, out);
}

}  // namespace ladder::probes
