// SPDX-License-Identifier: MIT
// Kernels whose accesses are counted. Comments at the end of a line are the names by which tests
// find the line.
#include "common/launch.cuh"
#include "tests/emulator/trace_probes.hpp"

namespace ladder::trace_probe_kernels {

// -- Lanes that go different ways ---------------------------------------------------------------

__global__ void copy_sides(const float* in, float* low, float* high) {
  if (threadIdx.x < 10) {
    low[threadIdx.x] = in[threadIdx.x];  // low side
  } else {
    high[threadIdx.x] = 2.0f * in[threadIdx.x];  // high side
  }
}

__device__ __forceinline__ float element(const float* array) {
  return array[threadIdx.x];  // inlined load
}

__global__ void same_function_on_both_sides(const float* a, const float* b, float* out) {
  float value = 0.0f;
  if (threadIdx.x < 16) {
    value = element(a) + 1.0f;
  } else {
    value = element(b) * 3.0f;
  }
  out[threadIdx.x] = value;
}

__global__ void idle_lanes(const float* in, float* out) {
  float sum = 0.0f;
  for (unsigned i = 0; i < 4; ++i) {
    if (threadIdx.x >= 8 * i) sum += in[32 * i + threadIdx.x];  // idle lanes
  }
  out[threadIdx.x] = sum;
}

__global__ void unequal_loops(const float* in, float* out) {
  float sum = 0.0f;
  for (unsigned i = 0; i <= threadIdx.x; ++i)
    sum += in[32 * i + threadIdx.x];  // unequal loops
  out[threadIdx.x] = sum;
}

__global__ void long_loop(int steps, int barrier_every, const float* in, float* out) {
  float sum = 0.0f;
  for (int i = 0; i < steps; ++i) {
    sum += in[(i + threadIdx.x) % 32];  // long loop
    if (barrier_every != 0 && i % barrier_every == 0) __syncthreads();
  }
  out[threadIdx.x] = sum;
}

__global__ void long_unequal_loops(const float* in, float* out) {
  float sum = 0.0f;
  for (unsigned i = 0; i < 20 * threadIdx.x; ++i)
    sum += in[i % 2 * 32 + threadIdx.x];  // long unequal loops
  if (sum != 0.0f) out[threadIdx.x] = sum;
}

__global__ void two_rates(int steps, const float* a, const float* b, float* out) {
  float sum = 0.0f;
  for (int i = 0; i < steps; ++i) {
    sum += a[(i + threadIdx.x) % 32];                            // of all lanes
    if (threadIdx.x % 2 == 0) sum += b[(i + threadIdx.x) % 32];  // of even lanes
  }
  out[threadIdx.x] = sum;
}

// -- Grids, sizes, types ------------------------------------------------------------------------

__global__ void copy_ints(const int* in, int* out) {
  const unsigned block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  const unsigned thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  const unsigned i = block * (blockDim.x * blockDim.y * blockDim.z) + thread;
  out[i] = in[i];  // copy ints
}

template <class T>
__global__ void copy_elements(const T* in, T* out) {
  out[threadIdx.x] = in[threadIdx.x];  // copy elements
}

struct FiveFloats {
  float value[5];
};

struct alignas(16) TwoDoubles {
  double x, y;
};

template <class T>
__global__ void copy_structs(const T* in, T* out) {
  out[threadIdx.x] = in[threadIdx.x];  // copy structs
}

__global__ void copy_halves(const __half* in, __half* out) {
  out[threadIdx.x] = in[threadIdx.x];  // copy halves
  const auto* pairs = reinterpret_cast<const __half2*>(in + 32);
  auto* out_pairs = reinterpret_cast<__half2*>(out + 32);
  out_pairs[threadIdx.x] = pairs[threadIdx.x];  // copy pairs
}

// -- Atomics ------------------------------------------------------------------------------------

__global__ void global_atomics(int* ints, float* floats) {
  atomicAdd(&ints[0], 1);                        // global add
  atomicMax(&ints[1], int(threadIdx.x));         // global max
  atomicCAS(&ints[2], 0, int(threadIdx.x) + 1);  // global CAS
  atomicExch(&ints[3], int(threadIdx.x));        // global exchange
  atomicAdd(&floats[0], 1.0f);                   // global float add
}

__global__ void shared_atomics(int* ints, float* floats) {
  __shared__ int counters[4];
  __shared__ float sum[1];
  if (threadIdx.x < 4) counters[threadIdx.x] = 0;
  if (threadIdx.x == 0) sum[0] = 0.0f;
  __syncthreads();
  atomicAdd(&counters[0], 1);                        // shared add
  atomicCAS(&counters[2], 0, int(threadIdx.x) + 1);  // shared CAS
  atomicExch(&counters[3], int(threadIdx.x));        // shared exchange
  atomicAdd(&sum[0], 1.0f);                          // shared float add
  __syncthreads();
  if (threadIdx.x < 4) ints[threadIdx.x] = counters[threadIdx.x];
  if (threadIdx.x == 0) floats[0] = sum[0];
}

__global__ void spread_float_atomic(float* floats) {
  atomicAdd(&floats[threadIdx.x], 1.0f);  // spread float add
}

__global__ void wait_for_other_warp(int* flag, int* out) {
  volatile int* watched = flag;
  if (threadIdx.x < 32) {
    while (*watched == 0) {
    }
    out[1 + threadIdx.x] = out[0];
  } else if (threadIdx.x == 32) {
    out[0] = 7;
    *watched = 1;
  }
}

// -- What is no memory access -------------------------------------------------------------------

__attribute__((noinline)) void exchange_ends(int& first, int& last) {
  const int kept = first;
  first = last;
  last = kept;
}

__global__ void local_variables(const int* in, int* out) {
  int window[8];
  for (int i = 0; i < 8; ++i)
    window[(i + threadIdx.x) % 8] = in[8 * threadIdx.x + i];  // local load
  exchange_ends(window[0], window[7]);
  int sum = 0;
  for (int i = 0; i < 8; ++i)
    sum = 3 * sum + __shfl_xor_sync(0xFFFFFFFFu, window[(i * threadIdx.x) % 8], 1);
  out[threadIdx.x] = sum;  // local store
}

__global__ void access_nothing() {
  __syncthreads();
}

__global__ void constant_table(const int* in, int* out) {
  static const int kTable[8] = {3, 1, 4, 1, 5, 9, 2, 6};
  out[threadIdx.x] = kTable[in[threadIdx.x] % 8];  // constant table
}

// -- Scalar shared loads ------------------------------------------------------------------------

/// Another thread writes what a thread reads, so that the compiler cannot see through it.
__device__ __forceinline__ void fill(float* tile, int count) {
  for (int i = 0; i < count; i += 32)
    tile[count - 1 - i - threadIdx.x] = 1.0f;
  __syncthreads();
}

template <int kWords>
__global__ void load_run(int offset, float* out) {
  __shared__ float tile[160];
  fill(tile, 160);
  const float* run = tile + 4 * threadIdx.x + offset;
  float sum = 0.0f;
#pragma GCC unroll 4
  for (int i = 0; i < kWords; ++i)
    sum += run[i];  // run
  out[threadIdx.x] = sum;
}

__global__ void run_across_store(float* out) {
  __shared__ float tile[128];
  __shared__ float other[32];
  fill(tile, 128);
  const float* run = tile + 4 * threadIdx.x;
  float sum = run[0];              // first of run with store
  sum += run[1];                   // second of run with store
  other[31 - threadIdx.x] = 1.0f;  // store in run
  sum += run[2];                   // third of run with store
  sum += run[3];                   // fourth of run with store
  __syncthreads();
  out[threadIdx.x] = sum + other[threadIdx.x];
}

__global__ void run_across_barrier(float* out) {
  __shared__ float tile[128];
  fill(tile, 128);
  const float* run = tile + 4 * threadIdx.x;
  float sum = run[0];  // first of run with barrier
  sum += run[1];       // second of run with barrier
  __syncthreads();
  sum += run[2];  // third of run with barrier
  sum += run[3];  // fourth of run with barrier
  out[threadIdx.x] = sum;
}

__global__ void two_interleaved_runs(float* out) {
  __shared__ float a[128];
  __shared__ float b[128];
  fill(a, 128);
  fill(b, 128);
  float sum = 0.0f;
  for (int i = 0; i < 4; ++i)
    sum += a[4 * threadIdx.x + i] * b[4 * threadIdx.x + i];  // interleaved runs
  out[threadIdx.x] = sum;
}

__global__ void runs_of_two_patterns(float* out) {
  __shared__ float tile[160];
  fill(tile, 160);
  float sum = 0.0f;
#pragma GCC unroll 1
  for (int i = 0; i < 4; ++i)
    sum += tile[i < 2 ? i : 32 + i - 2 + 4 * threadIdx.x];  // two patterns
  out[threadIdx.x] = sum;
}

}  // namespace ladder::trace_probe_kernels

