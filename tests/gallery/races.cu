// SPDX-License-Identifier: MIT
/// \file  tests/gallery/races.cu
/// \brief Two threads use one word of shared memory, at least one writes it, and no barrier puts
///        the two in order.

#include "common/launch.cuh"
#include "tests/gallery/gallery.hpp"

namespace ladder {
namespace {

constexpr int BM = 16;      // rows of C per block
constexpr int BN = 16;      // columns of C per block
constexpr int BK = 16;      // rows of B per tile
constexpr int BLOCK = 128;  // threads of a block in one dimension
constexpr int WARP = 32;    // lanes of a warp
constexpr int BINS = 32;    // of a histogram

}  // namespace
}  // namespace ladder

namespace ladder::gallery_kernels {

__global__ void barrier_missing_after_fill(int M, int N, int K, const float* A, const float* B,
                                           float* C) {
  __shared__ float sB[BK][BN];  // (BK, BN)
  const int row = blockIdx.y * BM + threadIdx.y;
  const int col = blockIdx.x * BN + threadIdx.x;
  float acc = 0.0f;
  for (int k0 = 0; k0 < K; k0 += BK) {
    const int k = k0 + threadIdx.y;
    const float b = k < K && col < N ? B[k * N + col] : 0.0f;
    sB[threadIdx.y][threadIdx.x] = b;  // fault: no barrier before the tile is used
    for (int i = 0; i < BK && k0 + i < K; ++i) {
      const float a = row < M ? A[row * K + k0 + i] : 0.0f;
      acc += a * sB[i][threadIdx.x];  // and here
    }
    __syncthreads();
  }
  if (row < M && col < N) C[row * N + col] = acc;
}

__global__ void barrier_missing_after_use(int M, int N, int K, const float* A, const float* B,
                                          float* C) {
  __shared__ float sB[BK][BN];  // (BK, BN)
  const int row = blockIdx.y * BM + threadIdx.y;
  const int col = blockIdx.x * BN + threadIdx.x;
  float acc = 0.0f;
  for (int k0 = 0; k0 < K; k0 += BK) {
    const int k = k0 + threadIdx.y;
    const float b = k < K && col < N ? B[k * N + col] : 0.0f;
    sB[threadIdx.y][threadIdx.x] = b;  // fault: no barrier after the tile was used
    __syncthreads();
    for (int i = 0; i < BK && k0 + i < K; ++i) {
      const float a = row < M ? A[row * K + k0 + i] : 0.0f;
      acc += a * sB[i][threadIdx.x];  // and here
    }
  }
  if (row < M && col < N) C[row * N + col] = acc;
}

__global__ void barrier_missing_in_transpose(int rows, int columns, const float* A, float* C) {
  __shared__ float tile[BM][BM + 1];  // (BM, BM), rows padded
  const int row = blockIdx.y * BM + threadIdx.y;
  const int col = blockIdx.x * BM + threadIdx.x;
  const float a = row < rows && col < columns ? A[row * columns + col] : 0.0f;
  tile[threadIdx.x][threadIdx.y] = a;  // fault: no barrier after the transposing store
  const int out_row = blockIdx.x * BM + threadIdx.y;
  const int out_col = blockIdx.y * BM + threadIdx.x;
  if (out_row >= columns || out_col >= rows) return;
  C[out_row * rows + out_col] = tile[threadIdx.y][threadIdx.x];  // and here
}

__global__ void fills_the_buffer_in_use(int M, int N, int K, const float* A, const float* B,
                                        float* C) {
  __shared__ float sB[2][BK][BN];  // (2, BK, BN)
  const int row = blockIdx.y * BM + threadIdx.y;
  const int col = blockIdx.x * BN + threadIdx.x;
  sB[0][threadIdx.y][threadIdx.x] = col < N ? B[threadIdx.y * N + col] : 0.0f;
  __syncthreads();
  float acc = 0.0f;
  int buffer = 0;
  for (int k0 = 0; k0 < K; k0 += BK) {
    const int next_k = k0 + BK + threadIdx.y;
    const float b = next_k < K && col < N ? B[next_k * N + col] : 0.0f;
    sB[buffer][threadIdx.y][threadIdx.x] = b;  // fault: buffer where buffer ^ 1 is meant
    for (int i = 0; i < BK && k0 + i < K; ++i) {
      const float a = row < M ? A[row * K + k0 + i] : 0.0f;
      acc += a * sB[buffer][i][threadIdx.x];  // and here
    }
    __syncthreads();
    buffer ^= 1;
  }
  if (row < M && col < N) C[row * N + col] = acc;
}

__global__ void last_writer_wins(const float* A, float* C) {
  __shared__ int found;
  if (threadIdx.x == 0) found = -1;
  __syncthreads();
  const float x = A[blockIdx.x * BLOCK + threadIdx.x];
  if (x > 0.0f) found = threadIdx.x;  // fault: many threads write, each its own number
  __syncthreads();
  if (threadIdx.x == 0) C[blockIdx.x] = static_cast<float>(found);
}

__global__ void tree_without_barrier(const float* A, float* C) {
  __shared__ float sum[BLOCK];  // (BLOCK)
  const int t = threadIdx.x;
  sum[t] = A[blockIdx.x * BLOCK + t];
  __syncthreads();
  for (int step = BLOCK / 2; step > 0; step /= 2)
    if (t < step) sum[t] += sum[t + step];  // fault: no barrier between the steps
  if (t == 0) C[blockIdx.x] = sum[0];
}

__global__ void warp_sum_without_syncwarp(const float* A, float* C) {
  __shared__ float sum[BLOCK];  // (BLOCK)
  const int t = threadIdx.x;
  const int i = blockIdx.x * BLOCK + t;
  sum[t] = A[i];
  __syncthreads();
  for (int step = WARP / 2; step > 0; step /= 2)
    if (t % WARP < step) sum[t] += sum[t + step];  // fault: lanes are not in step by themselves
  if (t % WARP == 0) C[i / WARP] = sum[t];
}

__global__ void histogram_without_atomics(const float* A, float* C) {
  __shared__ int bins[BINS];  // (BINS)
  const int t = threadIdx.x;
  if (t < BINS) bins[t] = 0;
  __syncthreads();
  const int bin = static_cast<int>(A[blockIdx.x * BLOCK + t]) + 8;
  bins[bin] += 1;  // fault: read, add and write are not one step
  __syncthreads();
  if (t < BINS) C[blockIdx.x * BINS + t] = static_cast<float>(bins[t]);
}

__global__ void broadcast_without_barrier(const float* A, float* C) {
  __shared__ float factor;
  const int t = threadIdx.x;
  if (t == 0) factor = A[1] + 1.0f;  // fault: no barrier before the others read
  C[t] = factor * A[t];              // and here
}

__global__ void scan_in_place(const float* A, float* C) {
  __shared__ float line[BLOCK];  // (BLOCK)
  const int t = threadIdx.x;
  line[t] = A[t];
  __syncthreads();
  for (int step = 1; step < BLOCK; step *= 2) {
    if (t >= step) line[t] += line[t - step];  // fault: the neighbour may have added already
    __syncthreads();
  }
  C[t] = line[t];
}

__global__ void total_read_too_early(const float* A, float* C) {
  __shared__ float total;
  const int t = threadIdx.x;
  if (t == 0) total = 0.0f;
  __syncthreads();
  atomicAdd(&total, A[t]);  // fault: no barrier after the last addition
  C[t] = A[t] - total;      // and here
}

__global__ void raised_without_swap(const float* A, float* C) {
  __shared__ int largest;
  const int t = threadIdx.x;
  if (t == 0) largest = -100;
  __syncthreads();
  const int x = static_cast<int>(A[t]);
  if (t < WARP) {
    if (t == 0) largest = max(largest, x);  // fault: what others swap in between is lost
  } else {
    int old = largest;  // and here
    int assumed;
    do {
      assumed = old;
      old = atomicCAS(&largest, assumed, max(assumed, x));  // and here
    } while (assumed != old);
  }
  __syncthreads();
  if (t == 0) C[0] = static_cast<float>(largest);
}

/// Adds up BLOCK elements of shared memory; all threads call it, and sum[0] is right for all.
__device__ inline void add_up(float* sum) {
  for (int step = BLOCK / 2; step > 0; step /= 2) {
    if (static_cast<int>(threadIdx.x) < step) sum[threadIdx.x] += sum[threadIdx.x + step];
    __syncthreads();
  }
}

__global__ void mean_overwritten(const float* A, float* C) {
  __shared__ float sum[BLOCK];  // (BLOCK)
  const int t = threadIdx.x;
  const float x = A[blockIdx.x * BLOCK + t];
  sum[t] = x;
  __syncthreads();
  add_up(sum);
  const float deviation = x - sum[0] / BLOCK;  // and here
  sum[t] = deviation * deviation;              // fault: some threads still read the mean
  __syncthreads();
  add_up(sum);
  if (t == 0) C[blockIdx.x] = sum[0];
}

}  // namespace ladder::gallery_kernels

