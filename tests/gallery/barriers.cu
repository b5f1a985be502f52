// SPDX-License-Identifier: MIT
/// \file  tests/gallery/barriers.cu
/// \brief Barriers and warp functions that some threads never reach, and loops without an end.
#include "common/launch.cuh"
#include "tests/gallery/gallery.hpp"

namespace ladder {
namespace {

constexpr int BM = 16;     // rows of C per block
constexpr int BN = 16;     // columns of C per block
constexpr int BK = 16;     // rows of B per tile
constexpr int BLOCK = 64;  // threads of a block in one dimension
constexpr int WARP = 32;   // lanes of a warp

constexpr unsigned kAllLanes = 0xFFFFFFFFu;

}  // namespace
}  // namespace ladder

namespace ladder::gallery_kernels {

__global__ void barrier_of_half_a_warp(const float* A, float* C) {
  __shared__ float line[BLOCK];  // (BLOCK)
  line[threadIdx.x] = A[threadIdx.x];
  if (threadIdx.x < 16) {
    __syncthreads();  // fault: threads from 16 on never come
    C[threadIdx.x] = line[BLOCK - 1 - threadIdx.x];
  }
}

__global__ void barrier_in_both_branches(const float* A, float* C) {
  __shared__ float line[BLOCK];  // (BLOCK)
  const int t = threadIdx.x;
  if (t % 2 == 0) {
    line[t] = A[t];
    __syncthreads();  // fault: the others wait at another barrier
  } else {
    line[t] = -A[t];
    __syncthreads();  // and here
  }
  C[t] = line[BLOCK - 1 - t];
}

__global__ void return_before_barrier(int M, int N, int K, const float* A, const float* B,
                                      float* C) {
  __shared__ float sB[BK][BN];  // (BK, BN)
  const int row = blockIdx.y * BM + threadIdx.y;
  const int col = blockIdx.x * BN + threadIdx.x;
  if (row >= M || col >= N) return;
  float acc = 0.0f;
  for (int k0 = 0; k0 < K; k0 += BK) {
    const int k = k0 + threadIdx.y;
    sB[threadIdx.y][threadIdx.x] = k < K ? B[k * N + col] : 0.0f;
    __syncthreads();  // fault: threads beyond the edge have left
    for (int i = 0; i < BK && k0 + i < K; ++i)
      acc += A[row * K + k0 + i] * sB[i][threadIdx.x];  // and here
    __syncthreads();                                    // and here
  }
  C[row * N + col] = acc;
}

__global__ void barrier_in_strided_loop(int n, const float* A, float* C) {
  __shared__ float line[BLOCK];  // (BLOCK)
  for (int i = threadIdx.x; i < n; i += BLOCK) {
    line[threadIdx.x] = A[i];
    __syncthreads();  // fault: the last round is not for all
    C[i] = line[BLOCK - 1 - threadIdx.x];
    __syncthreads();  // and here
  }
}

__global__ void shuffle_without_upper_half(const float* A, float* C) {
  const int lane = threadIdx.x % WARP;
  float sum = A[threadIdx.x];
  if (lane < WARP / 2) {
    for (int step = WARP / 4; step > 0; step /= 2)
      sum += __shfl_down_sync(kAllLanes, sum, step);  // fault: lanes 16 to 31 are elsewhere
  }
  __syncthreads();
  if (lane == 0) C[threadIdx.x / WARP] = sum;
}

__global__ void syncwarp_of_half_a_warp(const float* A, float* C) {
  __shared__ float line[BLOCK];  // (BLOCK)
  const int t = threadIdx.x;
  line[t] = A[t];
  if (t % WARP < WARP / 2) {
    __syncwarp();  // fault: half of the warp never comes
    C[t] = line[t ^ 1];
  }
  __syncthreads();
  if (t % WARP >= WARP / 2) C[t] = line[t ^ WARP / 2];
}

__global__ void everybody_waits(const float* A, float* C) {
  __shared__ int ready;
  if (threadIdx.x == 0) ready = 0;
  __syncthreads();
  while (atomicAdd(&ready, 0) == 0) {  // fault: who would set the flag waits too
  }
  if (threadIdx.x == 0) atomicExch(&ready, 1);
  C[threadIdx.x] = A[threadIdx.x];
}

__global__ void stride_of_zero(int n, int stride, const float* A, float* C) {
  float sum = 0.0f;
  for (int i = threadIdx.x; i < n; i += stride) {  // fault: the stride is 0
    sum += A[i];
  }  // and here
  C[threadIdx.x] = sum;
}

__global__ void search_without_progress(int M, int K, const float* A, float* C) {
  const int i = threadIdx.x;
  int low = 0;
  int high = M;
  while (low < high) {  // fault: low = middle is no step when high is low + 1
    const int middle = (low + high) / 2;
    if (A[middle * K] + middle * K <= A[i] + i) {
      low = middle;
    } else {
      high = middle;
    }
  }  // and here
  C[i] = A[low * K];
}

}  // namespace ladder::gallery_kernels

namespace ladder::gallery {
namespace {

const LaunchShape kOneBlock = {.grid = dim3(1), .block = dim3(BLOCK)};

}  // namespace

void barrier_of_half_a_warp(const Arrays& arrays) {
  launch(gallery_kernels::barrier_of_half_a_warp, kOneBlock, arrays.A, arrays.C);
}

void barrier_in_both_branches(const Arrays& arrays) {
  launch(gallery_kernels::barrier_in_both_branches, kOneBlock, arrays.A, arrays.C);
}

void return_before_barrier(const Arrays& arrays) {
  launch(gallery_kernels::return_before_barrier,
         {.grid = dim3(ceil_div(kN, BN), ceil_div(kM, BM)), .block = dim3(BN, BM)}, kM, kN, kK,
         arrays.A, arrays.B, arrays.C);
}

void barrier_in_strided_loop(const Arrays& arrays) {
  launch(gallery_kernels::barrier_in_strided_loop, kOneBlock, BLOCK + BLOCK / 2, arrays.A,
         arrays.C);
}

void shuffle_without_upper_half(const Arrays& arrays) {
  launch(gallery_kernels::shuffle_without_upper_half, kOneBlock, arrays.A, arrays.C);
}

void syncwarp_of_half_a_warp(const Arrays& arrays) {
  launch(gallery_kernels::syncwarp_of_half_a_warp, kOneBlock, arrays.A, arrays.C);
}

void everybody_waits(const Arrays& arrays) {
  launch(gallery_kernels::everybody_waits, kOneBlock, arrays.A, arrays.C);
}

void stride_of_zero(const Arrays& arrays) {
  const int blocks = 1;
  const int stride = blocks / BLOCK;  // a product is meant
  launch(gallery_kernels::stride_of_zero, {.grid = dim3(blocks), .block = dim3(BLOCK)}, kM * kK,
         stride, arrays.A, arrays.C);
}

void search_without_progress(const Arrays& arrays) {
  launch(gallery_kernels::search_without_progress, kOneBlock, kM, kK, arrays.A, arrays.C);
}

}  // namespace ladder::gallery
