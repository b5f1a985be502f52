// SPDX-License-Identifier: MIT
/// \file  tests/glassbox/ncu_programs/histogram.cu
/// \brief Counts bytes with atomics in shared memory, and adds up the blocks' counts.
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr int kThreads = 192;
constexpr int kBins = 100;

__global__ void histogram(const unsigned char* in, int n, unsigned* bins) {
  __shared__ unsigned mine[kBins];
  if (threadIdx.x < kBins) mine[threadIdx.x] = 0;
  __syncthreads();
  const int i = blockIdx.x * kThreads + threadIdx.x;
  if (i < n) atomicAdd(&mine[in[i]], 1u);
  __syncthreads();
  if (threadIdx.x < kBins) atomicAdd(&bins[threadIdx.x], mine[threadIdx.x]);
}

void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s\n", cudaGetErrorString(error));
  std::exit(1);
}

int main() {
  const int n = 30011;
  std::vector<unsigned char> in(n);
  std::vector<unsigned> bins(kBins), expected(kBins);
  unsigned state = 1;
  for (int i = 0; i < n; ++i) {
    state = state * 1664525u + 1013904223u;
    const unsigned high = state >> 20;
    in[i] = static_cast<unsigned char>(high * high / (4096 * 4096 / kBins + 1));  // few are large
    ++expected[in[i]];
  }
  unsigned char* d_in;
  unsigned* d_bins;
  check(cudaMalloc(&d_in, n));
  check(cudaMalloc(&d_bins, sizeof(unsigned) * kBins));
  check(cudaMemcpy(d_in, in.data(), n, cudaMemcpyHostToDevice));
  check(cudaMemset(d_bins, 0, sizeof(unsigned) * kBins));
  histogram<<<(n + kThreads - 1) / kThreads, kThreads>>>(d_in, n, d_bins);
  check(cudaGetLastError());
  check(cudaMemcpy(bins.data(), d_bins, sizeof(unsigned) * kBins, cudaMemcpyDeviceToHost));
  int wrong = 0;
  for (int i = 0; i < kBins; ++i)
    wrong += bins[i] != expected[i];
  std::printf("%u times 0, %u times %d, %d of %d bins are wrong\n", bins[0], bins[kBins - 1],
              kBins - 1, wrong, kBins);
  check(cudaFree(d_in));
  check(cudaFree(d_bins));
  return wrong != 0;
}
