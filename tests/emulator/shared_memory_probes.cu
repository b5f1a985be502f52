// SPDX-License-Identifier: MIT
#include "common/launch.cuh"
#include "tests/emulator/probes.hpp"

namespace ladder::probe_kernels {

__global__ void reverse_static(const int* in, int* out) {
  __shared__ int line[256];
  const unsigned offset = blockIdx.x * blockDim.x;
  line[threadIdx.x] = in[offset + threadIdx.x];
  __syncthreads();
  out[offset + threadIdx.x] = line[blockDim.x - 1 - threadIdx.x];
}

namespace first {

__global__ void reverse(const int* in, int* out) {
  extern __shared__ int line[];
  line[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = line[blockDim.x - 1 - threadIdx.x];
}

}  // namespace first

namespace second {

extern __shared__ double many_doubles[];

__global__ void reverse(const double* in, double* out) {
  many_doubles[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = many_doubles[blockDim.x - 1 - threadIdx.x];
}

}  // namespace second

template <class T>
__global__ void reverse_template(const T* in, T* out) {
  extern __shared__ __align__(16) unsigned char bytes[];
  T* line = reinterpret_cast<T*>(bytes);
  line[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = line[blockDim.x - 1 - threadIdx.x];
}

__global__ void read_unwritten(float* fixed, float* dynamic) {
  __shared__ float array[32];
  extern __shared__ float more[];
  const unsigned i = blockIdx.x * 32 + threadIdx.x;
  fixed[i] = array[threadIdx.x];
  dynamic[i] = more[threadIdx.x];
  array[threadIdx.x] = 1.0f;
  more[threadIdx.x] = 2.0f;
}

__global__ void dynamic_alignment(unsigned* out) {
  extern __shared__ __align__(1024) unsigned char tile[];
  *out = static_cast<unsigned>(reinterpret_cast<uintptr_t>(tile) % 1024);
}

__global__ void static_alignment(unsigned* out) {
  __shared__ float three[3];
  __shared__ float five[5];
  __shared__ float seven[7];
  __shared__ float nine[9];
  __shared__ __align__(256) char tile[7];
  alignas(128) __shared__ short other_tile[9];
  const float* floats[] = {three, five, seven, nine};
  out[0] = 0;
  for (const float* array : floats)
    out[0] |= reinterpret_cast<uintptr_t>(array) % 16;
  out[1] = static_cast<unsigned>(reinterpret_cast<uintptr_t>(tile) % 256);
  out[2] = static_cast<unsigned>(reinterpret_cast<uintptr_t>(other_tile) % 128);
}

__global__ void touch_last(size_t bytes, int* out) {
  extern __shared__ unsigned char tail[];
  tail[bytes - 1] = 42;
  *out = tail[bytes - 1];
}

template <int N>
__device__ int* array_of_size() {
  __shared__ int array[N];
  return array;
}

__global__ void two_arrays(int* out) {
  __shared__ int own[8];
  int* eight = array_of_size<8>();
  int* nine = array_of_size<9>();
  own[threadIdx.x] = 1;
  eight[threadIdx.x] = 2;
  nine[threadIdx.x] = 3;
  __syncthreads();
  out[threadIdx.x] = own[threadIdx.x] * 100 + eight[threadIdx.x] * 10 + nine[threadIdx.x];
}

}  // namespace ladder::probe_kernels

namespace ladder::probes {

void reverse_static(unsigned blocks, int threads, const int* in, int* out) {
  launch(probe_kernels::reverse_static, {.grid = dim3(blocks), .block = dim3(threads)}, in, out);
}

void reverse_dynamic(int threads, const int* in, int* out) {
  launch(probe_kernels::first::reverse,
         {.grid = dim3(1), .block = dim3(threads), .dynamic_shared_bytes = threads * sizeof(int)},
         in, out);
}

void reverse_dynamic_doubles(int threads, const double* in, double* out) {
  launch(
      probe_kernels::second::reverse,
      {.grid = dim3(1), .block = dim3(threads), .dynamic_shared_bytes = threads * sizeof(double)},
      in, out);
}

void reverse_dynamic_template(int threads, const short* in, short* out) {
  launch(probe_kernels::reverse_template<short>,
         {.grid = dim3(1), .block = dim3(threads), .dynamic_shared_bytes = threads * sizeof(short)},
         in, out);
}

void read_unwritten(unsigned blocks, float* fixed, float* dynamic) {
  launch(probe_kernels::read_unwritten,
         {.grid = dim3(blocks), .block = dim3(32), .dynamic_shared_bytes = 32 * sizeof(float)},
         fixed, dynamic);
}

void dynamic_alignment(unsigned* out) {
  launch(probe_kernels::dynamic_alignment,
         {.grid = dim3(1), .block = dim3(1), .dynamic_shared_bytes = 1024}, out);
}

void static_alignment(unsigned* out) {
  launch(probe_kernels::static_alignment, {.grid = dim3(1), .block = dim3(1)}, out);
}

void touch_last_dynamic_byte(std::size_t bytes, int* out) {
  launch(probe_kernels::touch_last,
         {.grid = dim3(1), .block = dim3(1), .dynamic_shared_bytes = bytes}, bytes, out);
}

void two_arrays(int* out) {
  launch(probe_kernels::two_arrays, {.grid = dim3(1), .block = dim3(8)}, out);
}

}  // namespace ladder::probes
