// SPDX-License-Identifier: MIT
#include "common/launch.cuh"
#include "tests/emulator/probes.hpp"

namespace ladder::probe_kernels {

__global__ void add_from_all(int* i, unsigned* u, unsigned long long* ull, float* f, double* d) {
  const unsigned number = blockIdx.x * blockDim.x + threadIdx.x;
  for (int round = 0; round < 20; ++round) {
    atomicAdd(i, -1);
    atomicAdd(u, 3u);
    atomicSub(u, 1u);
    atomicAdd(ull, 5000000000ull);
    atomicAdd(f, 0.5f);
    atomicAdd(d, static_cast<double>(number));
  }
}

__global__ void min_max_from_all(int* out, unsigned* unsigned_out) {
  const int number = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x) - 100;
  atomicMin(&out[0], number);
  atomicMax(&out[1], number);
  atomicMin(&unsigned_out[0], static_cast<unsigned>(number));
  atomicMax(&unsigned_out[1], static_cast<unsigned>(number));
}

__global__ void bits_from_all(unsigned* out) {
  atomicAnd(&out[0], ~(1u << threadIdx.x));
  atomicOr(&out[1], 1u << threadIdx.x);
  atomicXor(&out[2], 3u << threadIdx.x);
}

__global__ void increments(unsigned limit, unsigned* counters, unsigned* olds) {
  olds[threadIdx.x] = atomicInc(&counters[0], limit);
  olds[blockDim.x + threadIdx.x] = atomicDec(&counters[1], limit);
}

__global__ void scoped(int* out) {
  const int number = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  atomicAdd_block(&out[0], 2);
  atomicSub_system(&out[1], 3);
  atomicMax_system(&out[2], number);
  atomicMin_block(&out[3], number);
  if (atomicCAS_system(&out[4], number, number + 1000) == number) atomicExch_block(&out[5], number);
}

__global__ void exchange_chain(unsigned* slot, unsigned* taken) {
  const unsigned number = blockIdx.x * blockDim.x + threadIdx.x + 1;
  taken[number] = atomicExch(slot, number);
}

__global__ void spin_lock(unsigned* lock, int* counter) {
  while (atomicCAS(lock, 0u, 1u) != 0u) {
  }
  *counter += 1;
  __threadfence();
  atomicExch(lock, 0u);
}

__global__ void wait_for_last_thread(int* flag, int* out) {
  if (threadIdx.x == blockDim.x - 1) {
    atomicExch(flag, 1);
  } else {
    while (atomicAdd(flag, 0) == 0) {
    }
  }
  out[threadIdx.x] = *flag;
}

__global__ void wait_for_lower_block(int* flags) {
  if (threadIdx.x == 0 && blockIdx.x > 0) {
    while (atomicAdd(&flags[blockIdx.x - 1], 0) == 0) {
    }
  }
  __syncthreads();
  if (threadIdx.x == 0) atomicExch(&flags[blockIdx.x], 1);
}

}  // namespace ladder::probe_kernels

namespace ladder::probes {

void add_from_all(unsigned blocks, unsigned threads, int* i, unsigned* u, unsigned long long* ull,
                  float* f, double* d) {
  launch(probe_kernels::add_from_all, {.grid = dim3(blocks), .block = dim3(threads)}, i, u, ull, f,
         d);
}

void min_max_from_all(unsigned blocks, unsigned threads, int* out, unsigned* unsigned_out) {
  launch(probe_kernels::min_max_from_all, {.grid = dim3(blocks), .block = dim3(threads)}, out,
         unsigned_out);
}

void bits_from_all(unsigned* out) {
  launch(probe_kernels::bits_from_all, {.grid = dim3(1), .block = dim3(31)}, out);
}

void increments(unsigned threads, unsigned limit, unsigned* counters, unsigned* olds) {
  launch(probe_kernels::increments, {.grid = dim3(1), .block = dim3(threads)}, limit, counters,
         olds);
}

void scoped_atomics(int* out) {
  launch(probe_kernels::scoped, {.grid = dim3(4), .block = dim3(64)}, out);
}

void exchange_chain(unsigned blocks, unsigned threads, unsigned* slot, unsigned* taken) {
  launch(probe_kernels::exchange_chain, {.grid = dim3(blocks), .block = dim3(threads)}, slot,
         taken);
}

void spin_lock(unsigned blocks, unsigned threads, unsigned* lock, int* counter) {
  launch(probe_kernels::spin_lock, {.grid = dim3(blocks), .block = dim3(threads)}, lock, counter);
}

void wait_for_last_thread(int* flag, int* out) {
  launch(probe_kernels::wait_for_last_thread, {.grid = dim3(1), .block = dim3(256)}, flag, out);
}

void wait_for_lower_block(unsigned blocks, int* flags) {
  launch(probe_kernels::wait_for_lower_block, {.grid = dim3(blocks), .block = dim3(32)}, flags);
}

}  // namespace ladder::probes
