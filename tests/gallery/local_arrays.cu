// SPDX-License-Identifier: MIT
/// \file  tests/gallery/local_arrays.cu
/// \brief Arrays of one thread that are filled through a pointer, beyond their end or not.
#include "common/launch.cuh"
#include "tests/gallery/gallery.hpp"

namespace ladder {
namespace {

constexpr int TM = 4;       // rows of a thread's tile
constexpr int TN = 4;       // columns of a thread's tile
constexpr int WARP = 32;    // lanes of a warp
constexpr int LINE = 100;   // numbers of a thread's line
constexpr int PADDING = 8;  // between the lines of a matrix

}  // namespace
}  // namespace ladder

namespace ladder::gallery_kernels {

/// Copies whole rows of A, from column 0 on.
__device__ void copy_rows(const float* A, int K, int rows, float* to) {
  for (int m = 0; m < rows; ++m)
    for (int k = 0; k < TN; ++k)
      to[m * TN + k] = A[m * K + k];
}

/// The same, called and not inlined.
__device__ __noinline__ void copy_line(const float* A, int count, float* to) {
  for (int i = 0; i < count; ++i)
    to[i] = A[i];
}

__global__ void five_rows_in_a_tile_of_four(int rows, int K, const float* A, float* C) {
  float tile[TM][TN];  // fault: the loop stores one row more
  copy_rows(A + threadIdx.x * K, K, rows, &tile[0][0]);
  float sum = 0.0f;
  for (int m = 0; m < TM; ++m)
    sum += tile[m][(threadIdx.x + m) % TN];
  C[threadIdx.x] = sum;
}

__global__ void four_rows_in_a_tile_of_four(int rows, int K, const float* A, float* C) {
  float tile[TM][TN];
  copy_rows(A + threadIdx.x * K, K, rows, &tile[0][0]);
  float sum = 0.0f;
  for (int m = 0; m < TM; ++m)
    sum += tile[m][(threadIdx.x + m) % TN];
  C[threadIdx.x] = sum;
}

__global__ void line_with_its_padding(int count, const float* A, float* C) {
  float line[LINE];  // fault: the padding has no room
  copy_line(A + threadIdx.x, count, line);
  C[threadIdx.x] = line[(7 * threadIdx.x) % LINE];
}

__global__ void line_without_its_padding(int count, const float* A, float* C) {
  float line[LINE];
  copy_line(A + threadIdx.x, count, line);
  C[threadIdx.x] = line[(7 * threadIdx.x) % LINE];
}

__global__ void tail_of_a_vector_counted_up(unsigned invalid, const float* A, float* C) {
  float4 values = reinterpret_cast<const float4*>(A)[threadIdx.x];  // fault: 3 + 8 is beyond four
  float* const floats = reinterpret_cast<float*>(&values);
  for (unsigned i = 0; i < invalid; ++i)
    floats[3 + i] = 0.0f;
  reinterpret_cast<float4*>(C)[threadIdx.x] = values;
}

__global__ void tail_longer_than_the_vector(size_t invalid, const float* A, float* C) {
  float4 values = reinterpret_cast<const float4*>(A)[threadIdx.x];
  float* const floats = reinterpret_cast<float*>(&values);
  for (size_t i = 0; i < invalid; ++i)
    floats[3 - static_cast<int>(i)] = 0.0f;  // fault: size_t 3 - 5 is no small number
  reinterpret_cast<float4*>(C)[threadIdx.x] = values;
}

__global__ void tail_of_a_vector_cleared(unsigned invalid, const float* A, float* C) {
  float4 values = reinterpret_cast<const float4*>(A)[threadIdx.x];
  float* const floats = reinterpret_cast<float*>(&values);
  for (unsigned i = 0; i < invalid; ++i)
    floats[3 - i] = 0.0f;
  reinterpret_cast<float4*>(C)[threadIdx.x] = values;
}

__global__ void cleared_without_an_end(int count, float* C) {
  float line[LINE];
  float* const first = line;
  for (int i = 0; i < count; ++i)
    first[i] = static_cast<float>(i);  // fault: count is not that of this array
  C[threadIdx.x] = line[(7 * threadIdx.x) % LINE];
}

__global__ void cleared_to_its_end(int count, float* C) {
  float line[LINE];
  float* const first = line;
  for (int i = 0; i < count; ++i)
    first[i] = static_cast<float>(i);
  C[threadIdx.x] = line[(7 * threadIdx.x) % LINE];
}

}  // namespace ladder::gallery_kernels

namespace ladder::gallery {
namespace {

const LaunchShape kWarp = {.grid = dim3(1), .block = dim3(WARP)};

}  // namespace

void five_rows_in_a_tile_of_four(const Arrays& arrays) {
  launch(gallery_kernels::five_rows_in_a_tile_of_four, kWarp, TM + 1, kK, arrays.A, arrays.C);
}

void four_rows_in_a_tile_of_four(const Arrays& arrays) {
  launch(gallery_kernels::four_rows_in_a_tile_of_four, kWarp, TM, kK, arrays.A, arrays.C);
}

void line_with_its_padding(const Arrays& arrays) {
  launch(gallery_kernels::line_with_its_padding, kWarp, LINE + PADDING, arrays.A, arrays.C);
}

void line_without_its_padding(const Arrays& arrays) {
  launch(gallery_kernels::line_without_its_padding, kWarp, LINE, arrays.A, arrays.C);
}

void tail_of_a_vector_counted_up(const Arrays& arrays) {
  launch(gallery_kernels::tail_of_a_vector_counted_up, kWarp, 9u, arrays.A, arrays.C);
}

void tail_longer_than_the_vector(const Arrays& arrays) {
  const size_t columns = 3;
  launch(gallery_kernels::tail_longer_than_the_vector, kWarp, columns - 5, arrays.A, arrays.C);
}

void tail_of_a_vector_cleared(const Arrays& arrays) {
  launch(gallery_kernels::tail_of_a_vector_cleared, kWarp, 2u, arrays.A, arrays.C);
}

void cleared_without_an_end(const Arrays& arrays) {
  launch(gallery_kernels::cleared_without_an_end, kWarp, 1 << 20, arrays.C);
}

void cleared_to_its_end(const Arrays& arrays) {
  launch(gallery_kernels::cleared_to_its_end, kWarp, LINE, arrays.C);
}

}  // namespace ladder::gallery
