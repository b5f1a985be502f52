// SPDX-License-Identifier: MIT
/// \file  tests/glassbox/ncu_programs/block_scan.cu
/// \brief Running sums after Hillis and Steele: of each block, of the blocks' sums, and both added.
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr int kThreads = 128;

__global__ void scan(const int* in, int* out, int* sums, int n) {
  __shared__ int values[2][kThreads];
  const int t = threadIdx.x;
  const int i = blockIdx.x * kThreads + t;
  int now = 0;
  values[now][t] = i < n ? in[i] : 0;
  __syncthreads();
  for (int step = 1; step < kThreads; step *= 2) {
    values[1 - now][t] = t >= step ? values[now][t] + values[now][t - step] : values[now][t];
    now = 1 - now;
    __syncthreads();
  }
  if (i < n) out[i] = values[now][t];
  if (sums != nullptr && t == kThreads - 1) sums[blockIdx.x] = values[now][t];
}

__global__ void add_sums(int* out, const int* sums, int n) {
  const int i = blockIdx.x * kThreads + threadIdx.x;
  if (blockIdx.x > 0 && i < n) out[i] += sums[blockIdx.x - 1];
}

void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s\n", cudaGetErrorString(error));
  std::exit(1);
}

int main() {
  const int n = 9999, blocks = (n + kThreads - 1) / kThreads;
  std::vector<int> in(n), out(n);
  for (int i = 0; i < n; ++i)
    in[i] = i % 7 - 2;
  int *d_in, *d_out, *d_sums;
  check(cudaMalloc(&d_in, sizeof(int) * n));
  check(cudaMalloc(&d_out, sizeof(int) * n));
  check(cudaMalloc(&d_sums, sizeof(int) * blocks));
  check(cudaMemcpy(d_in, in.data(), sizeof(int) * n, cudaMemcpyHostToDevice));
  scan<<<blocks, kThreads>>>(d_in, d_out, d_sums, n);
  scan<<<1, kThreads>>>(d_sums, d_sums, nullptr, blocks);
  add_sums<<<blocks, kThreads>>>(d_out, d_sums, n);
  check(cudaGetLastError());
  check(cudaMemcpy(out.data(), d_out, sizeof(int) * n, cudaMemcpyDeviceToHost));
  int wrong = 0, sum = 0;
  for (int i = 0; i < n; ++i) {
    sum += in[i];
    wrong += out[i] != sum;
  }
  std::printf("the last of %d sums is %d, %d are wrong\n", n, out[n - 1], wrong);
  check(cudaFree(d_in));
  check(cudaFree(d_out));
  check(cudaFree(d_sums));
  return wrong != 0;
}
