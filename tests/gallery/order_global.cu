// SPDX-License-Identifier: MIT
/// \file  tests/gallery/order_global.cu
/// \brief Blocks and threads that put their accesses to global memory in order by fences, atomics
///        and flags, and ones that only seem to.
#include "common/launch.cuh"
#include "tests/gallery/gallery.hpp"

namespace ladder {
namespace {

constexpr int BLOCK = 128;  // threads of a block in one dimension
constexpr int BLOCKS = 8;   // of the grid
constexpr int COUNT = 64;   // where in C counts and flags begin, behind the results

}  // namespace
}  // namespace ladder

namespace ladder::gallery_kernels {

/// Counts and flags lie in C, too.
__device__ unsigned* counts_in(float* C) {
  return reinterpret_cast<unsigned*>(C + COUNT);
}

__global__ void clear(int count, float* C) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i < count) C[i] = 0.0f;
}

// -- The last block ------------------------------------------------------------------------------

__global__ void last_block_without_fence(const float* A, float* C) {
  __shared__ bool last;
  if (threadIdx.x == 0) {
    C[blockIdx.x] = A[blockIdx.x];  // and here
    last = atomicAdd(counts_in(C), 1u) == BLOCKS - 1;
  }
  __syncthreads();
  if (!last || threadIdx.x != 0) return;
  float sum = 0.0f;
  for (int i = 0; i < BLOCKS; ++i)
    sum += C[i];  // fault: nothing says that the others' sums are there
  C[BLOCKS] = sum;
}

__global__ void last_block_behind_fences(const float* A, float* C) {
  __shared__ bool last;
  if (threadIdx.x == 0) {
    C[blockIdx.x] = A[blockIdx.x];
    __threadfence();
    last = atomicAdd(counts_in(C), 1u) == BLOCKS - 1;
  }
  __syncthreads();
  if (!last || threadIdx.x != 0) return;
  float sum = 0.0f;
  for (int i = 0; i < BLOCKS; ++i)
    sum += C[i];
  C[BLOCKS] = sum;
}

__global__ void last_block_of_fenced_threads(const float* A, float* C) {
  __shared__ bool last;
  if (threadIdx.x < 4) C[4 * blockIdx.x + threadIdx.x] = A[threadIdx.x];
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) last = atomicInc(counts_in(C), BLOCKS) == BLOCKS - 1;
  __syncthreads();
  if (!last || threadIdx.x >= 4) return;
  float sum = 0.0f;
  for (int i = 0; i < BLOCKS; ++i)
    sum += static_cast<volatile float*>(C)[4 * i + threadIdx.x];
  C[4 * BLOCKS + threadIdx.x] = sum;
}

// -- Locks ---------------------------------------------------------------------------------------

__global__ void lock_opened_by_a_store(const float* A, float* C) {
  if (threadIdx.x != 0) return;
  unsigned* const lock = counts_in(C);
  while (atomicCAS(lock, 0u, 1u) != 0u) {  // and here
  }
  __threadfence();
  C[0] += A[blockIdx.x];  // and here
  __threadfence();
  *lock = 0u;  // fault: a plain store opens the lock
}

__global__ void lock_opened_atomically(const float* A, float* C) {
  if (threadIdx.x != 0) return;
  unsigned* const lock = counts_in(C);
  while (atomicCAS(lock, 0u, 1u) != 0u) {
  }
  __threadfence();
  C[0] += A[blockIdx.x];
  __threadfence();
  atomicExch(lock, 0u);
}

__global__ void lock_without_fences(const float* A, float* C) {
  if (threadIdx.x != 0) return;
  unsigned* const lock = counts_in(C);
  while (atomicCAS(lock, 0u, 1u) != 0u) {
  }
  C[0] += A[blockIdx.x];  // fault: a lock needs fences inside
  atomicExch(lock, 0u);
}

// -- Scopes --------------------------------------------------------------------------------------

__global__ void fence_of_the_block_only(const float* A, float* C) {
  if (threadIdx.x != 0) return;
  unsigned* const ready = counts_in(C);
  if (blockIdx.x == 0) {
    C[0] = A[0];  // and here
    __threadfence_block();
    atomicExch(ready, 1u);
    return;
  }
  while (atomicAdd(ready, 0u) == 0u) {
  }
  __threadfence();
  C[blockIdx.x] = C[0];  // fault: the fence was for the other block's own threads
}

__global__ void fence_for_all_blocks(const float* A, float* C) {
  if (threadIdx.x != 0) return;
  unsigned* const ready = counts_in(C);
  if (blockIdx.x == 0) {
    C[0] = A[0];
    __threadfence();
    atomicExch(ready, 1u);
    return;
  }
  while (atomicAdd(ready, 0u) == 0u) {
  }
  __threadfence();
  C[blockIdx.x] = C[0];
}

__global__ void count_of_the_block_only(float* C) {
  atomicAdd_block(&C[threadIdx.x % 8], 1.0f);  // fault: other blocks add here, too
}

__global__ void count_of_all_blocks(float* C) {
  atomicAdd(&C[threadIdx.x % 8], 1.0f);
  atomicAdd_block(&C[8 + blockIdx.x], 1.0f);
}

// -- Within a block ------------------------------------------------------------------------------

__global__ void race_beside_an_atomic(const float* A, float* C) {
  const int i = threadIdx.x;
  C[BLOCK + i] = A[i];  // and here
  atomicAdd(counts_in(C), 1u);
  C[2 * BLOCK + i] = C[2 * BLOCK - 1 - i];  // fault: the count has nothing to do with it
}

