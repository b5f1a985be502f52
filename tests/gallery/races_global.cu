// SPDX-License-Identifier: MIT
/// \file  tests/gallery/races_global.cu
/// \brief Threads that use one word of global memory in no order, words that nobody wrote, and
///        sound kernels that look alike.
#include "common/launch.cuh"
#include "tests/gallery/gallery.hpp"

namespace ladder {
namespace {

constexpr int BM = 16;      // rows of C per block
constexpr int BN = 16;      // columns of C per block
constexpr int SPLITS = 2;   // parts of K
constexpr int BLOCK = 128;  // threads of a block in one dimension

}  // namespace
}  // namespace ladder

namespace ladder::gallery_kernels {

__global__ void fill(int count, float value, float* C) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i < count) C[i] = value;
}

/// The sum over a split's part of K.
__device__ float part_of_product(int row, int col, int split, int N, int K, const float* A,
                                 const float* B) {
  float acc = 0.0f;
  for (int k = split * K / SPLITS; k < (split + 1) * K / SPLITS; ++k)
    acc += A[row * K + k] * B[k * N + col];
  return acc;
}

__global__ void split_without_atomics(int M, int N, int K, const float* A, const float* B,
                                      float* C) {
  const int row = blockIdx.y * BM + threadIdx.y;
  const int col = blockIdx.x * BN + threadIdx.x;
  if (row >= M || col >= N) return;
  const float part = part_of_product(row, col, blockIdx.z, N, K, A, B);
  C[row * N + col] += part;  // fault: another block may add its part at the same time
}

__global__ void split_with_atomics(int M, int N, int K, const float* A, const float* B, float* C) {
  const int row = blockIdx.y * BM + threadIdx.y;
  const int col = blockIdx.x * BN + threadIdx.x;
  if (row >= M || col >= N) return;
  atomicAdd(&C[row * N + col], part_of_product(row, col, blockIdx.z, N, K, A, B));
}

__global__ void split_into_slices(int M, int N, int K, const float* A, const float* B, float* C) {
  const int row = blockIdx.y * BM + threadIdx.y;
  const int col = blockIdx.x * BN + threadIdx.x;
  if (row >= M / SPLITS || col >= N) return;
  C[(blockIdx.z * (M / SPLITS) + row) * N + col] =
      part_of_product(row, col, blockIdx.z, N, K, A, B);
}

__global__ void sum_of_slices(int count, float* C) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i < count) C[i] += C[count + i];
}

__global__ void shift_in_place(int count, float* C) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  const float next = i + 1 < count ? C[i + 1] : 0.0f;  // and here
  __syncthreads();
  if (i < count) C[i] = next;  // fault: the next block's first element may be gone
}

__global__ void shift_of_a_copy(int count, const float* A, float* C) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  const float next = i + 1 < count ? A[i + 1] : 0.0f;
  if (i < count) C[i] = next;
}

__global__ void total_without_atomics(const float* A, float* C) {
  __shared__ float sum;
  if (threadIdx.x == 0) sum = 0.0f;
  __syncthreads();
  atomicAdd(&sum, A[blockIdx.x * BLOCK + threadIdx.x]);
  __syncthreads();
  if (threadIdx.x == 0) C[0] += sum;  // fault: all blocks add to one number
}

__global__ void exchange_without_barrier(const float* A, float* C) {
  const int i = threadIdx.x;
  C[i] = A[i];                           // and here
  const float other = C[BLOCK - 1 - i];  // fault: global memory needs a barrier too
  C[BLOCK + i] = other;
}

__global__ void exchange_behind_barrier(const float* A, float* C) {
  const int i = threadIdx.x;
  C[i] = A[i];
  __syncthreads();
  C[BLOCK + i] = C[BLOCK - 1 - i];
}

__global__ void swap_without_syncwarp(const float* A, float* C) {
  const int i = threadIdx.x;
  C[i] = A[i];              // and here
  C[BLOCK + i] = C[i ^ 1];  // fault: a lane need not see its neighbour's store
}

__global__ void swap_behind_syncwarp(const float* A, float* C) {
  const int i = threadIdx.x;
  C[i] = A[i];
  __syncwarp();
  C[BLOCK + i] = C[i ^ 1];
}

__global__ void one_cell_for_all(const float* A, float* C) {
  C[blockIdx.x] = A[threadIdx.x];  // fault: each thread stores another value there
}