namespace ladder::gallery {
namespace {

const LaunchShape kTiles = {.grid = dim3(ceil_div(kN, BN), ceil_div(kM, BM)),
                            .block = dim3(BN, BM)};
const LaunchShape kTilesOfA = {.grid = dim3(ceil_div(kK, BM), ceil_div(kM, BM)),
                               .block = dim3(BM, BM)};
const LaunchShape kOneBlock = {.grid = dim3(1), .block = dim3(BLOCK)};
const LaunchShape kFullBlocks = {.grid = dim3(kM * kK / BLOCK), .block = dim3(BLOCK)};

}  // namespace

void barrier_missing_after_fill(const Arrays& arrays) {
  launch(gallery_kernels::barrier_missing_after_fill, kTiles, kM, kN, kK, arrays.A, arrays.B,
         arrays.C);
}

void barrier_missing_after_use(const Arrays& arrays) {
  launch(gallery_kernels::barrier_missing_after_use, kTiles, kM, kN, kK, arrays.A, arrays.B,
         arrays.C);
}

void barrier_missing_in_transpose(const Arrays& arrays) {
  launch(gallery_kernels::barrier_missing_in_transpose, kTilesOfA, kM, kK, arrays.A, arrays.C);
}

void fills_the_buffer_in_use(const Arrays& arrays) {
  launch(gallery_kernels::fills_the_buffer_in_use, kTiles, kM, kN, kK, arrays.A, arrays.B,
         arrays.C);
}

void last_writer_wins(const Arrays& arrays) {
  launch(gallery_kernels::last_writer_wins, kFullBlocks, arrays.A, arrays.C);
}

void tree_without_barrier(const Arrays& arrays) {
  launch(gallery_kernels::tree_without_barrier, kFullBlocks, arrays.A, arrays.C);
}

void warp_sum_without_syncwarp(const Arrays& arrays) {
  launch(gallery_kernels::warp_sum_without_syncwarp, kFullBlocks, arrays.A, arrays.C);
}

void histogram_without_atomics(const Arrays& arrays) {
  launch(gallery_kernels::histogram_without_atomics, kFullBlocks, arrays.A, arrays.C);
}

void broadcast_without_barrier(const Arrays& arrays) {
  launch(gallery_kernels::broadcast_without_barrier, kOneBlock, arrays.A, arrays.C);
}

void scan_in_place(const Arrays& arrays) {
  launch(gallery_kernels::scan_in_place, kOneBlock, arrays.A, arrays.C);
}

void total_read_too_early(const Arrays& arrays) {
  launch(gallery_kernels::total_read_too_early, kOneBlock, arrays.A, arrays.C);
}

void raised_without_swap(const Arrays& arrays) {
  launch(gallery_kernels::raised_without_swap, kOneBlock, arrays.A, arrays.C);
}

void mean_overwritten(const Arrays& arrays) {
  launch(gallery_kernels::mean_overwritten, kFullBlocks, arrays.A, arrays.C);
}

}  // namespace ladder::gallery
