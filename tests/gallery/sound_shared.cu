// SPDX-License-Identifier: MIT
/// \file  tests/gallery/sound_shared.cu
/// \brief Sound kernels whose shared arrays are not declared in the kernel itself, and others that
///        courses teach.
#include "common/launch.cuh"
#include "tests/gallery/gallery.hpp"

namespace ladder {
namespace {

constexpr int BLOCK = 128;  // threads of a block in one dimension
constexpr int WARP = 32;    // lanes of a warp
constexpr int WARPS = BLOCK / WARP;
constexpr int SIDE = 16;  // rows and columns of a tile
constexpr int BINS = 17;  // of a histogram: values from -8 to 8

constexpr unsigned kAllLanes = 0xFFFFFFFFu;

}  // namespace
}  // namespace ladder

namespace ladder::gallery_kernels {

// -- Arrays of functions -------------------------------------------------------------------------

__device__ inline float sum_of_warp(float x) {
  for (int step = WARP / 2; step > 0; step /= 2)
    x += __shfl_down_sync(kAllLanes, x, step);
  return x;
}

/// The sum over the block, for thread 0; others get something else.
__device__ inline float sum_of_block(float x) {
  __shared__ float warp_sums[WARPS];
  const int lane = threadIdx.x % WARP;
  const int warp = threadIdx.x / WARP;
  x = sum_of_warp(x);
  if (lane == 0) warp_sums[warp] = x;
  __syncthreads();
  x = lane < WARPS ? warp_sums[lane] : 0.0f;
  return sum_of_warp(x);
}

/// The sum over the block, for all of its threads.
template <int THREADS>
__device__ float sum_for_all(float x) {
  __shared__ float partial[THREADS];
  const int t = threadIdx.x;
  partial[t] = x;
  __syncthreads();
  for (int step = THREADS / 2; step > 0; step /= 2) {
    if (t < step) partial[t] += partial[t + step];
    __syncthreads();
  }
  const float sum = partial[0];
  __syncthreads();
  return sum;
}

/// The largest value of the block, for all of its threads.
__attribute__((noinline)) __device__ float largest_of_block(float x) {
  __shared__ float largest[BLOCK];
  const int t = threadIdx.x;
  largest[t] = x;
  __syncthreads();
  for (int step = BLOCK / 2; step > 0; step /= 2) {
    if (t < step) largest[t] = fmaxf(largest[t], largest[t + step]);
    __syncthreads();
  }
  const float result = largest[0];
  __syncthreads();
  return result;
}

/// The sum of all elements of the block up to this thread's own.
__device__ inline float sum_up_to(float x) {
  __shared__ float warp_sums[WARPS];
  const int lane = threadIdx.x % WARP;
  const int warp = threadIdx.x / WARP;
  for (int step = 1; step < WARP; step *= 2) {
    const float below = __shfl_up_sync(kAllLanes, x, step);
    if (lane >= step) x += below;
  }
  if (lane == WARP - 1) warp_sums[warp] = x;
  __syncthreads();
  for (int w = 0; w < warp; ++w)
    x += warp_sums[w];
  return x;
}

struct Neighbours {
  /// The value of the thread to the left; 0 for the first.
  __device__ static float left(float x) {
    __shared__ float line[BLOCK];
    line[threadIdx.x] = x;
    __syncthreads();
    return threadIdx.x == 0 ? 0.0f : line[threadIdx.x - 1];
  }
};

__global__ void sum_in_a_function(int n, const float* A, float* C) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  const float sum = sum_of_block(i < n ? A[i] : 0.0f);
  if (threadIdx.x == 0) C[blockIdx.x] = sum;
}

__global__ void sum_in_a_template(int n, const float* A, float* C) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  const float x = i < n ? A[i] : 0.0f;
  C[i] = sum_for_all<BLOCK>(x) - x;
}

__global__ void two_sums_of_one_function(int n, const float* A, float* C) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  const float x = i < n ? A[i] : 0.0f;
  const float mean = sum_for_all<BLOCK>(x) / BLOCK;
  const float squares = sum_for_all<BLOCK>((x - mean) * (x - mean));
  if (threadIdx.x == 0) C[blockIdx.x] = squares;
}

__global__ void two_functions_with_arrays(int n, const float* A, float* C) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  const float x = i < n ? A[i] : 0.0f;
  const float largest = largest_of_block(x);
  const float sum = sum_for_all<BLOCK>(largest - x);
  if (threadIdx.x == 0) C[blockIdx.x] = sum;
}

