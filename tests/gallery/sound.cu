// SPDX-License-Identifier: MIT
/// \file  tests/gallery/sound.cu
/// \brief Kernels without a fault that look like broken ones: they guard against false alarms.
#include "common/launch.cuh"
#include "tests/gallery/gallery.hpp"

namespace ladder {
namespace {

constexpr int BM = 16;      // rows of C per block
constexpr int BN = 16;      // columns of C per block
constexpr int BK = 16;      // columns of A, rows of B per tile
constexpr int BLOCK = 128;  // threads of a block in one dimension
constexpr int WARP = 32;    // lanes of a warp
constexpr int BINS = 32;    // of a histogram
constexpr int HALF = 64;    // threads of a smaller block

constexpr unsigned kAllLanes = 0xFFFFFFFFu;

}  // namespace
}  // namespace ladder

namespace ladder::gallery_kernels {

__global__ void guarded_gemm(int M, int N, int K, const float* A, const float* B, float* C) {
  __shared__ float sA[BM][BK];  // (BM, BK)
  __shared__ float sB[BK][BN];  // (BK, BN)
  const int row = blockIdx.y * BM + threadIdx.y;
  const int col = blockIdx.x * BN + threadIdx.x;
  float acc = 0.0f;
  for (int k0 = 0; k0 < K; k0 += BK) {
    const int a_k = k0 + threadIdx.x;
    const int b_k = k0 + threadIdx.y;
    sA[threadIdx.y][threadIdx.x] = row < M && a_k < K ? A[row * K + a_k] : 0.0f;
    sB[threadIdx.y][threadIdx.x] = b_k < K && col < N ? B[b_k * N + col] : 0.0f;
    __syncthreads();
    for (int k = 0; k < BK; ++k)
      acc += sA[threadIdx.y][k] * sB[k][threadIdx.x];
    __syncthreads();
  }
  if (row < M && col < N) C[row * N + col] = acc;
}

__global__ void double_buffered_gemm(int M, int N, int K, const float* A, const float* B,
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
    sB[buffer ^ 1][threadIdx.y][threadIdx.x] = b;
    for (int i = 0; i < BK && k0 + i < K; ++i)
      if (row < M) acc += A[row * K + k0 + i] * sB[buffer][i][threadIdx.x];
    __syncthreads();
    buffer ^= 1;
  }
  if (row < M && col < N) C[row * N + col] = acc;
}

__global__ void two_dynamic_tiles(int M, int N, int K, const float* A, const float* B, float* C) {
  extern __shared__ float tiles[];
  float* const sA = tiles;            // (BM, BK)
  float* const sB = tiles + BM * BK;  // (BK, BN)
  const int tile_row = threadIdx.x / BN;
  const int tile_col = threadIdx.x % BN;
  const int row = blockIdx.y * BM + tile_row;
  const int col = blockIdx.x * BN + tile_col;
  float acc = 0.0f;
  for (int k0 = 0; k0 < K; k0 += BK) {
    const int a_k = k0 + tile_col;
    const int b_k = k0 + tile_row;
    sA[tile_row * BK + tile_col] = row < M && a_k < K ? A[row * K + a_k] : 0.0f;
    sB[tile_row * BN + tile_col] = b_k < K && col < N ? B[b_k * N + col] : 0.0f;
    __syncthreads();
    for (int k = 0; k < BK; ++k)
      acc += sA[tile_row * BK + k] * sB[k * BN + tile_col];
    __syncthreads();
  }
  if (row < M && col < N) C[row * N + col] = acc;
}

__global__ void transpose_through_tile(int rows, int columns, const float* A, float* C) {
  __shared__ float tile[BM][BM + 1];  // (BM, BM), rows padded
  const int row = blockIdx.y * BM + threadIdx.y;
  const int col = blockIdx.x * BM + threadIdx.x;
  tile[threadIdx.x][threadIdx.y] = row < rows && col < columns ? A[row * columns + col] : 0.0f;
  __syncthreads();
  const int out_row = blockIdx.x * BM + threadIdx.y;
  const int out_col = blockIdx.y * BM + threadIdx.x;
  if (out_row >= columns || out_col >= rows) return;
  C[out_row * rows + out_col] = tile[threadIdx.y][threadIdx.x];
}

__global__ void transpose_of_halves(int columns, const float* A, float* C) {
  __shared__ __half tile[BM][WARP + 1];  // (BM, WARP), rows padded by 2 bytes
  const int lane = threadIdx.x % WARP;
  for (int row = threadIdx.x / WARP; row < BM; row += BLOCK / WARP)
    tile[row][lane] = __float2half(A[row * columns + lane]);
  __syncthreads();
  for (int i = threadIdx.x; i < BM * WARP; i += BLOCK)
    C[i] = __half2float(tile[i % BM][i / BM]);
}