namespace ladder::trace_probes {
namespace {

namespace kernels = trace_probe_kernels;

LaunchShape one_warp() {
  return {.grid = dim3(1), .block = dim3(32)};
}

dim3 extents(Extents e) {
  return dim3(e[0], e[1], e[2]);
}

template <class T>
void copy_elements_of_type(const void* in, void* out) {
  launch(kernels::copy_elements<T>, one_warp(), static_cast<const T*>(in), static_cast<T*>(out));
}

}  // namespace

void copy_sides(const float* in, float* low, float* high) {
  launch(kernels::copy_sides, one_warp(), in, low, high);
}

void same_function_on_both_sides(const float* a, const float* b, float* out) {
  launch(kernels::same_function_on_both_sides, one_warp(), a, b, out);
}

void idle_lanes(const float* in, float* out) {
  launch(kernels::idle_lanes, one_warp(), in, out);
}

void unequal_loops(const float* in, float* out) {
  launch(kernels::unequal_loops, one_warp(), in, out);
}

void long_loop(unsigned threads, int steps, int barrier_every, const float* in, float* out) {
  launch(kernels::long_loop, {.grid = dim3(1), .block = dim3(threads)}, steps, barrier_every, in,
         out);
}

void long_unequal_loops(const float* in, float* out) {
  launch(kernels::long_unequal_loops, one_warp(), in, out);
}

void two_rates(int steps, const float* a, const float* b, float* out) {
  launch(kernels::two_rates, one_warp(), steps, a, b, out);
}

void copy_ints(Extents grid, Extents block, const int* in, int* out) {
  launch(kernels::copy_ints, {.grid = extents(grid), .block = extents(block)}, in, out);
}

void copy_elements(unsigned bytes, const void* in, void* out) {
  if (bytes == 1) copy_elements_of_type<unsigned char>(in, out);
  if (bytes == 2) copy_elements_of_type<short>(in, out);
  if (bytes == 4) copy_elements_of_type<float>(in, out);
  if (bytes == 8) copy_elements_of_type<float2>(in, out);
  if (bytes == 16) copy_elements_of_type<float4>(in, out);
}

void copy_float3(const float* in, float* out) {
  launch(kernels::copy_structs<float3>, one_warp(), reinterpret_cast<const float3*>(in),
         reinterpret_cast<float3*>(out));
}

void copy_five_floats(const float* in, float* out) {
  using kernels::FiveFloats;
  launch(kernels::copy_structs<FiveFloats>, one_warp(), reinterpret_cast<const FiveFloats*>(in),
         reinterpret_cast<FiveFloats*>(out));
}

void copy_two_doubles(const double* in, double* out) {
  using kernels::TwoDoubles;
  launch(kernels::copy_structs<TwoDoubles>, one_warp(), reinterpret_cast<const TwoDoubles*>(in),
         reinterpret_cast<TwoDoubles*>(out));
}

void copy_halves(const void* in, void* out) {
  launch(kernels::copy_halves, one_warp(), static_cast<const __half*>(in),
         static_cast<__half*>(out));
}

void global_atomics(int* ints, float* floats) {
  launch(kernels::global_atomics, one_warp(), ints, floats);
}

void shared_atomics(int* ints, float* floats) {
  launch(kernels::shared_atomics, one_warp(), ints, floats);
}

void spread_float_atomic(float* floats) {
  launch(kernels::spread_float_atomic, one_warp(), floats);
}

void wait_for_other_warp(int* flag, int* out) {
  launch(kernels::wait_for_other_warp, {.grid = dim3(1), .block = dim3(64)}, flag, out);
}

void local_variables(const int* in, int* out) {
  launch(kernels::local_variables, one_warp(), in, out);
}

void access_nothing() {
  launch(kernels::access_nothing, one_warp());
}

void constant_table(const int* in, int* out) {
  launch(kernels::constant_table, one_warp(), in, out);
}

void load_run(int words, int offset, float* out) {
  if (words == 1) launch(kernels::load_run<1>, one_warp(), offset, out);
  if (words == 2) launch(kernels::load_run<2>, one_warp(), offset, out);
  if (words == 3) launch(kernels::load_run<3>, one_warp(), offset, out);
  if (words == 4) launch(kernels::load_run<4>, one_warp(), offset, out);
}

void run_across_store(float* out) {
  launch(kernels::run_across_store, one_warp(), out);
}

void run_across_barrier(float* out) {
  launch(kernels::run_across_barrier, one_warp(), out);
}

void two_interleaved_runs(float* out) {
  launch(kernels::two_interleaved_runs, one_warp(), out);
}

void runs_of_two_patterns(float* out) {
  launch(kernels::runs_of_two_patterns, one_warp(), out);
}

}  // namespace ladder::trace_probes
