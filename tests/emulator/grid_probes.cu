// SPDX-License-Identifier: MIT
#include "common/launch.cuh"
#include "tests/emulator/probes.hpp"

namespace ladder::probe_kernels {

__device__ unsigned global_index() {
  const unsigned block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  const unsigned thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  return block * (blockDim.x * blockDim.y * blockDim.z) + thread;
}

__global__ void write_indices(unsigned* out) {
  unsigned* own = out + static_cast<size_t>(global_index()) * 12;
  const uint3 thread = threadIdx;
  const dim3 grid = gridDim;
  own[0] = thread.x;
  own[1] = thread.y;
  own[2] = thread.z;
  own[3] = blockIdx.x;
  own[4] = blockIdx.y;
  own[5] = blockIdx.z;
  own[6] = blockDim.x;
  own[7] = blockDim.y;
  own[8] = blockDim.z;
  own[9] = grid.x;
  own[10] = grid.y;
  own[11] = grid.z;
}

__global__ void count_visits(int* visits) {
  visits[global_index()] += 1;
}

__global__ void harmonic_sums(float* out) {
  __shared__ float partial[64];
  float sum = 0.0f;
  for (unsigned i = threadIdx.x; i < 1000; i += 64)
    sum += 1.0f / (i + 1 + blockIdx.x);
  partial[threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (int i = 1; i < 64; ++i)
    sum += partial[i];
  out[blockIdx.x] = sum;
}

}  // namespace ladder::probe_kernels

namespace ladder::probes {
namespace {

dim3 extents(Extents e) {
  return dim3(e[0], e[1], e[2]);
}

}  // namespace

void write_indices(Extents grid, Extents block, unsigned* out) {
  launch(probe_kernels::write_indices, {.grid = extents(grid), .block = extents(block)}, out);
}

void count_visits(Extents grid, Extents block, std::size_t dynamic_shared_bytes, int* visits) {
  launch(probe_kernels::count_visits,
         {.grid = extents(grid),
          .block = extents(block),
          .dynamic_shared_bytes = dynamic_shared_bytes},
         visits);
}

void harmonic_sums(unsigned blocks, float* out) {
  launch(probe_kernels::harmonic_sums, {.grid = dim3(blocks), .block = dim3(64)}, out);
}

}  // namespace ladder::probes