__global__ void array_of_a_member(const float* A, float* C) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  C[i] = A[i] - Neighbours::left(A[i]);
}

__global__ void scan_in_a_function(int n, const float* A, float* C) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  const float sum = sum_up_to(i < n ? A[i] : 0.0f);
  if (i < n) C[i] = sum;
}

__global__ void array_in_a_lambda(const float* A, float* C) {
  const auto reversed = [](float x) {
    __shared__ float line[BLOCK];
    line[threadIdx.x] = x;
    __syncthreads();
    return line[BLOCK - 1 - threadIdx.x];
  };
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  C[i] = reversed(A[i]);
}

/// Functions in a table: the kernel's code names neither.
__device__ float reversed_of_block(float x) {
  __shared__ float turned[BLOCK];
  turned[threadIdx.x] = x;
  __syncthreads();
  return turned[BLOCK - 1 - threadIdx.x];
}

__device__ float rotated_of_block(float x) {
  __shared__ float shifted[BLOCK];
  shifted[threadIdx.x] = x;
  __syncthreads();
  return shifted[(threadIdx.x + 1) % BLOCK];
}

__device__ float (*exchanges[])(float) = {reversed_of_block, rotated_of_block};

__global__ void arrays_of_functions_in_a_table(int which, const float* A, float* C) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  C[i] = exchanges[which](A[i]);
}

// -- Arrays outside of functions -----------------------------------------------------------------

__shared__ float line_of_file[BLOCK + 2];
__shared__ float4 vectors_of_file[BLOCK];
extern __shared__ float dynamic_of_file[];

__global__ void array_outside_of_functions(int n, const float* A, float* C) {
  const int t = threadIdx.x;
  const int i = blockIdx.x * BLOCK + t;
  line_of_file[t + 1] = i < n ? A[i] : 0.0f;
  if (t == 0) line_of_file[0] = i > 0 ? A[i - 1] : 0.0f;
  if (t == BLOCK - 1) line_of_file[BLOCK + 1] = i + 1 < n ? A[i + 1] : 0.0f;
  __syncthreads();
  if (i < n) C[i] = line_of_file[t] + line_of_file[t + 1] + line_of_file[t + 2];
}

__global__ void vectors_outside_of_functions(const float* A, float* C) {
  const int t = threadIdx.x;
  vectors_of_file[t] = reinterpret_cast<const float4*>(A)[t];
  __syncthreads();
  reinterpret_cast<float4*>(C)[t] = vectors_of_file[BLOCK - 1 - t];
}

__global__ void dynamic_outside_of_functions(const float* A, float* C) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  dynamic_of_file[threadIdx.x] = A[i];
  __syncthreads();
  C[i] = dynamic_of_file[BLOCK - 1 - threadIdx.x];
}

/// A function that finds dynamic shared memory by its name.
__device__ inline float from_dynamic(int i) {
  return dynamic_of_file[i];
}

__global__ void dynamic_in_two_parts(const float* A, float* C) {
  extern __shared__ float parts[];
  float* const values = parts;                               // (BLOCK)
  int* const order = reinterpret_cast<int*>(parts + BLOCK);  // (BLOCK)
  const int t = threadIdx.x;
  values[t] = A[blockIdx.x * BLOCK + t];
  order[t] = (t * 5 + 3) % BLOCK;
  __syncthreads();
  C[blockIdx.x * BLOCK + t] = from_dynamic(order[t]);
}

// -- What else courses teach ---------------------------------------------------------------------

__global__ void structure_in_shared(const float* A, float* C) {
  __shared__ struct {
    float value[BLOCK];
    int place[BLOCK];
  } best;
  const int t = threadIdx.x;
  best.value[t] = A[blockIdx.x * BLOCK + t];
  best.place[t] = t;
  __syncthreads();
  for (int step = BLOCK / 2; step > 0; step /= 2) {
    if (t < step && best.value[t + step] > best.value[t]) {
      best.value[t] = best.value[t + step];
      best.place[t] = best.place[t + step];
    }
    __syncthreads();
  }
  if (t == 0) C[blockIdx.x] = best.value[0];
}

__global__ void softmax_like_rows(const float* A, float* C) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  const float x = A[i];
  const float largest = largest_of_block(x);
  const float weight = largest - x;
  C[i] = weight + sum_for_all<BLOCK>(weight);
}

