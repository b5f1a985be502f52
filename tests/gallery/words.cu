// SPDX-License-Identifier: MIT
/// \file  tests/gallery/words.cu
/// \brief What CUDA's words do not promise: values of lanes outside the mask, order by a vote,
///        vectors at any address, variables that start as 0.
#include "common/launch.cuh"
#include "tests/gallery/gallery.hpp"

// What the kernels here are about.
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"

namespace ladder {
namespace {

constexpr int BLOCK = 128;       // threads of a block
constexpr int WARP = 32;         // lanes of a warp
constexpr int SHORT_BLOCK = 48;  // threads of a block whose last warp is not full
constexpr int TM = 2;            // rows of C per thread
constexpr int TN = 2;            // columns of C per thread

constexpr unsigned kAllLanes = 0xFFFFFFFFu;
constexpr unsigned kLowerHalf = 0x0000FFFFu;

}  // namespace
}  // namespace ladder

namespace ladder::gallery_kernels {

__global__ void float4_behind_one_float(const float* A, float* C) {
  __shared__ float line[BLOCK + 1];  // the length, then (BLOCK)
  const int t = threadIdx.x;
  if (t == 0) line[0] = BLOCK;
  line[1 + t] = A[t];
  __syncthreads();
  const float4 first =
      *reinterpret_cast<const float4*>(line + 1);  // fault: line + 1 is 4 bytes off
  C[t] = first.x + first.y + first.z + first.w;
}

__global__ void float2_into_odd_column(const float* A, float* C) {
  __shared__ float line[4];
  const int t = threadIdx.x;
  float2* const middle = reinterpret_cast<float2*>(&line[1]);
  if (t == 0) *middle = make_float2(A[0], A[1]);  // fault: column 1 is 4 bytes off
  __syncwarp();
  C[t] = line[1] + line[2];
}

__global__ void sum_beyond_the_mask(const float* A, float* C) {
  const int lane = threadIdx.x % WARP;
  if (lane >= WARP / 2) return;
  float sum = A[threadIdx.x];
  for (int step = WARP / 2; step > 0; step /= 2)
    sum += __shfl_down_sync(kLowerHalf, sum, step);  // fault: the mask ends at lane 15
  if (lane == 0) C[threadIdx.x / WARP] = sum;
}

__global__ void sum_of_a_short_warp(const float* A, float* C) {
  float sum = A[threadIdx.x];
  for (int step = WARP / 2; step > 0; step /= 2)
    sum += __shfl_down_sync(kAllLanes, sum, step);  // fault: the last warp has 16 lanes
  if (threadIdx.x % WARP == 0) C[threadIdx.x / WARP] = sum;
}

__global__ void ballot_for_a_barrier(const float* A, float* C) {
  __shared__ float line[BLOCK];  // (BLOCK)
  const int t = threadIdx.x;
  line[t] = A[t];  // and here
  const unsigned positive = __ballot_sync(kAllLanes, A[t] > 0.0f);
  C[t] = positive >> t % WARP & 1u ? line[t ^ 1] : 0.0f;  // fault: a ballot is no barrier
}

__global__ void shuffle_for_a_barrier(const float* A, float* C) {
  __shared__ float line[BLOCK];  // (BLOCK)
  const int t = threadIdx.x;
  line[t] = A[t];  // and here
  const float first = __shfl_sync(kAllLanes, A[t], 0);
  C[t] = first * line[t ^ 1];  // fault: a shuffle is no barrier
}

__global__ void accumulators_never_set(int K, int N, const float* A, const float* B, float* C) {
  const int row = TM * threadIdx.y;
  const int col = TN * threadIdx.x;
  float acc[TM][TN];  // (TM, TN)
  for (int k = 0; k < K; ++k)
    for (int i = 0; i < TM; ++i)
      for (int j = 0; j < TN; ++j)
        acc[i][j] += A[(row + i) * K + k] * B[k * N + col + j];
  for (int i = 0; i < TM; ++i)
    for (int j = 0; j < TN; ++j)
      C[(row + i) * N + col + j] = acc[i][j];  // fault: acc starts as anything
}

__global__ void set_in_one_branch(int n, const float* A, float* C) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float value;
  if (i < n) value = A[i];
  C[i] = value;  // fault: beyond n nobody sets it
}

__global__ void two_warps_return(int n, const float* A, float* C) {
  __shared__ float line[BLOCK];  // (BLOCK)
  const int t = threadIdx.x;
  if (t >= n) return;
  line[t] = A[t];
  __syncthreads();  // fault: warps 2 and 3 have left
  C[t] = line[n - 1 - t];
}

// -- Sound twins ---------------------------------------------------------------------------------

/// Four floats that nobody aligns: four accesses on a GPU, too.
struct FourFloats {
  float x, y, z, w;
};

__global__ void four_floats_behind_one(const float* A, float* C) {
  __shared__ float line[BLOCK + 1];  // the length, then (BLOCK)
  const int t = threadIdx.x;
  if (t == 0) line[0] = BLOCK;
  line[1 + t] = A[t];
  __syncthreads();
  const FourFloats first = *reinterpret_cast<const FourFloats*>(line + 1);
  const float4 second = *reinterpret_cast<const float4*>(line + 4);
  C[t] = first.x + first.y + first.z + first.w - second.x;
}

