// SPDX-License-Identifier: MIT
/// \file  tests/gallery/uninitialised.cu
/// \brief Reads of shared memory that no thread has written.
#include "common/launch.cuh"
#include "tests/gallery/gallery.hpp"

namespace ladder {
namespace {

constexpr int BM = 16;           // rows of C per block
constexpr int BN = 16;           // columns of C per block
constexpr int BK = 16;           // columns of A, rows of B per tile
constexpr int BLOCK = 128;       // threads of a block in one dimension
constexpr int LINE = 4 * BLOCK;  // elements of a tile in one dimension

}  // namespace
}  // namespace ladder

namespace ladder::gallery_kernels {

__global__ void edge_of_tile_unfilled(int M, int N, int K, const float* A, const float* B,
                                      float* C) {
  __shared__ float sA[BM][BK];  // (BM, BK)
  const int row = blockIdx.y * BM + threadIdx.y;
  const int col = blockIdx.x * BN + threadIdx.x;
  float acc = 0.0f;
  for (int k0 = 0; k0 < K; k0 += BK) {
    const int k = k0 + threadIdx.x;
    if (row < M && k < K) sA[threadIdx.y][threadIdx.x] = A[row * K + k];
    __syncthreads();
    for (int i = 0; i < BK && k0 + i < K; ++i) {
      const float a = sA[threadIdx.y][i];  // fault: rows from M on are never set
      if (col < N) acc += a * B[(k0 + i) * N + col];
    }
    __syncthreads();
  }
  if (row < M && col < N) C[row * N + col] = acc;
}

__global__ void sum_of_partial_block(int n, const float* A, float* C) {
  __shared__ float sum[BLOCK];  // (BLOCK)
  const int t = threadIdx.x;
  const int i = blockIdx.x * BLOCK + t;
  if (i < n) sum[t] = A[i];
  __syncthreads();
  for (int step = BLOCK / 2; step > 0; step /= 2) {
    if (t < step) sum[t] += sum[t + step];  // fault: the last block has fewer elements
    __syncthreads();
  }
  if (t == 0) C[blockIdx.x] = sum[0];
}

__global__ void accumulator_never_zeroed(const float* A, float* C) {
  __shared__ float total;
  atomicAdd(&total, A[blockIdx.x * BLOCK + threadIdx.x]);  // fault: adds to whatever was there
  __syncthreads();
  if (threadIdx.x == 0) C[blockIdx.x] = total;
}

__global__ void half_of_the_threads_fill(const float* A, float* C) {
  __shared__ float line[BLOCK];  // (BLOCK)
  const int t = threadIdx.x;
  if (t < BLOCK / 2) line[t] = A[t];
  __syncthreads();
  C[t] = line[BLOCK - 1 - t];  // fault: the upper half is never set
}

__global__ void fill_counts_vectors(const float* A, float* C) {
  __shared__ float line[LINE];  // (LINE)
  for (int i = threadIdx.x; i < LINE / 4; i += BLOCK)
    line[i] = A[i];
  __syncthreads();
  for (int i = threadIdx.x; i < LINE; i += BLOCK)
    C[i] = line[LINE - 1 - i];  // fault: a quarter is set, as if by float4
}

__global__ void prologue_missing(int M, int N, int K, const float* A, const float* B, float* C) {
  __shared__ float sA[2][BM][BK];  // (2, BM, BK)
  const int row = blockIdx.y * BM + threadIdx.y;
  const int col = blockIdx.x * BN + threadIdx.x;
  float acc = 0.0f;
  int buffer = 0;
  for (int k0 = 0; k0 < K; k0 += BK) {
    const int next_k = k0 + BK + threadIdx.x;
    sA[buffer ^ 1][threadIdx.y][threadIdx.x] = row < M && next_k < K ? A[row * K + next_k] : 0.0f;
    for (int i = 0; i < BK && k0 + i < K; ++i) {
      const float a = sA[buffer][threadIdx.y][i];  // fault: nobody loads the first tile
      if (col < N) acc += a * B[(k0 + i) * N + col];
    }
    __syncthreads();
    buffer ^= 1;
  }
  if (row < M && col < N) C[row * N + col] = acc;
}

}  // namespace ladder::gallery_kernels

namespace ladder::gallery {
namespace {

const LaunchShape kTiles = {.grid = dim3(ceil_div(kN, BN), ceil_div(kM, BM)),
                            .block = dim3(BN, BM)};

}  // namespace

void edge_of_tile_unfilled(const Arrays& arrays) {
  launch(gallery_kernels::edge_of_tile_unfilled, kTiles, kM, kN, kK, arrays.A, arrays.B, arrays.C);
}

void sum_of_partial_block(const Arrays& arrays) {
  launch(gallery_kernels::sum_of_partial_block,
         {.grid = dim3(ceil_div(kM * kK, BLOCK)), .block = dim3(BLOCK)}, kM * kK, arrays.A,
         arrays.C);
}

void accumulator_never_zeroed(const Arrays& arrays) {
  launch(gallery_kernels::accumulator_never_zeroed, {.grid = dim3(2), .block = dim3(BLOCK)},
         arrays.A, arrays.C);
}

void half_of_the_threads_fill(const Arrays& arrays) {
  launch(gallery_kernels::half_of_the_threads_fill, {.grid = dim3(1), .block = dim3(BLOCK)},
         arrays.A, arrays.C);
}

void fill_counts_vectors(const Arrays& arrays) {
  launch(gallery_kernels::fill_counts_vectors, {.grid = dim3(1), .block = dim3(BLOCK)}, arrays.A,
         arrays.C);
}

void prologue_missing(const Arrays& arrays) {
  launch(gallery_kernels::prologue_missing, kTiles, kM, kN, kK, arrays.A, arrays.B, arrays.C);
}

}  // namespace ladder::gallery