__global__ void one_flag_for_all(const float* A, float* C) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  if (A[i] > 7.0f) C[0] = 1.0f;
}

__global__ void adds_to_what_nobody_wrote(int count, const float* A, float* C) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i < count) C[i] = A[i] + 0.0f * C[i];  // fault: nothing times garbage may be NaN
}

__global__ void adds_to_what_it_wrote(int count, const float* A, float* C) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i >= count) return;
  C[i] = A[i];
  C[i] = A[i] + 0.5f * C[i];
}

}  // namespace ladder::gallery_kernels

namespace ladder::gallery {
namespace {

constexpr int kCount = kM * kK;
const LaunchShape kElements = {.grid = dim3((kCount + BLOCK - 1) / BLOCK), .block = dim3(BLOCK)};
const LaunchShape kFullBlocks = {.grid = dim3(kCount / BLOCK), .block = dim3(BLOCK)};
const LaunchShape kOneBlock = {.grid = dim3(1), .block = dim3(BLOCK)};
const LaunchShape kSplitTiles = {.grid = dim3((kN + BN - 1) / BN, (kM + BM - 1) / BM, SPLITS),
                                 .block = dim3(BN, BM)};

void fill(int count, float value, const Arrays& arrays) {
  launch(gallery_kernels::fill, {.grid = dim3((count + BLOCK - 1) / BLOCK), .block = dim3(BLOCK)},
         count, value, arrays.C);
}

}  // namespace

void split_without_atomics(const Arrays& arrays) {
  fill(kM * kN, 0.0f, arrays);
  launch(gallery_kernels::split_without_atomics, kSplitTiles, kM, kN, kK, arrays.A, arrays.B,
         arrays.C);
}

void split_with_atomics(const Arrays& arrays) {
  fill(kM * kN, 0.0f, arrays);
  launch(gallery_kernels::split_with_atomics, kSplitTiles, kM, kN, kK, arrays.A, arrays.B,
         arrays.C);
}

void split_into_slices(const Arrays& arrays) {
  launch(gallery_kernels::split_into_slices, kSplitTiles, kM, kN, kK, arrays.A, arrays.B, arrays.C);
  const int count = kM / SPLITS * kN;
  launch(gallery_kernels::sum_of_slices,
         {.grid = dim3((count + BLOCK - 1) / BLOCK), .block = dim3(BLOCK)}, count, arrays.C);
}

void shift_in_place(const Arrays& arrays) {
  launch(gallery_kernels::shift_of_a_copy, kElements, kCount, arrays.A, arrays.C);
  launch(gallery_kernels::shift_in_place, kElements, kCount, arrays.C);
}

void shift_of_a_copy(const Arrays& arrays) {
  launch(gallery_kernels::shift_of_a_copy, kElements, kCount, arrays.A, arrays.C);
}

void total_without_atomics(const Arrays& arrays) {
  fill(1, 0.0f, arrays);
  launch(gallery_kernels::total_without_atomics, kFullBlocks, arrays.A, arrays.C);
}

void exchange_without_barrier(const Arrays& arrays) {
  launch(gallery_kernels::exchange_without_barrier, kOneBlock, arrays.A, arrays.C);
}

void exchange_behind_barrier(const Arrays& arrays) {
  launch(gallery_kernels::exchange_behind_barrier, kOneBlock, arrays.A, arrays.C);
}

void swap_without_syncwarp(const Arrays& arrays) {
  launch(gallery_kernels::swap_without_syncwarp, kOneBlock, arrays.A, arrays.C);
}

void swap_behind_syncwarp(const Arrays& arrays) {
  launch(gallery_kernels::swap_behind_syncwarp, kOneBlock, arrays.A, arrays.C);
}

void one_cell_for_all(const Arrays& arrays) {
  launch(gallery_kernels::one_cell_for_all, kFullBlocks, arrays.A, arrays.C);
}

void one_flag_for_all(const Arrays& arrays) {
  launch(gallery_kernels::one_flag_for_all, kFullBlocks, arrays.A, arrays.C);
}

void adds_to_what_nobody_wrote(const Arrays& arrays) {
  launch(gallery_kernels::adds_to_what_nobody_wrote, kElements, kCount, arrays.A, arrays.C);
}

void adds_to_what_it_wrote(const Arrays& arrays) {
  launch(gallery_kernels::adds_to_what_it_wrote, kElements, kCount, arrays.A, arrays.C);
}

}  // namespace ladder::gallery
