// SPDX-License-Identifier: MIT
// Kernels with faults, kernels that only look like it, and kernels of many blocks. Comments at the
// end of a line are the names by which tests find the line.
#include "common/launch.cuh"
#include "common/ptx/dependent_launch.cuh"
#include "tests/emulator/trace_probes.hpp"

// One kernel is about it.
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"

namespace ladder::trace_probe_kernels {

/// Computes for a while, so that blocks on other CPU threads come along.
/// \return less than 2
__device__ __forceinline__ float spend(int steps) {
  float value = 1.0f;
  for (int i = 0; i < steps; ++i)
    value = sqrtf(value + 1.0f);
  return value;
}

// -- Bounds -------------------------------------------------------------------------------------

__global__ void load_at(unsigned bad_block, const float* in, long long index, float* out) {
  if (blockIdx.x == bad_block && threadIdx.x == 5) {
    out[0] = in[index];  // load at
  }
}

__global__ void stores_beyond(long long count, float* C) {
  if (blockIdx.x + blockIdx.y == 0 || spend(2000) > 2.0f) return;
  const long long i = threadIdx.x < 7 ? threadIdx.x : count + threadIdx.x;
  C[i] = 1.0f;  // store beyond
}

__global__ void loads_beyond_in_turns(long long count, const float* in, float* out) {
  for (unsigned warp = 2; warp-- > 0;) {
    if (threadIdx.x / 32 == warp) out[threadIdx.x] = in[count + threadIdx.x];  // in turns
    __syncthreads();
  }
}

__global__ void two_arrays_in_one_request(const float* a, const float* b, float* out) {
  const float* from = threadIdx.x < 16 ? a : b;
  out[threadIdx.x] = from[threadIdx.x];  // from two arrays
}

__global__ void load_wide_at(const float* in, long long index, float* out) {
  *reinterpret_cast<float4*>(out) = *reinterpret_cast<const float4*>(in + index);  // load wide
}

__global__ void shared_store_beyond(int count, float* out) {
  extern __shared__ float tile[];
  tile[threadIdx.x == 31 ? count : threadIdx.x] = 1.0f;  // shared store beyond
  __syncthreads();
  if (threadIdx.x < 31) out[threadIdx.x] = tile[threadIdx.x];  // shared load inside
}

// -- Loops --------------------------------------------------------------------------------------

__global__ void sum_in_each_thread(long long count, const float* in, float* out) {
  float sum = 0.0f;
  for (long long i = 0; i < count; ++i)
    sum += in[i];
  out[threadIdx.x] = sum;
}

__global__ void loop_over_few(const int* in, int* out) {
  int i = 0;
  while (in[i] == 0)  // around again
    i = (i + 1) % 4;
  out[threadIdx.x] = i;
}

__global__ void wait_for_next_block(int* flag, int* out) {
  volatile int* const watched = flag;
  if (blockIdx.x == 0) {
    while (*watched == 0) {  // look again
    }
    out[threadIdx.x] = 1;
  } else if (threadIdx.x == 0) {
    *watched = 1;
  }
}

// -- Order within a block -----------------------------------------------------------------------

__global__ void missing_barrier(float* out) {
  __shared__ float line[256];
  line[threadIdx.x] = 0.0f;
  __syncthreads();
  line[threadIdx.x] = 1.0f;                               // racing store
  out[threadIdx.x] = line[blockDim.x - 1 - threadIdx.x];  // racing load
}

__device__ __forceinline__ void put(float* array, float value) {
  array[threadIdx.x] = value;  // put
}

__device__ __forceinline__ float get(const float* array) {
  return array[63 - threadIdx.x];  // get
}

__global__ void races_in_two_arrays(float* out) {
  __shared__ float first[64];
  __shared__ float second[64];
  put(first, 1.0f);
  put(second, 2.0f);
  out[threadIdx.x] = get(first) + get(second);
}

__global__ void race_beside_an_overrun(int count, float* out) {
  __shared__ float line[64];
  extern __shared__ float tile[];
  tile[threadIdx.x == 63 ? count : threadIdx.x] = 1.0f;  // overrun
  line[threadIdx.x] = 1.0f;                              // beside it
  out[threadIdx.x] = line[63 - threadIdx.x];             // races beside it
}

__global__ void broadcast_to_half(unsigned mask, float* out) {
  float value = static_cast<float>(threadIdx.x);
  if (mask != 0xFFFFFFFFu && threadIdx.x >= 16) return;
  value += __shfl_sync(mask, value, 31);  // from lane 31
  out[threadIdx.x] = value;
}

__global__ void set_below(unsigned count, float* out) {
  float value;
  if (threadIdx.x < count) value = out[threadIdx.x] + 1.0f;
  out[threadIdx.x] = 2.0f * value - value;  // of a local
}

__global__ void exchange_in_warp(float* out) {
  __shared__ float line[32];
  line[threadIdx.x] = 1.0f;
  __syncwarp();
  const float other = line[threadIdx.x ^ 1];
  __syncwarp();
  line[threadIdx.x] += other;
  __syncwarp();
  out[threadIdx.x] = line[threadIdx.x ^ 1];
}

/// Elements of two bytes: neighbouring threads share a word, and no byte of it.
__global__ void halves_of_words(unsigned other, unsigned short* out) {
  __shared__ unsigned short line[64];
  line[threadIdx.x] = static_cast<unsigned short>(threadIdx.x);
  out[threadIdx.x] = line[threadIdx.x ^ other];
}

__global__ void vectors_by_value(float4 a, uint2 b, float* out) {
  out[threadIdx.x] = threadIdx.x < b.y ? a.z : a.w;
}

__global__ void add_from_beyond_the_mask(int* out) {
  int sum = static_cast<int>(threadIdx.x);
  if (threadIdx.x >= 4) return;
  for (int step = 4; step > 0; step /= 2)
    sum += __shfl_down_sync(0xFu, sum, step);  // beyond the mask
  out[threadIdx.x] = sum;
}

__global__ void left_before_barrier(int first, int end, float* out) {
  const int t = threadIdx.x;
  if (t < first || t >= end) return;
  __syncthreads();  // some have left
  out[t] = 1.0f;
}

__global__ void divergent_barrier(unsigned bad_block, const float* in, float* out) {
  __shared__ float line[64];
  if (spend(2000) > 2.0f) return;
  line[threadIdx.x] = 0.0f;
  __syncwarp();
  line[63 - threadIdx.x] = in[threadIdx.x];  // before failure
  out[threadIdx.x] = line[threadIdx.x ^ 1];
  if (blockIdx.x >= bad_block && threadIdx.x >= 32) {
    __syncthreads();
  } else {
    __syncthreads();  // the other barrier
  }
}

__global__ void race_in_first(float* out) {
  __shared__ float first[32];
  first[threadIdx.x] = 1.0f;
  out[threadIdx.x] = first[31 - threadIdx.x];  // race in first
}

__global__ void race_in_second(float* out) {
  __shared__ float second[64];
  second[threadIdx.x] = 1.0f;
  out[threadIdx.x] = second[31 - threadIdx.x];  // race in second
}

// -- Many blocks --------------------------------------------------------------------------------

template <bool kLateDifference>
__global__ void copy_tiles(int rows, int slow_steps, const float* in, float* out) {
  __shared__ float tile[8][32];
  const int columns = 32 * gridDim.x;
  const int column = 32 * blockIdx.x + threadIdx.x;
  const int row = 8 * blockIdx.y + threadIdx.y;
  if (blockIdx.x + blockIdx.y == 0 && spend(slow_steps) > 2.0f) return;
  if (row < rows) tile[threadIdx.y][threadIdx.x] = in[row * columns + column];  // load tile
  __syncthreads();
  if (row >= rows) return;
  float value = tile[threadIdx.y][31 - threadIdx.x];
  if (kLateDifference && blockIdx.x == 1) value += in[threadIdx.x];  // late load
  out[row * columns + column] = value;                               // store tile
}

__global__ void barrier_first(const float* in, float* out) {
  __syncthreads();
  out[32 * blockIdx.x + threadIdx.x] = in[32 * blockIdx.x + threadIdx.x];
}

// -- Kernels that may start while the one before still runs -------------------------------------

using trace_probes::Launches;
using trace_probes::WaitsFor;

__global__ void copy_early(WaitsFor waits, Launches launches, const int* in, int* out) {
  const bool launches_late = launches == Launches::kAfterWaiting ||
                             (launches == Launches::kAfterWaitingInBlock1 && blockIdx.x == 1);
  if (launches != Launches::kNothing && !launches_late) ptx::launch_dependents();
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (waits == WaitsFor::kFirst) ptx::wait_for_previous_kernel();
  if (waits == WaitsFor::kFirstOneOfTheBlock) {
    if (threadIdx.x == 40) ptx::wait_for_previous_kernel();
    __syncthreads();
  }
  const int value = in[i];  // early load
  if (waits == WaitsFor::kAfterLoading) ptx::wait_for_previous_kernel();
  out[i] = value;  // early store
  if (launches_late) ptx::launch_dependents();
}

}  // namespace ladder::trace_probe_kernels