__global__ void float4_in_rows_padded_by_four(int rows, int columns, const float* A, float* C) {
  __shared__ float tile[BM][BM + 4];  // (BM, BM), rows padded
  const int row = blockIdx.y * BM + threadIdx.y;
  const int col = blockIdx.x * BM + threadIdx.x;
  tile[threadIdx.y][threadIdx.x] = row < rows && col < columns ? A[row * columns + col] : 0.0f;
  __syncthreads();
  const int first_col = blockIdx.x * BM + 4 * threadIdx.x;
  if (4 * threadIdx.x >= BM || row >= rows || first_col >= columns) return;
  float4* const gC = reinterpret_cast<float4*>(C + row * columns + first_col);
  *gC = *reinterpret_cast<const float4*>(&tile[threadIdx.y][4 * threadIdx.x]);
}

__global__ void reverse_of_vectors(const float* A, float* C) {
  __shared__ float4 line[BLOCK];  // (BLOCK)
  const int t = threadIdx.x;
  line[t] = reinterpret_cast<const float4*>(A)[t];
  __syncthreads();
  reinterpret_cast<float4*>(C)[t] = line[BLOCK - 1 - t];
}

__global__ void stencil_with_halo(int n, const float* A, float* C) {
  __shared__ float line[BLOCK + 2];  // one halo element on each side
  const int t = threadIdx.x;
  const int i = blockIdx.x * BLOCK + t;
  line[t + 1] = i < n ? A[i] : 0.0f;
  if (t == 0) line[0] = i > 0 ? A[i - 1] : 0.0f;
  if (t == BLOCK - 1) line[BLOCK + 1] = i + 1 < n ? A[i + 1] : 0.0f;
  __syncthreads();
  if (i < n) C[i] = line[t] + line[t + 1] + line[t + 2];
}

__global__ void tree_with_barriers(int n, const float* A, float* C) {
  __shared__ float sum[BLOCK];  // (BLOCK)
  const int t = threadIdx.x;
  const int i = blockIdx.x * BLOCK + t;
  sum[t] = i < n ? A[i] : 0.0f;
  __syncthreads();
  for (int step = BLOCK / 2; step > 0; step /= 2) {
    if (t < step) sum[t] += sum[t + step];
    __syncthreads();
  }
  if (t == 0) C[blockIdx.x] = sum[0];
}

__global__ void warp_sum_with_syncwarp(const float* A, float* C) {
  __shared__ float sum[BLOCK];  // (BLOCK)
  const int t = threadIdx.x;
  const int i = blockIdx.x * BLOCK + t;
  sum[t] = A[i];
  __syncwarp();
  for (int step = WARP / 2; step > 0; step /= 2) {
    if (t % WARP < step) sum[t] += sum[t + step];
    __syncwarp();
  }
  if (t % WARP == 0) C[i / WARP] = sum[t];
}

__global__ void warp_sum_by_shuffles(const float* A, float* C) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  float sum = A[i];
  for (int step = WARP / 2; step > 0; step /= 2)
    sum += __shfl_down_sync(kAllLanes, sum, step);
  if (i % WARP == 0) C[i / WARP] = sum;
}

__global__ void histogram_with_atomics(int n, const float* A, float* C) {
  __shared__ int bins[BINS];  // (BINS)
  const int t = threadIdx.x;
  const int i = blockIdx.x * BLOCK + t;
  if (t < BINS) bins[t] = 0;
  __syncthreads();
  if (i < n) atomicAdd(&bins[static_cast<int>(A[i]) + 8], 1);
  __syncthreads();
  if (t < BINS) C[blockIdx.x * BINS + t] = static_cast<float>(bins[t]);
}

__global__ void scan_with_two_buffers(int n, const float* A, float* C) {
  __shared__ float line[2][BLOCK];  // (2, BLOCK)
  const int t = threadIdx.x;
  const int i = blockIdx.x * BLOCK + t;
  int from = 0;
  line[from][t] = i < n ? A[i] : 0.0f;
  __syncthreads();
  for (int step = 1; step < BLOCK; step *= 2) {
    line[from ^ 1][t] = line[from][t] + (t >= step ? line[from][t - step] : 0.0f);
    __syncthreads();
    from ^= 1;
  }
  if (i < n) C[i] = line[from][t];
}

__global__ void mean_read_before_overwritten(const float* A, float* C) {
  __shared__ float sum[HALF];  // (HALF)
  const int t = threadIdx.x;
  float x = A[blockIdx.x * HALF + t];
  for (int pass = 0; pass < 2; ++pass) {
    sum[t] = pass == 0 ? x : x * x;
    __syncthreads();
    for (int step = HALF / 2; step > 0; step /= 2) {
      if (t < step) sum[t] += sum[t + step];
      __syncthreads();
    }
    x -= sum[0] / HALF;
    __syncthreads();
  }
  if (t == 0) C[blockIdx.x] = sum[0];
}