__global__ void barrier_beside_an_atomic(const float* A, float* C) {
  const int i = threadIdx.x;
  C[BLOCK + i] = A[i];
  atomicAdd(counts_in(C), 1u);
  __syncthreads();
  C[2 * BLOCK + i] = C[2 * BLOCK - 1 - i];
}

__global__ void fence_for_a_barrier(const float* A, float* C) {
  const int i = threadIdx.x;
  C[i] = A[i];  // and here
  __threadfence_block();
  C[BLOCK + i] = C[BLOCK - 1 - i];  // fault: a fence waits for nobody
}

// -- A prefix sum over blocks --------------------------------------------------------------------

/// C[b] is the block's own value, C[BLOCKS + b] the sum up to it; its flag says which is there.
__global__ void look_back(const float* A, float* C) {
  if (threadIdx.x != 0) return;
  const int block = blockIdx.x;
  unsigned* const flags = counts_in(C);
  const float own = A[block];
  C[block] = own;
  __threadfence();
  atomicExch(&flags[block], 1u);
  float before = 0.0f;
  for (int other = block - 1; other >= 0; --other) {
    unsigned flag = 0;
    while ((flag = static_cast<volatile unsigned*>(flags)[other]) == 0u) {
    }
    __threadfence();
    before += flag == 2u ? C[BLOCKS + other] : C[other];
    if (flag == 2u) break;
  }
  C[BLOCKS + block] = before + own;
  __threadfence();
  atomicExch(&flags[block], 2u);
}

__global__ void look_back_without_a_fence(const float* A, float* C) {
  if (threadIdx.x != 0) return;
  const int block = blockIdx.x;
  unsigned* const flags = counts_in(C);
  float before = 0.0f;
  if (block > 0) {
    while (static_cast<volatile unsigned*>(flags)[block - 1] == 0u) {
    }
    __threadfence();
    before = C[block - 1];  // fault: the flag may be there before the sum
  }
  C[block] = before + A[block];  // and here
  static_cast<volatile unsigned*>(flags)[block] = 1u;
}

}  // namespace ladder::gallery_kernels

namespace ladder::gallery {
namespace {

const LaunchShape kAll = {.grid = dim3(BLOCKS), .block = dim3(BLOCK)};
const LaunchShape kOneBlock = {.grid = dim3(1), .block = dim3(BLOCK)};

void clear(const Arrays& arrays) {
  launch(gallery_kernels::clear, kOneBlock, BLOCK, arrays.C);
}

}  // namespace

void last_block_without_fence(const Arrays& arrays) {
  clear(arrays);
  launch(gallery_kernels::last_block_without_fence, kAll, arrays.A, arrays.C);
}

void last_block_behind_fences(const Arrays& arrays) {
  clear(arrays);
  launch(gallery_kernels::last_block_behind_fences, kAll, arrays.A, arrays.C);
}

void last_block_of_fenced_threads(const Arrays& arrays) {
  clear(arrays);
  launch(gallery_kernels::last_block_of_fenced_threads, kAll, arrays.A, arrays.C);
}

void lock_opened_by_a_store(const Arrays& arrays) {
  clear(arrays);
  launch(gallery_kernels::lock_opened_by_a_store, kAll, arrays.A, arrays.C);
}

void lock_opened_atomically(const Arrays& arrays) {
  clear(arrays);
  launch(gallery_kernels::lock_opened_atomically, kAll, arrays.A, arrays.C);
}

void lock_without_fences(const Arrays& arrays) {
  clear(arrays);
  launch(gallery_kernels::lock_without_fences, kAll, arrays.A, arrays.C);
}

void fence_of_the_block_only(const Arrays& arrays) {
  clear(arrays);
  launch(gallery_kernels::fence_of_the_block_only, kAll, arrays.A, arrays.C);
}

void fence_for_all_blocks(const Arrays& arrays) {
  clear(arrays);
  launch(gallery_kernels::fence_for_all_blocks, kAll, arrays.A, arrays.C);
}

void count_of_the_block_only(const Arrays& arrays) {
  clear(arrays);
  launch(gallery_kernels::count_of_the_block_only, kAll, arrays.C);
}

void count_of_all_blocks(const Arrays& arrays) {
  clear(arrays);
  launch(gallery_kernels::count_of_all_blocks, kAll, arrays.C);
}

void race_beside_an_atomic(const Arrays& arrays) {
  clear(arrays);
  launch(gallery_kernels::race_beside_an_atomic, kOneBlock, arrays.A, arrays.C);
}

void barrier_beside_an_atomic(const Arrays& arrays) {
  clear(arrays);
  launch(gallery_kernels::barrier_beside_an_atomic, kOneBlock, arrays.A, arrays.C);
}

void fence_for_a_barrier(const Arrays& arrays) {
  launch(gallery_kernels::fence_for_a_barrier, kOneBlock, arrays.A, arrays.C);
}

void look_back(const Arrays& arrays) {
  clear(arrays);
  launch(gallery_kernels::look_back, kAll, arrays.A, arrays.C);
}

void look_back_without_a_fence(const Arrays& arrays) {
  clear(arrays);
  launch(gallery_kernels::look_back_without_a_fence, kAll, arrays.A, arrays.C);
}

}  // namespace ladder::gallery