namespace ladder::trace_probes {
namespace {

namespace kernels = trace_probe_kernels;

constexpr std::size_t kTileBytes = 32 * sizeof(float);

LaunchShape one_warp() {
  return {.grid = dim3(1), .block = dim3(32)};
}

}  // namespace

void load_at(unsigned blocks, unsigned bad_block, const float* in, long long index, float* out) {
  launch(kernels::load_at, {.grid = dim3(blocks), .block = dim3(32)}, bad_block, in, index, out);
}

void stores_beyond(long long count, float* C) {
  launch(kernels::stores_beyond, {.grid = dim3(2, 2), .block = dim3(32)}, count, C);
}

void loads_beyond_in_turns(long long count, const float* in, float* out) {
  launch(kernels::loads_beyond_in_turns, {.grid = dim3(1), .block = dim3(64)}, count, in, out);
}

void two_arrays_in_one_request(const float* a, const float* b, float* out) {
  launch(kernels::two_arrays_in_one_request, one_warp(), a, b, out);
}

void load_wide_at(const float* in, long long index, float* out) {
  launch(kernels::load_wide_at, {.grid = dim3(1), .block = dim3(1)}, in, index, out);
}

void shared_store_beyond(int count, float* out) {
  launch(kernels::shared_store_beyond,
         {.grid = dim3(1), .block = dim3(32), .dynamic_shared_bytes = kTileBytes}, count, out);
}

void races_in_two_arrays(float* out) {
  launch(kernels::races_in_two_arrays, {.grid = dim3(1), .block = dim3(64)}, out);
}

void race_beside_an_overrun(int count, float* out) {
  launch(kernels::race_beside_an_overrun,
         {.grid = dim3(1), .block = dim3(64), .dynamic_shared_bytes = 64 * sizeof(float)}, count,
         out);
}

void broadcast_to_half(unsigned mask, float* out) {
  launch(kernels::broadcast_to_half, {.grid = dim3(1), .block = dim3(32)}, mask, out);
}

void set_below(unsigned count, float* out) {
  launch(kernels::set_below, {.grid = dim3(1), .block = dim3(32)}, count, out);
}

void missing_barrier(unsigned blocks, unsigned threads, float* out) {
  launch(kernels::missing_barrier, {.grid = dim3(blocks), .block = dim3(threads)}, out);
}

void exchange_in_warp(float* out) {
  launch(kernels::exchange_in_warp, one_warp(), out);
}

void halves_of_words(unsigned other, unsigned short* out) {
  launch(kernels::halves_of_words, {.grid = dim3(1), .block = dim3(64)}, other, out);
}

void vectors_by_value(float* out) {
  launch(kernels::vectors_by_value, one_warp(), make_float4(1, 2, 3, 4), make_uint2(0, 8), out);
}

void add_from_beyond_the_mask(unsigned blocks, int* out) {
  launch(kernels::add_from_beyond_the_mask, {.grid = dim3(blocks), .block = dim3(32)}, out);
}

void left_before_barrier(unsigned threads, int first, int end, float* out) {
  launch(kernels::left_before_barrier, {.grid = dim3(3), .block = dim3(threads)}, first, end, out);
}

void divergent_barrier(unsigned blocks, unsigned bad_block, const float* in, float* out) {
  launch(kernels::divergent_barrier, {.grid = dim3(blocks), .block = dim3(64)}, bad_block, in, out);
}

void race_in_first(float* out) {
  launch(kernels::race_in_first, one_warp(), out);
}

void race_in_second(float* out) {
  launch(kernels::race_in_second, one_warp(), out);
}

void sum_in_each_thread(long long count, const float* in, float* out) {
  launch(kernels::sum_in_each_thread, one_warp(), count, in, out);
}

void loop_over_few(const int* in, int* out) {
  launch(kernels::loop_over_few, one_warp(), in, out);
}

void wait_for_next_block(int* flag, int* out) {
  launch(kernels::wait_for_next_block, {.grid = dim3(2), .block = dim3(32)}, flag, out);
}

void copy_tiles(int rows, unsigned tiles_across, int slow_steps, const float* in, float* out) {
  const auto tiles_down = static_cast<unsigned>((rows + 7) / 8);
  launch(kernels::copy_tiles<false>, {.grid = dim3(tiles_across, tiles_down), .block = dim3(32, 8)},
         rows, slow_steps, in, out);
}

void copy_tiles_with_late_difference(int rows, unsigned tiles_across, const float* in, float* out) {
  const auto tiles_down = static_cast<unsigned>((rows + 7) / 8);
  launch(kernels::copy_tiles<true>, {.grid = dim3(tiles_across, tiles_down), .block = dim3(32, 8)},
         rows, 0, in, out);
}

void copy_early(WaitsFor waits, Launches launches, const int* in, int* out) {
  launch(kernels::copy_early, {.grid = dim3(2), .block = dim3(64), .overlaps_previous = true},
         waits, launches, in, out);
}

void barrier_first(unsigned blocks, const float* in, float* out) {
  launch(kernels::barrier_first, {.grid = dim3(blocks), .block = dim3(32)}, in, out);
}

}  // namespace ladder::trace_probes
