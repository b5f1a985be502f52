// SPDX-License-Identifier: MIT
/// \file  tests/gallery/out_of_bounds_shared.cu
/// \brief Accesses beyond a row of a shared array, beyond the whole array, and beyond the dynamic
///        shared memory that the launch asked for.
#include "common/launch.cuh"
#include "tests/gallery/gallery.hpp"

namespace ladder {
namespace {

constexpr int BM = 16;     // rows of a tile
constexpr int BK = 8;      // columns of a tile
constexpr int BLOCK = 64;  // threads of a block in one dimension

}  // namespace
}  // namespace ladder

namespace ladder::gallery_kernels {

__global__ void shared_indices_swapped(int K, const float* A, float* C) {
  __shared__ float sA[BM][BK];  // (BM, BK)
  const int m = threadIdx.y;
  const int k = threadIdx.x;
  sA[m][k] = A[m * K + k];
  __syncthreads();
  C[m * BK + k] = sA[k][m];  // fault: [k][m] where [m][k] is meant
}

__global__ void row_below_the_tile(int K, const float* A, float* C) {
  __shared__ float sA[BM][BK];  // (BM, BK)
  const int m = threadIdx.y;
  const int k = threadIdx.x;
  sA[m][k] = A[m * K + k];
  __syncthreads();
  C[m * BK + k] = sA[m][k] + sA[m + 1][k];  // fault: the last row has none below it
}

__global__ void dynamic_size_in_elements(const float* A, float* C) {
  extern __shared__ float tiles[];  // (BM * BK)
  const int t = threadIdx.x;
  tiles[t] = A[t];  // fault: the launch forgot sizeof(float)
  __syncthreads();
  C[t] = tiles[BM * BK - 1 - t];  // and here
}

__global__ void dynamic_size_of_one_tile(int N, int K, const float* A, const float* B, float* C) {
  extern __shared__ float tiles[];
  float* const sA = tiles;            // (BM, BK)
  float* const sB = tiles + BM * BK;  // (BK, BM)
  const int m = threadIdx.x % BM;
  const int k = threadIdx.x / BM;
  sA[m * BK + k] = A[m * K + k];
  sB[k * BM + m] = B[k * N + m];  // fault: the launch asked for one tile of two
  __syncthreads();
  float acc = 0.0f;
  for (int i = 0; i < BK; ++i)
    acc += sA[k * BK + i] * sB[i * BM + m];  // and here
  C[threadIdx.x] = acc;
}

__global__ void halo_on_one_side(const float* A, float* C) {
  __shared__ float line[BLOCK + 1];  // one halo element, but a block has two
  const int t = threadIdx.x;
  const int i = blockIdx.x * BLOCK + t;
  line[t + 1] = A[i];
  if (t == 0) line[0] = i > 0 ? A[i - 1] : 0.0f;
  if (t + 1 == static_cast<int>(blockDim.x))
    line[t + 2] = A[i + 1];  // fault: the array has no right halo
  __syncthreads();
  C[i] = line[t] + line[t + 1] + line[t + 2];  // and here
}

__global__ void shared_left_of_the_first(const float* A, float* C) {
  __shared__ float line[BLOCK];  // (BLOCK)
  const int t = threadIdx.x;
  line[t] = A[t];
  __syncthreads();
  C[t] = line[t] - line[t - 1];  // fault: thread 0 has no left neighbour
}

}  // namespace ladder::gallery_kernels

namespace ladder::gallery {

void shared_indices_swapped(const Arrays& arrays) {
  launch(gallery_kernels::shared_indices_swapped, {.grid = dim3(1), .block = dim3(BK, BM)}, kK,
         arrays.A, arrays.C);
}

void row_below_the_tile(const Arrays& arrays) {
  launch(gallery_kernels::row_below_the_tile, {.grid = dim3(1), .block = dim3(BK, BM)}, kK,
         arrays.A, arrays.C);
}

void dynamic_size_in_elements(const Arrays& arrays) {
  launch(gallery_kernels::dynamic_size_in_elements,
         {.grid = dim3(1), .block = dim3(BM * BK), .dynamic_shared_bytes = BM * BK}, arrays.A,
         arrays.C);
}

void dynamic_size_of_one_tile(const Arrays& arrays) {
  launch(gallery_kernels::dynamic_size_of_one_tile,
         {.grid = dim3(1), .block = dim3(BM * BK), .dynamic_shared_bytes = BM * BK * sizeof(float)},
         kN, kK, arrays.A, arrays.B, arrays.C);
}

void halo_on_one_side(const Arrays& arrays) {
  launch(gallery_kernels::halo_on_one_side, {.grid = dim3(4), .block = dim3(BLOCK)}, arrays.A,
         arrays.C);
}

void shared_left_of_the_first(const Arrays& arrays) {
  launch(gallery_kernels::shared_left_of_the_first, {.grid = dim3(1), .block = dim3(BLOCK)},
         arrays.A, arrays.C);
}

}  // namespace ladder::gallery
