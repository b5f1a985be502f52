// SPDX-License-Identifier: MIT
#include "common/launch.cuh"
#include "tests/emulator/probes.hpp"

namespace ladder::probe_kernels {

__global__ void write_null(unsigned bad_block, unsigned bad_thread, float* address) {
  __syncthreads();
  if (blockIdx.x >= bad_block && threadIdx.x == bad_thread) {
    address[2] = 1.0f;  // writes through null
  }
}

__global__ void read_wild(const float* address, float* out) {
  *out = *address;  // reads what is not there
}

__global__ void copy_misaligned(const float* in, float* out) {
  float4* to = reinterpret_cast<float4*>(out + 1);
  *to = *reinterpret_cast<const float4*>(in);  // not a multiple of 16
}

__global__ void divide(int divisor, int* out) {
  *out = 100 / divisor;  // by zero
}

__global__ void trap() {
  if (threadIdx.x == 4) __trap();  // on purpose
}

__device__ __noinline__ float deeper(int depth, const float* from) {
  float local[256];
  for (int i = 0; i < 256; ++i)
    local[i] = from[(i + 1) % 256] + depth;
  if (depth == 0) return local[17];
  return deeper(depth - 1, local) + local[3];  // needs a stack frame
}

__device__ __noinline__ void count_up(int count, float* to) {
  for (int i = 0; i < count; ++i)
    to[i] = i;  // up to count
}

__global__ void fill_array(int count, float* out) {
  if (threadIdx.x != 3) return;
  float local[4][4];  // one array
  count_up(count, local[0]);
  *out = local[(count - 1) / 4 % 4][(count - 1) % 4];
}

__global__ void fill_downwards(size_t count, float* out) {
  if (threadIdx.x != 3) return;
  float local[16];
  float* const last = &local[15];
  for (size_t i = 0; i < count; ++i)
    last[-static_cast<long>(i)] = i;  // down to count
  *out = local[16 - count % 17];
}

__global__ void fill_two_arrays(int count, float* out) {
  if (threadIdx.x != 3) return;
  float larger[16];  // one of two
  float smaller[8];  // the other of two
  count_up(count, larger);
  count_up(count / 2, smaller);
  *out = larger[(count - 1) % 16] + 0.0f * smaller[count % 8 / 2];
}

__global__ void overflow_stack(int depth, float* out) {
  float first[256] = {};
  *out = deeper(depth, first);
}

__global__ void copy_bytes(char* to, const char* from, size_t count) {
  memcpy(to, from, count);  // in the C library
}

__global__ void endless_loop(unsigned bad_thread) {
  __shared__ unsigned value;
  if (threadIdx.x == 0) value = 1;
  __syncthreads();
  if (threadIdx.x == bad_thread) {
    while ((value = value * 3 + 1) != 1 || true) {  // forever
    }
  }
}

__global__ void endless_spin(int* flag) {
  while (atomicAdd(flag, 0) == 0) {  // nobody sets it
  }
}

__global__ void endless_shuffle() {
  while (__any_sync(0xFFFFFFFFu, 1)) {  // always true
  }
}

__global__ void slow_but_passing(int rounds, int* out) {
  volatile int sink = 0;
  for (int round = 0; round < rounds; ++round) {
    for (int i = 0; i < 200000; ++i)
      sink = sink + i;
    __syncthreads();
  }
  *out = rounds;
}

}  // namespace ladder::probe_kernels

namespace ladder::probes {
namespace {

const LaunchShape kOneThread = {.grid = dim3(1), .block = dim3(1)};
const LaunchShape kOneWarp = {.grid = dim3(1), .block = dim3(32)};

}  // namespace

void write_null(unsigned blocks, unsigned bad_block, unsigned bad_thread) {
  launch(probe_kernels::write_null, {.grid = dim3(blocks), .block = dim3(64)}, bad_block,
         bad_thread, static_cast<float*>(nullptr));
}

void read_wild(const float* address, float* out) {
  launch(probe_kernels::read_wild, kOneThread, address, out);
}

void copy_misaligned(const float* in, float* out) {
  launch(probe_kernels::copy_misaligned, kOneThread, in, out);
}

void divide(int divisor, int* out) {
  launch(probe_kernels::divide, kOneThread, divisor, out);
}

void trap() {
  launch(probe_kernels::trap, kOneWarp);
}

void overflow_stack(float* out) {
  launch(probe_kernels::overflow_stack, kOneThread, 1000, out);
}

void fill_array(int count, float* out) {
  launch(probe_kernels::fill_array, kOneWarp, count, out);
}

void fill_downwards(size_t count, float* out) {
  launch(probe_kernels::fill_downwards, kOneWarp, count, out);
}

void fill_two_arrays(int count, float* out) {
  launch(probe_kernels::fill_two_arrays, kOneWarp, count, out);
}

void fill_array_of_host(int count, float* out) {
  float local[16];
  probe_kernels::count_up(count, local);
  *out = local[(count - 1) % 16];
}

void copy_bytes_to_null() {
  static const char bytes[4096] = {};
  launch(probe_kernels::copy_bytes, kOneThread, static_cast<char*>(nullptr), bytes, sizeof bytes);
}

void endless_loop(unsigned bad_thread) {
  launch(probe_kernels::endless_loop, kOneWarp, bad_thread);
}

void endless_spin(int* flag) {
  launch(probe_kernels::endless_spin, kOneWarp, flag);
}

void endless_shuffle() {
  launch(probe_kernels::endless_shuffle, kOneWarp);
}

void slow_but_passing(int rounds, int* out) {
  launch(probe_kernels::slow_but_passing, kOneThread, rounds, out);
}

}  // namespace ladder::probes
