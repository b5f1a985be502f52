// SPDX-License-Identifier: MIT
/// \file  tests/glassbox/ncu_programs/reduction.cu
/// \brief A sum: a tree in shared memory, and shuffles for its last 32 values.
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr int kThreads = 256;

__global__ void sum(const int* in, int n, int* total) {
  __shared__ int partial[kThreads];
  const int t = threadIdx.x;
  const int i = blockIdx.x * kThreads * 2 + t;
  int mine = i < n ? in[i] : 0;
  if (i + kThreads < n) mine += in[i + kThreads];
  partial[t] = mine;
  __syncthreads();
  for (int step = kThreads / 2; step >= 32; step /= 2) {
    if (t < step) partial[t] += partial[t + step];
    __syncthreads();
  }
  if (t < 32) {
    int value = partial[t];
    for (int step = 16; step > 0; step /= 2)
      value += __shfl_down_sync(0xffffffffu, value, step);
    if (t == 0) atomicAdd(total, value);
  }
}

void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s\n", cudaGetErrorString(error));
  std::exit(1);
}

int main() {
  const int n = 50021;
  std::vector<int> in(n);
  int expected = 0;
  for (int i = 0; i < n; ++i) {
    in[i] = i % 101 - 40;
    expected += in[i];
  }
  int *d_in, *d_total, total = 0;
  check(cudaMalloc(&d_in, sizeof(int) * n));
  check(cudaMalloc(&d_total, sizeof(int)));
  check(cudaMemcpy(d_in, in.data(), sizeof(int) * n, cudaMemcpyHostToDevice));
  check(cudaMemset(d_total, 0, sizeof(int)));
  sum<<<(n + 2 * kThreads - 1) / (2 * kThreads), kThreads>>>(d_in, n, d_total);
  check(cudaGetLastError());
  check(cudaMemcpy(&total, d_total, sizeof(int), cudaMemcpyDeviceToHost));
  std::printf("the sum of %d numbers is %d, and should be %d\n", n, total, expected);
  check(cudaFree(d_in));
  check(cudaFree(d_total));
  return total != expected;
}