__global__ void flag_set_before_the_wait(const float* A, float* C) {
  __shared__ float line[HALF];  // (HALF)
  __shared__ int written;
  const int t = threadIdx.x;
  if (t == 0) written = 0;
  __syncthreads();
  line[t] = A[t];
  atomicAdd(&written, 1);
  while (atomicAdd(&written, 0) < HALF) {
  }
  __syncthreads();
  C[t] = line[HALF - 1 - t];
}

}  // namespace ladder::gallery_kernels

namespace ladder::gallery {
namespace {

constexpr int kCountA = kM * kK;

const dim3 kTiles(ceil_div(kN, BN), ceil_div(kM, BM));
const dim3 kTilesOfA(ceil_div(kK, BM), ceil_div(kM, BM));

/// Blocks for all elements of A, the last one partly empty.
const LaunchShape kAllOfA = {.grid = dim3(ceil_div(kCountA, BLOCK)), .block = dim3(BLOCK)};
/// Blocks for the elements that fill them.
const LaunchShape kFullBlocks = {.grid = dim3(kCountA / BLOCK), .block = dim3(BLOCK)};

}  // namespace

void guarded_gemm(const Arrays& arrays) {
  launch(gallery_kernels::guarded_gemm, {.grid = kTiles, .block = dim3(BN, BM)}, kM, kN, kK,
         arrays.A, arrays.B, arrays.C);
}

void double_buffered_gemm(const Arrays& arrays) {
  launch(gallery_kernels::double_buffered_gemm, {.grid = kTiles, .block = dim3(BN, BM)}, kM, kN, kK,
         arrays.A, arrays.B, arrays.C);
}

void two_dynamic_tiles(const Arrays& arrays) {
  launch(gallery_kernels::two_dynamic_tiles,
         {.grid = kTiles,
          .block = dim3(BM * BN),
          .dynamic_shared_bytes = (BM * BK + BK * BN) * sizeof(float)},
         kM, kN, kK, arrays.A, arrays.B, arrays.C);
}

void transpose_through_tile(const Arrays& arrays) {
  launch(gallery_kernels::transpose_through_tile, {.grid = kTilesOfA, .block = dim3(BM, BM)}, kM,
         kK, arrays.A, arrays.C);
}

void transpose_of_halves(const Arrays& arrays) {
  launch(gallery_kernels::transpose_of_halves, {.grid = dim3(1), .block = dim3(BLOCK)}, kK,
         arrays.A, arrays.C);
}

void float4_in_rows_padded_by_four(const Arrays& arrays) {
  launch(gallery_kernels::float4_in_rows_padded_by_four, {.grid = kTilesOfA, .block = dim3(BM, BM)},
         kM, kK, arrays.A, arrays.C);
}

void reverse_of_vectors(const Arrays& arrays) {
  launch(gallery_kernels::reverse_of_vectors, {.grid = dim3(1), .block = dim3(BLOCK)}, arrays.A,
         arrays.C);
}

void stencil_with_halo(const Arrays& arrays) {
  launch(gallery_kernels::stencil_with_halo, kAllOfA, kCountA, arrays.A, arrays.C);
}

void tree_with_barriers(const Arrays& arrays) {
  launch(gallery_kernels::tree_with_barriers, kAllOfA, kCountA, arrays.A, arrays.C);
}

void warp_sum_with_syncwarp(const Arrays& arrays) {
  launch(gallery_kernels::warp_sum_with_syncwarp, kFullBlocks, arrays.A, arrays.C);
}

void warp_sum_by_shuffles(const Arrays& arrays) {
  launch(gallery_kernels::warp_sum_by_shuffles, kFullBlocks, arrays.A, arrays.C);
}

void histogram_with_atomics(const Arrays& arrays) {
  launch(gallery_kernels::histogram_with_atomics, kAllOfA, kCountA, arrays.A, arrays.C);
}

void scan_with_two_buffers(const Arrays& arrays) {
  launch(gallery_kernels::scan_with_two_buffers, kAllOfA, kCountA, arrays.A, arrays.C);
}

void mean_read_before_overwritten(const Arrays& arrays) {
  launch(gallery_kernels::mean_read_before_overwritten,
         {.grid = dim3(kCountA / HALF), .block = dim3(HALF)}, arrays.A, arrays.C);
}

void flag_set_before_the_wait(const Arrays& arrays) {
  launch(gallery_kernels::flag_set_before_the_wait, {.grid = dim3(1), .block = dim3(HALF)},
         arrays.A, arrays.C);
}

}  // namespace ladder::gallery
