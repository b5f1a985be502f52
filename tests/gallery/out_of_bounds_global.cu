// SPDX-License-Identifier: MIT
/// \file  tests/gallery/out_of_bounds_global.cu
/// \brief Accesses beyond A, B and C: guards that are missing or wrong, indices that are mixed up.
#include "common/launch.cuh"
#include "tests/gallery/gallery.hpp"

namespace ladder {
namespace {

constexpr int BM = 16;      // rows of C per block
constexpr int BN = 16;      // columns of C per block
constexpr int BK = 16;      // columns of A, rows of B per tile
constexpr int BLOCK = 128;  // threads of a block in one dimension

}  // namespace
}  // namespace ladder

namespace ladder::gallery_kernels {

__global__ void rows_of_a_unguarded(int M, int N, int K, const float* A, const float* B, float* C) {
  __shared__ float sA[BM][BK];  // (BM, BK)
  const int row = blockIdx.y * BM + threadIdx.y;
  const int col = blockIdx.x * BN + threadIdx.x;
  float acc = 0.0f;
  for (int k0 = 0; k0 < K; k0 += BK) {
    const int k = k0 + threadIdx.x;
    sA[threadIdx.y][threadIdx.x] = k < K ? A[row * K + k] : 0.0f;  // fault: rows of A end at M
    __syncthreads();
    for (int i = 0; i < BK && k0 + i < K; ++i)
      if (col < N) acc += sA[threadIdx.y][i] * B[(k0 + i) * N + col];
    __syncthreads();
  }
  if (row < M && col < N) C[row * N + col] = acc;
}

__global__ void rows_of_b_unguarded(int M, int N, int K, const float* A, const float* B, float* C) {
  __shared__ float sB[BK][BN];  // (BK, BN)
  const int row = blockIdx.y * BM + threadIdx.y;
  const int col = blockIdx.x * BN + threadIdx.x;
  float acc = 0.0f;
  for (int k0 = 0; k0 < K; k0 += BK) {
    const int k = k0 + threadIdx.y;
    sB[threadIdx.y][threadIdx.x] = col < N ? B[k * N + col] : 0.0f;  // fault: rows of B end at K
    __syncthreads();
    for (int i = 0; i < BK && k0 + i < K; ++i)
      if (row < M) acc += A[row * K + k0 + i] * sB[i][threadIdx.x];
    __syncthreads();
  }
  if (row < M && col < N) C[row * N + col] = acc;
}

__global__ void store_unguarded(int M, int N, int K, const float* A, const float* B, float* C) {
  const int row = blockIdx.y * BM + threadIdx.y;
  const int col = blockIdx.x * BN + threadIdx.x;
  float acc = 0.0f;
  for (int k = 0; k < K; ++k)
    if (row < M && col < N) acc += A[row * K + k] * B[k * N + col];
  C[row * N + col] = acc;  // fault: the loads are guarded, the store is not
}

__global__ void guard_one_too_wide(int M, int N, int K, const float* A, const float* B, float* C) {
  const int row = blockIdx.y * BM + threadIdx.y;
  const int col = blockIdx.x * BN + threadIdx.x;
  if (row <= M && col < N) {
    float acc = 0.0f;
    for (int k = 0; k < K; ++k)
      acc += A[row * K + k] * B[k * N + col];  // fault: the guard says <= where < is meant
    C[row * N + col] = acc;                    // and here
  }
}

__global__ void result_transposed(int M, int N, int K, const float* A, const float* B, float* C) {
  const int row = blockIdx.y * BM + threadIdx.y;
  const int col = blockIdx.x * BN + threadIdx.x;
  if (row >= M || col >= N) return;
  float acc = 0.0f;
  for (int k = 0; k < K; ++k)
    acc += A[row * K + k] * B[k * N + col];
  C[col * N + row] = acc;  // fault: row and column are swapped
}

__global__ void wrong_leading_dimension(int M, int N, int K, const float* A, const float* B,
                                        float* C) {
  const int row = blockIdx.y * BM + threadIdx.y;
  const int col = blockIdx.x * BN + threadIdx.x;
  if (row >= M || col >= N) return;
  float acc = 0.0f;
  for (int k = 0; k < K; ++k)
    acc += A[row * N + k] * B[k * N + col];  // fault: rows of A have K elements, not N
  C[row * N + col] = acc;
}

__global__ void loop_one_too_far(int M, int N, int K, const float* A, const float* B, float* C) {
  const int row = blockIdx.y * BM + threadIdx.y;
  const int col = blockIdx.x * BN + threadIdx.x;
  if (row >= M || col >= N) return;
  float acc = 0.0f;
  for (int k = 0; k <= K; ++k)
    acc += A[row * K + k] * B[k * N + col];  // fault: the last k is K - 1
  C[row * N + col] = acc;
}

__global__ void index_wraps(unsigned n, const float* A, float* C) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  C[i] = A[i] - A[i - 1];  // fault: unsigned 0 - 1 is 4294967295
}