template <int ROWS, int COLUMNS>
__device__ void transpose_tile(const float* from, int from_stride, float* to, int to_stride) {
  __shared__ float tile[ROWS][COLUMNS + 1];  // (ROWS, COLUMNS), rows padded
  tile[threadIdx.y][threadIdx.x] = from[threadIdx.y * from_stride + threadIdx.x];
  __syncthreads();
  to[threadIdx.y * to_stride + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}

__global__ void transpose_in_a_function(int columns, const float* A, float* C) {
  const int row = blockIdx.y * SIDE;
  const int col = blockIdx.x * SIDE;
  transpose_tile<SIDE, SIDE>(A + row * columns + col, columns, C + col * (3 * SIDE) + row,
                             3 * SIDE);
}

__global__ void histogram_by_warps(int n, const float* A, float* C) {
  __shared__ int bins[WARPS][BINS];  // (WARPS, BINS)
  const int t = threadIdx.x;
  for (int bin = t; bin < WARPS * BINS; bin += BLOCK)
    bins[bin / BINS][bin % BINS] = 0;
  __syncthreads();
  for (int i = t; i < n; i += BLOCK)
    atomicAdd(&bins[t / WARP][static_cast<int>(A[i]) + 8], 1);
  __syncthreads();
  if (t >= BINS) return;
  int sum = 0;
  for (int warp = 0; warp < WARPS; ++warp)
    sum += bins[warp][t];
  C[t] = static_cast<float>(sum);
}

__global__ void bitonic_sort(const float* A, float* C) {
  __shared__ float line[BLOCK];  // (BLOCK)
  const int t = threadIdx.x;
  line[t] = A[blockIdx.x * BLOCK + t];
  __syncthreads();
  for (int size = 2; size <= BLOCK; size *= 2) {
    for (int distance = size / 2; distance > 0; distance /= 2) {
      const int other = t ^ distance;
      if (other > t) {
        const bool up = (t & size) == 0;
        const float a = line[t];
        const float b = line[other];
        if ((a > b) == up) {
          line[t] = b;
          line[other] = a;
        }
      }
      __syncthreads();
    }
  }
  C[blockIdx.x * BLOCK + t] = line[t];
}

__global__ void three_stages(int M, int N, int K, const float* A, const float* B, float* C) {
  constexpr int STAGES = 3;
  __shared__ float sB[STAGES][SIDE][SIDE];  // (STAGES, k, column)
  const int row = blockIdx.y * SIDE + threadIdx.y;
  const int col = blockIdx.x * SIDE + threadIdx.x;
  const auto fetch = [&](int stage, int k0) {
    const int k = k0 + threadIdx.y;
    sB[stage][threadIdx.y][threadIdx.x] = k < K && col < N ? B[k * N + col] : 0.0f;
  };
  fetch(0, 0);
  fetch(1, SIDE);
  float acc = 0.0f;
  int stage = 0;
  for (int k0 = 0; k0 < K; k0 += SIDE) {
    __syncthreads();
    fetch((stage + 2) % STAGES, k0 + 2 * SIDE);
    for (int k = 0; k < SIDE && k0 + k < K; ++k)
      if (row < M) acc += A[row * K + k0 + k] * sB[stage][k][threadIdx.x];
    stage = (stage + 1) % STAGES;
  }
  if (row < M && col < N) C[row * N + col] = acc;
}

__global__ void compaction_with_counter(const float* A, float* C) {
  __shared__ float kept[BLOCK];  // (BLOCK)
  __shared__ int count;
  const int t = threadIdx.x;
  if (t == 0) count = 0;
  __syncthreads();
  const float x = A[blockIdx.x * BLOCK + t];
  if (x > 0.0f) kept[atomicAdd(&count, 1)] = x;
  __syncthreads();
  float sum = 0.0f;
  for (int i = t; i < count; i += BLOCK)
    sum += kept[i];
  sum = sum_of_block(sum);
  if (t == 0) C[blockIdx.x] = sum;
}

__global__ void sum_with_early_exit(const float* A, float* C) {
  __shared__ float sum[BLOCK];  // (BLOCK)
  const int t = threadIdx.x;
  sum[t] = A[blockIdx.x * BLOCK + t];
  __syncthreads();
  for (int step = BLOCK / 2; step >= WARP; step /= 2) {
    if (t < step) sum[t] += sum[t + step];
    __syncthreads();
  }
  if (t >= WARP) return;
  const float x = sum_of_warp(sum[t]);
  if (t == 0) C[blockIdx.x] = x;
}

}  // namespace ladder::gallery_kernels

