// SPDX-License-Identifier: MIT
/// \file  tests/gallery/misaligned.cu
/// \brief Vectors and numbers at addresses that are no multiple of their size.
#include "common/launch.cuh"
#include "tests/gallery/gallery.hpp"

namespace ladder {
namespace {

constexpr int BM = 16;     // rows of a tile
constexpr int BK = 16;     // columns of a tile
constexpr int BLOCK = 64;  // threads of a block in one dimension
constexpr int FLAGS = 17;  // bytes in front of a tile

}  // namespace
}  // namespace ladder

namespace ladder::gallery_kernels {

__global__ void float4_at_offset_one(const float* A, float* C) {
  const float4* const gA = reinterpret_cast<const float4*>(A + 1);
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  reinterpret_cast<float4*>(C)[i] = gA[i];  // fault: A + 1 is 4 bytes off
}

__global__ void float4_in_rows_of_fifty(int columns, const float* A, float* C) {
  float* const gC = C + threadIdx.y * columns + 4 * threadIdx.x;
  const float x = A[threadIdx.y * columns + threadIdx.x];
  *reinterpret_cast<float4*>(gC) = make_float4(x, x, x, x);  // fault: 50 is no multiple of 4
}

__global__ void float4_in_padded_row(int K, const float* A, float* C) {
  __shared__ float sA[BM][BK + 1];  // (BM, BK), rows padded
  const int m = threadIdx.y;
  const int k = threadIdx.x;
  sA[m][k] = A[m * K + k];
  __syncthreads();
  if (4 * k >= BK) return;
  const float* const first = &sA[m][4 * k];
  const float4 a = *reinterpret_cast<const float4*>(first);  // fault: 17 is no multiple of 4
  C[m * BK + k] = a.x + a.y + a.z + a.w;
}

__global__ void float2_at_every_element(int n, const float* A, float* C) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i + 1 >= n) return;
  const float2 pair = *reinterpret_cast<const float2*>(A + i);  // fault: every other i is odd
  C[i] = pair.x + pair.y;
}

__global__ void floats_behind_odd_bytes(int flags, const float* A, float* C) {
  extern __shared__ unsigned char bytes[];
  unsigned char* const positive = bytes;                        // (flags)
  float* const line = reinterpret_cast<float*>(bytes + flags);  // (BLOCK)
  const int t = threadIdx.x;
  if (t < flags) positive[t] = A[t] > 0.0f;
  line[t] = A[t];  // fault: the number of bytes in front is odd
  __syncthreads();
  C[t] = t < flags && positive[t] == 0 ? 0.0f : line[t];  // and here
}

}  // namespace ladder::gallery_kernels

namespace ladder::gallery {

void float4_at_offset_one(const Arrays& arrays) {
  launch(gallery_kernels::float4_at_offset_one, {.grid = dim3(2), .block = dim3(BLOCK)}, arrays.A,
         arrays.C);
}

void float4_in_rows_of_fifty(const Arrays& arrays) {
  launch(gallery_kernels::float4_in_rows_of_fifty, {.grid = dim3(1), .block = dim3(8, 16)}, kM,
         arrays.A, arrays.C);
}

void float4_in_padded_row(const Arrays& arrays) {
  launch(gallery_kernels::float4_in_padded_row, {.grid = dim3(1), .block = dim3(BK, BM)}, kK,
         arrays.A, arrays.C);
}

void float2_at_every_element(const Arrays& arrays) {
  launch(gallery_kernels::float2_at_every_element,
         {.grid = dim3(ceil_div(kM * kK, BLOCK)), .block = dim3(BLOCK)}, kM * kK, arrays.A,
         arrays.C);
}

void floats_behind_odd_bytes(const Arrays& arrays) {
  launch(gallery_kernels::floats_behind_odd_bytes,
         {.grid = dim3(1),
          .block = dim3(BLOCK),
          .dynamic_shared_bytes = FLAGS + BLOCK * sizeof(float)},
         FLAGS, arrays.A, arrays.C);
}

}  // namespace ladder::gallery
