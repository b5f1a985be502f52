// SPDX-License-Identifier: MIT
/// \file  bench/programs/l2_strides.cu
/// \brief All SMs read the same few lines of L2, a stride apart: is a power of two slower?
///
///     build/glassbox bench/programs/l2_strides.cu                              is it right?
///     nvcc -std=c++20 -O3 -arch=native -I . bench/programs/l2_strides.cu -o build/l2_strides
///     build/l2_strides                                                         on a GPU: times
///
/// Beside each stride stands the next one that has a line more: the same memory, and lines that no
/// hash of a few bits maps to one place.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <source_location>
#include <vector>

constexpr size_t kLine = 128;

/// Ends the program where a call fails.
void check(cudaError_t error, std::source_location here = std::source_location::current()) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s:%u: %s\n", here.file_name(), here.line(), cudaGetErrorString(error));
  std::exit(2);
}

/// Gives the words of each line its number.
__global__ void number_lines(char* data, int lines, size_t stride) {
  for (int line = blockIdx.x; line < lines; line += gridDim.x)
    reinterpret_cast<unsigned*>(data + line * stride)[threadIdx.x] = line;
}

/// \brief  Each warp reads whole lines, past L1, and another block's in the next lap.
/// \param  sum  of all words
__global__ void read_lines(const char* data, int lines, size_t stride, int laps,
                           unsigned long long* sum) {
  const int warps = gridDim.x * blockDim.x / 32;
  unsigned long long mine = 0;
  for (int lap = 0; lap < laps; ++lap) {
    const int block = (blockIdx.x + lap) % gridDim.x;
    for (int line = (block * blockDim.x + threadIdx.x) / 32; line < lines; line += warps)
      mine += __ldcg(reinterpret_cast<const unsigned*>(data + line * stride) + threadIdx.x % 32);
  }
  for (int offset = 16; offset > 0; offset /= 2)
    mine += __shfl_down_sync(0xffffffffu, mine, offset);
  __shared__ unsigned long long of_block;
  if (threadIdx.x == 0) of_block = 0;
  __syncthreads();
  if (threadIdx.x % 32 == 0) atomicAdd(&of_block, mine);
  __syncthreads();
  if (threadIdx.x == 0)
    atomicAdd(sum, of_block);  // one: its slice of L2 has to look like all others
}

/// \return GB/s; 0: the sum is wrong
double measured(char* data, int lines, size_t stride, int blocks, int laps,
                unsigned long long* sum) {
  number_lines<<<blocks, 32>>>(data, lines, stride);
  check(cudaGetLastError());
  cudaEvent_t begin, end;
  check(cudaEventCreate(&begin));
  check(cudaEventCreate(&end));
  std::vector<float> times;
  bool right = true;
  for (int run = 0; run < 5; ++run) {
    check(cudaMemset(sum, 0, sizeof *sum));
    check(cudaEventRecord(begin));
    read_lines<<<blocks, 256>>>(data, lines, stride, laps, sum);
    check(cudaGetLastError());
    check(cudaEventRecord(end));
    check(cudaEventSynchronize(end));
    float ms = 0;
    check(cudaEventElapsedTime(&ms, begin, end));
    times.push_back(ms);
    unsigned long long found = 0;
    check(cudaMemcpy(&found, sum, sizeof found, cudaMemcpyDeviceToHost));
    const auto count = static_cast<unsigned long long>(lines);
    right = right && found == 32ull * laps * (count * (count - 1) / 2);
  }
  check(cudaEventDestroy(begin));
  check(cudaEventDestroy(end));
  std::sort(times.begin(), times.end());
  return right ? double(lines) * kLine * laps / times[2] / 1e6 : 0;
}

int main() {
  int gpus = 0;
  if (cudaGetDeviceCount(&gpus) != cudaSuccess || gpus == 0) {
    std::fprintf(stderr, "There is no GPU here. Run it in the glass box: build/glassbox %s\n",
                 "bench/programs/l2_strides.cu");
    return 2;
  }
  cudaDeviceProp gpu;
  check(cudaGetDeviceProperties(&gpu, 0));
  const bool invented = std::strstr(gpu.name, "Classroom") != nullptr;  // the glass box
  const int lines = invented ? 64 : 16384;                              // 2 MiB: L2 holds them
  const size_t most = invented ? 16 << 10 : 256 << 10;
  const int blocks = gpu.multiProcessorCount * (invented ? 1 : 8);
  char* data = nullptr;
  unsigned long long* sum = nullptr;
  check(cudaMalloc(&data, lines * (most + kLine)));
  check(cudaMalloc(&sum, sizeof *sum));
  bool right = true;
  for (size_t stride = kLine; stride <= most; stride *= 2) {
    const double power = measured(data, lines, stride, blocks, invented ? 2 : 200, sum);
    const double other = measured(data, lines, stride + kLine, blocks, invented ? 2 : 200, sum);
    right = right && power > 0 && other > 0;
    if (invented)
      std::printf("%zu bytes: %s\n", stride, power > 0 && other > 0 ? "right" : "WRONG");
    else
      std::printf("%zu bytes: %.0f GB/s; %zu bytes: %.0f GB/s; %.2f of it\n", stride, power,
                  stride + kLine, other, power / other);
  }
  check(cudaFree(data));
  check(cudaFree(sum));
  return right ? 0 : 1;
}
