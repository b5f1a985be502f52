// SPDX-License-Identifier: MIT
/// \file  docs/start/own_kernel/reduction.cu
/// \brief Adds up an array, with three mistakes.
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr int kThreads = 256;

// -- One sum per block -----------------------------------------------------------------------
__global__ void sum(const float* in, float* out, int n) {
  __shared__ float partial[kThreads];
  const int t = threadIdx.x;
  float mine = 0;
  for (int i = blockIdx.x * kThreads + t; i <= n; i += gridDim.x * kThreads)
    mine += in[i];
  partial[t] = mine;
  __syncthreads();
  for (int step = kThreads / 2; step > 0; step /= 2) {
    if (t < step) partial[t] += partial[t + step];
    if (step > 32) __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = partial[0];
}

// -- The host --------------------------------------------------------------------------------
void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s\n", cudaGetErrorString(error));
  std::exit(1);
}

int main() {
  const int n = 10000, blocks = 8;
  std::vector<float> in(n, 1.0f), sums(blocks);
  float *d_in, *d_sums;
  check(cudaMalloc(&d_in, n * sizeof(float)));
  check(cudaMalloc(&d_sums, blocks * sizeof(float)));
  check(cudaMemcpy(d_in, in.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  sum<<<blocks, kThreads>>>(d_in, d_sums, n);
  check(cudaGetLastError());
  check(cudaMemcpy(sums.data(), d_sums, blocks * sizeof(float), cudaMemcpyDeviceToHost));
  float total = 0;
  for (const float one : sums)
    total += one;
  std::printf("the sum of %d ones is %g\n", n, total);
  check(cudaFree(d_in));
}