__global__ void left_of_the_first(int n, const float* A, float* C) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i + 1 >= n) return;
  C[i] = A[i - 1] + A[i + 1];  // fault: the first element has no left neighbour
}

__global__ void right_of_the_last(int n, const float* A, float* C) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < 1 || i >= n) return;
  C[i] = A[i - 1] + A[i + 1];  // fault: the last element has no right neighbour
}

__global__ void guard_tests_first_of_three(int n, const float* A, float* C) {
  const int first = 3 * (blockIdx.x * blockDim.x + threadIdx.x);
  if (first >= n) return;
  for (int i = first; i < first + 3; ++i)
    C[i] = 2.0f * A[i];  // fault: n is no multiple of 3
}

}  // namespace ladder::gallery_kernels

namespace ladder::gallery {
namespace {

constexpr int kCountA = kM * kK;

using GemmKernel = void (*)(int, int, int, const float*, const float*, float*);

void run_gemm(GemmKernel kernel, const Arrays& arrays) {
  launch(kernel, {.grid = dim3(ceil_div(kN, BN), ceil_div(kM, BM)), .block = dim3(BN, BM)}, kM, kN,
         kK, arrays.A, arrays.B, arrays.C);
}

/// Where a block of threads is to work on `count` elements.
LaunchShape blocks_for(int count) {
  return {.grid = dim3(ceil_div(count, BLOCK)), .block = dim3(BLOCK)};
}

}  // namespace

void rows_of_a_unguarded(const Arrays& arrays) {
  run_gemm(gallery_kernels::rows_of_a_unguarded, arrays);
}

void rows_of_b_unguarded(const Arrays& arrays) {
  run_gemm(gallery_kernels::rows_of_b_unguarded, arrays);
}

void store_unguarded(const Arrays& arrays) {
  run_gemm(gallery_kernels::store_unguarded, arrays);
}

void guard_one_too_wide(const Arrays& arrays) {
  run_gemm(gallery_kernels::guard_one_too_wide, arrays);
}

void result_transposed(const Arrays& arrays) {
  run_gemm(gallery_kernels::result_transposed, arrays);
}

void wrong_leading_dimension(const Arrays& arrays) {
  run_gemm(gallery_kernels::wrong_leading_dimension, arrays);
}

void loop_one_too_far(const Arrays& arrays) {
  run_gemm(gallery_kernels::loop_one_too_far, arrays);
}

void index_wraps(const Arrays& arrays) {
  launch(gallery_kernels::index_wraps, blocks_for(kCountA), kCountA, arrays.A, arrays.C);
}

void left_of_the_first(const Arrays& arrays) {
  launch(gallery_kernels::left_of_the_first, blocks_for(kCountA), kCountA, arrays.A, arrays.C);
}

void right_of_the_last(const Arrays& arrays) {
  launch(gallery_kernels::right_of_the_last, blocks_for(kCountA), kCountA, arrays.A, arrays.C);
}

void guard_tests_first_of_three(const Arrays& arrays) {
  launch(gallery_kernels::guard_tests_first_of_three, blocks_for(ceil_div(kCountA, 3)), kCountA,
         arrays.A, arrays.C);
}

}  // namespace ladder::gallery
