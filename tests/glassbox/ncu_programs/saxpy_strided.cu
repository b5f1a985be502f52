// SPDX-License-Identifier: MIT
/// \file  tests/glassbox/ncu_programs/saxpy_strided.cu
/// \brief y = a x + y for every third element, a thread each.
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr int kThreads = 128;

__global__ void saxpy(int n, int stride, float a, const float* x, float* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i * stride] = a * x[i * stride] + y[i * stride];
}

void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s\n", cudaGetErrorString(error));
  std::exit(1);
}

int main() {
  const int n = 10007, stride = 3, size = n * stride;
  const std::size_t bytes = sizeof(float) * size;
  std::vector<float> x(size), y(size), result(size);
  for (int i = 0; i < size; ++i) {
    x[i] = static_cast<float>(i % 17);
    y[i] = static_cast<float>(i % 5);
  }
  float *d_x, *d_y;
  check(cudaMalloc(&d_x, bytes));
  check(cudaMalloc(&d_y, bytes));
  check(cudaMemcpy(d_x, x.data(), bytes, cudaMemcpyHostToDevice));
  check(cudaMemcpy(d_y, y.data(), bytes, cudaMemcpyHostToDevice));
  saxpy<<<(n + kThreads - 1) / kThreads, kThreads>>>(n, stride, 2.0f, d_x, d_y);
  check(cudaGetLastError());
  check(cudaMemcpy(result.data(), d_y, bytes, cudaMemcpyDeviceToHost));
  int wrong = 0;
  double sum = 0;
  for (int i = 0; i < size; ++i) {
    wrong += result[i] != (i % stride == 0 ? 2 * x[i] + y[i] : y[i]);
    sum += result[i];
  }
  std::printf("the elements add up to %.0f, %d of %d are wrong\n", sum, wrong, size);
  check(cudaFree(d_x));
  check(cudaFree(d_y));
  return wrong != 0;
}