__global__ void sum_of_half_a_warp(const float* A, float* C) {
  const int lane = threadIdx.x % WARP;
  if (lane >= WARP / 2) return;
  float sum = A[threadIdx.x];
  // Lane 15 asks lane 23, which is not in the mask. Nobody asks lane 15 for what comes of it.
  for (int step = WARP / 4; step > 0; step /= 2)
    sum += __shfl_down_sync(kLowerHalf, sum, step);
  if (lane == 0) C[threadIdx.x / WARP] = sum;
}

__global__ void sum_of_lanes_that_exist(const float* A, float* C) {
  const int lane = threadIdx.x % WARP;
  const int lanes = threadIdx.x < WARP ? WARP : SHORT_BLOCK - WARP;
  float sum = A[threadIdx.x];
  for (int step = WARP / 2; step > 0; step /= 2) {
    const float other = __shfl_down_sync(kAllLanes, sum, step);
    if (lane + step < lanes) sum += other;
  }
  if (lane == 0) C[threadIdx.x / WARP] = sum;
}

__global__ void ballot_and_barrier(const float* A, float* C) {
  __shared__ float line[BLOCK];  // (BLOCK)
  const int t = threadIdx.x;
  line[t] = A[t];
  const unsigned positive = __ballot_sync(kAllLanes, A[t] > 0.0f);
  __syncwarp();
  C[t] = positive >> t % WARP & 1u ? line[t ^ 1] : 0.0f;
}

__global__ void set_in_both_branches(int n, const float* A, float* C) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float pair[2];
  if (i < n) pair[0] = A[i];
  if (i >= n) pair[0] = 0.0f;
  C[i] = pair[0];
}

__global__ void two_warps_wait(int n, const float* A, float* C) {
  __shared__ float line[BLOCK];  // (BLOCK)
  const int t = threadIdx.x;
  if (t < n) line[t] = A[t];
  __syncthreads();
  if (t < n) C[t] = line[n - 1 - t];
}

}  // namespace ladder::gallery_kernels

namespace ladder::gallery {
namespace {

const LaunchShape kOneBlock = {.grid = dim3(1), .block = dim3(BLOCK)};
const LaunchShape kShortBlock = {.grid = dim3(1), .block = dim3(SHORT_BLOCK)};
constexpr int kSet = 100;  // elements that are set

}  // namespace

void float4_behind_one_float(const Arrays& arrays) {
  launch(gallery_kernels::float4_behind_one_float, kOneBlock, arrays.A, arrays.C);
}

void float2_into_odd_column(const Arrays& arrays) {
  launch(gallery_kernels::float2_into_odd_column, {.grid = dim3(1), .block = dim3(WARP)}, arrays.A,
         arrays.C);
}

void sum_beyond_the_mask(const Arrays& arrays) {
  launch(gallery_kernels::sum_beyond_the_mask, kOneBlock, arrays.A, arrays.C);
}

void sum_of_a_short_warp(const Arrays& arrays) {
  launch(gallery_kernels::sum_of_a_short_warp, kShortBlock, arrays.A, arrays.C);
}

void ballot_for_a_barrier(const Arrays& arrays) {
  launch(gallery_kernels::ballot_for_a_barrier, kOneBlock, arrays.A, arrays.C);
}

void shuffle_for_a_barrier(const Arrays& arrays) {
  launch(gallery_kernels::shuffle_for_a_barrier, kOneBlock, arrays.A, arrays.C);
}

void accumulators_never_set(const Arrays& arrays) {
  launch(gallery_kernels::accumulators_never_set, {.grid = dim3(1), .block = dim3(16, 8)}, kK, kN,
         arrays.A, arrays.B, arrays.C);
}

void set_in_one_branch(const Arrays& arrays) {
  launch(gallery_kernels::set_in_one_branch, kOneBlock, kSet, arrays.A, arrays.C);
}

void two_warps_return(const Arrays& arrays) {
  launch(gallery_kernels::two_warps_return, kOneBlock, BLOCK / 2, arrays.A, arrays.C);
}

void four_floats_behind_one(const Arrays& arrays) {
  launch(gallery_kernels::four_floats_behind_one, kOneBlock, arrays.A, arrays.C);
}

void sum_of_half_a_warp(const Arrays& arrays) {
  launch(gallery_kernels::sum_of_half_a_warp, kOneBlock, arrays.A, arrays.C);
}

void sum_of_lanes_that_exist(const Arrays& arrays) {
  launch(gallery_kernels::sum_of_lanes_that_exist, kShortBlock, arrays.A, arrays.C);
}

void ballot_and_barrier(const Arrays& arrays) {
  launch(gallery_kernels::ballot_and_barrier, kOneBlock, arrays.A, arrays.C);
}

void set_in_both_branches(const Arrays& arrays) {
  launch(gallery_kernels::set_in_both_branches, kOneBlock, kSet, arrays.A, arrays.C);
}

void two_warps_wait(const Arrays& arrays) {
  launch(gallery_kernels::two_warps_wait, kOneBlock, BLOCK / 2, arrays.A, arrays.C);
}

}  // namespace ladder::gallery
