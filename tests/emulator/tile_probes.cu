// SPDX-License-Identifier: MIT
#include "common/launch.cuh"
#include "common/ptx/ldmatrix.cuh"
#include "common/ptx/mma.cuh"
#include "tests/emulator/tile_probes.hpp"

namespace ladder::probe_kernels {

using namespace ladder::ptx;

constexpr int kMostWords = 4096;

/// Lane i loads with the row that begins at element places[i] of the memory.
template <bool transposed, int tiles>
__global__ void load_tiles(const unsigned short* memory, const int* places, unsigned* out) {
  alignas(16) __shared__ unsigned short shared[2 * kMostWords];
  for (int i = threadIdx.x; i < 2 * kMostWords; i += 32)
    shared[i] = memory[i];
  __syncthreads();
  unsigned words[tiles];
  ldmatrix<transposed>(words, &shared[places[threadIdx.x]]);
  for (int i = 0; i < tiles; ++i)
    out[tiles * threadIdx.x + i] = words[i];
}

template <bool transposed>
__global__ void store_tiles(const unsigned* in, const int* places, unsigned short* memory) {
  alignas(16) __shared__ unsigned short shared[2 * kMostWords];
  for (int i = threadIdx.x; i < 2 * kMostWords; i += 32)
    shared[i] = 0;
  __syncthreads();
  unsigned words[4];
  for (int i = 0; i < 4; ++i)
    words[i] = in[4 * threadIdx.x + i];
  stmatrix<transposed>(&shared[places[threadIdx.x]], words);
  __syncthreads();
  for (int i = threadIdx.x; i < 2 * kMostWords; i += 32)
    memory[i] = shared[i];
}

__global__ void multiply_bf16(const unsigned* a, const unsigned* b, float* sums) {
  unsigned own_a[4], own_b[2];
  float sum[4];
  for (int i = 0; i < 4; ++i) {
    own_a[i] = a[4 * threadIdx.x + i];
    sum[i] = sums[4 * threadIdx.x + i];
  }
  for (int i = 0; i < 2; ++i)
    own_b[i] = b[2 * threadIdx.x + i];
  mma_bf16(sum, own_a, own_b);
  for (int i = 0; i < 4; ++i)
    sums[4 * threadIdx.x + i] = sum[i];
}

__global__ void multiply_tf32(const float* a, const float* b, float* sums) {
  unsigned own_a[4], own_b[2];
  float sum[4];
  for (int i = 0; i < 4; ++i) {
    own_a[i] = to_tf32(a[4 * threadIdx.x + i]);
    sum[i] = sums[4 * threadIdx.x + i];
  }
  for (int i = 0; i < 2; ++i)
    own_b[i] = to_tf32(b[2 * threadIdx.x + i]);
  mma_tf32(sum, own_a, own_b);
  for (int i = 0; i < 4; ++i)
    sums[4 * threadIdx.x + i] = sum[i];
}

__global__ void load_odd_row(unsigned* out) {
  alignas(16) __shared__ unsigned short shared[320];
  shared[threadIdx.x] = 1;
  unsigned words[4];
  ldmatrix<false>(words, &shared[8 * threadIdx.x + 4]);  // 8 bytes off
  out[threadIdx.x] = words[0];
}

__global__ void load_row_of_global_memory(const unsigned short* memory, unsigned* out) {
  unsigned words[4];
  ldmatrix<false>(words, memory);  // not in shared memory
  out[threadIdx.x] = words[0];
}

__global__ void store_odd_row() {
  alignas(16) __shared__ unsigned short shared[320];
  const unsigned words[4] = {};
  stmatrix<false>(&shared[8 * threadIdx.x + 4], words);  // stored 8 bytes off
}

__global__ void multiply_with_half_a_warp(float* sums) {
  if (threadIdx.x >= 16) return;
  const unsigned a[4] = {}, b[2] = {};
  float sum[4] = {};
  mma_bf16(sum, a, b);  // by 16 lanes
  sums[threadIdx.x] = sum[0];
}

}  // namespace ladder::probe_kernels

namespace ladder::probes {

namespace kernels = ladder::probe_kernels;

const LaunchShape kWarp = {.grid = dim3(1), .block = dim3(32)};

void load_tiles(int tiles, bool transposed, const unsigned short* memory, const int* places,
                unsigned* out) {
  const auto run = [&](auto plain, auto turned) {
    launch(transposed ? turned : plain, kWarp, memory, places, out);
  };
  if (tiles == 1) run(kernels::load_tiles<false, 1>, kernels::load_tiles<true, 1>);
  if (tiles == 2) run(kernels::load_tiles<false, 2>, kernels::load_tiles<true, 2>);
  if (tiles == 4) run(kernels::load_tiles<false, 4>, kernels::load_tiles<true, 4>);
}

void store_tiles(bool transposed, const unsigned* in, const int* places, unsigned short* memory) {
  launch(transposed ? kernels::store_tiles<true> : kernels::store_tiles<false>, kWarp, in, places,
         memory);
}

void multiply_bf16(const unsigned* a, const unsigned* b, float* sums) {
  launch(kernels::multiply_bf16, kWarp, a, b, sums);
}

void multiply_tf32(const float* a, const float* b, float* sums) {
  launch(kernels::multiply_tf32, kWarp, a, b, sums);
}

void misuse_tiles(TileMisuse misuse) {
  alignas(16) static unsigned short memory[8] = {};
  static unsigned words[32] = {};
  static float sums[32] = {};
  switch (misuse) {
    case TileMisuse::kOddRowLoaded:
      launch(kernels::load_odd_row, kWarp, words);
      break;
    case TileMisuse::kOddRowStored:
      launch(kernels::store_odd_row, kWarp);
      break;
    case TileMisuse::kRowOfGlobalMemory:
      launch(kernels::load_row_of_global_memory, kWarp, memory, words);
      break;
    case TileMisuse::kHalfAWarp:
      launch(kernels::multiply_with_half_a_warp, kWarp, sums);
      break;
  }
}

}  // namespace ladder::probes