namespace ladder::gallery {
namespace {

constexpr int kCountA = kM * kK;

/// Blocks for all elements of A, the last one partly empty.
const LaunchShape kAllOfA = {.grid = dim3(ceil_div(kCountA, BLOCK)), .block = dim3(BLOCK)};
/// Blocks for the elements that fill them.
const LaunchShape kFullBlocks = {.grid = dim3(kCountA / BLOCK), .block = dim3(BLOCK)};
const LaunchShape kOneBlock = {.grid = dim3(1), .block = dim3(BLOCK)};

}  // namespace

void sum_in_a_function(const Arrays& arrays) {
  launch(gallery_kernels::sum_in_a_function, kAllOfA, kCountA, arrays.A, arrays.C);
}

void sum_in_a_template(const Arrays& arrays) {
  launch(gallery_kernels::sum_in_a_template, kAllOfA, kCountA, arrays.A, arrays.C);
}

void two_sums_of_one_function(const Arrays& arrays) {
  launch(gallery_kernels::two_sums_of_one_function, kAllOfA, kCountA, arrays.A, arrays.C);
}

void two_functions_with_arrays(const Arrays& arrays) {
  launch(gallery_kernels::two_functions_with_arrays, kAllOfA, kCountA, arrays.A, arrays.C);
}

void array_of_a_member(const Arrays& arrays) {
  launch(gallery_kernels::array_of_a_member, kFullBlocks, arrays.A, arrays.C);
}

void scan_in_a_function(const Arrays& arrays) {
  launch(gallery_kernels::scan_in_a_function, kAllOfA, kCountA, arrays.A, arrays.C);
}

void array_in_a_lambda(const Arrays& arrays) {
  launch(gallery_kernels::array_in_a_lambda, kFullBlocks, arrays.A, arrays.C);
}

void arrays_of_functions_in_a_table(const Arrays& arrays) {
  launch(gallery_kernels::arrays_of_functions_in_a_table, kFullBlocks, 1, arrays.A, arrays.C);
}

void array_outside_of_functions(const Arrays& arrays) {
  launch(gallery_kernels::array_outside_of_functions, kAllOfA, kCountA, arrays.A, arrays.C);
}

void vectors_outside_of_functions(const Arrays& arrays) {
  launch(gallery_kernels::vectors_outside_of_functions, kOneBlock, arrays.A, arrays.C);
}

void dynamic_outside_of_functions(const Arrays& arrays) {
  launch(gallery_kernels::dynamic_outside_of_functions,
         {.grid = kFullBlocks.grid,
          .block = dim3(BLOCK),
          .dynamic_shared_bytes = BLOCK * sizeof(float)},
         arrays.A, arrays.C);
}

void dynamic_in_two_parts(const Arrays& arrays) {
  launch(gallery_kernels::dynamic_in_two_parts,
         {.grid = kFullBlocks.grid,
          .block = dim3(BLOCK),
          .dynamic_shared_bytes = BLOCK * (sizeof(float) + sizeof(int))},
         arrays.A, arrays.C);
}

void structure_in_shared(const Arrays& arrays) {
  launch(gallery_kernels::structure_in_shared, kFullBlocks, arrays.A, arrays.C);
}

void softmax_like_rows(const Arrays& arrays) {
  launch(gallery_kernels::softmax_like_rows, kFullBlocks, arrays.A, arrays.C);
}

void transpose_in_a_function(const Arrays& arrays) {
  launch(gallery_kernels::transpose_in_a_function,
         {.grid = dim3(kK / SIDE, kM / SIDE), .block = dim3(SIDE, SIDE)}, kK, arrays.A, arrays.C);
}

void histogram_by_warps(const Arrays& arrays) {
  launch(gallery_kernels::histogram_by_warps, kOneBlock, kCountA, arrays.A, arrays.C);
}

void bitonic_sort(const Arrays& arrays) {
  launch(gallery_kernels::bitonic_sort, kFullBlocks, arrays.A, arrays.C);
}

void three_stages(const Arrays& arrays) {
  launch(gallery_kernels::three_stages,
         {.grid = dim3(ceil_div(kN, SIDE), ceil_div(kM, SIDE)), .block = dim3(SIDE, SIDE)}, kM, kN,
         kK, arrays.A, arrays.B, arrays.C);
}

void compaction_with_counter(const Arrays& arrays) {
  launch(gallery_kernels::compaction_with_counter, kFullBlocks, arrays.A, arrays.C);
}

void sum_with_early_exit(const Arrays& arrays) {
  launch(gallery_kernels::sum_with_early_exit, kFullBlocks, arrays.A, arrays.C);
}

}  // namespace ladder::gallery
