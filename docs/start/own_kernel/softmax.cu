// SPDX-License-Identifier: MIT
/// \file  docs/start/own_kernel/softmax.cu
/// \brief The softmax of each row of a matrix, a block for each. One barrier is missing.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr int kThreads = 128;

// -- The maximum, the sum, the quotient ------------------------------------------------------
__global__ void softmax(const float* in, float* out, int columns) {
  __shared__ float values[kThreads];
  const float* const row = in + blockIdx.x * columns;
  const int t = threadIdx.x;
  float largest = -INFINITY;
  for (int i = t; i < columns; i += kThreads)
    largest = fmaxf(largest, row[i]);
  values[t] = largest;
  __syncthreads();
  for (int step = kThreads / 2; step > 0; step /= 2) {
    if (t < step) values[t] = fmaxf(values[t], values[t + step]);
    __syncthreads();
  }
  largest = values[0];
  float sum = 0;
  for (int i = t; i < columns; i += kThreads)
    sum += expf(row[i] - largest);
  values[t] = sum;
  __syncthreads();
  for (int step = kThreads / 2; step > 0; step /= 2) {
    if (t < step) values[t] += values[t + step];
    __syncthreads();
  }
  for (int i = t; i < columns; i += kThreads)
    out[blockIdx.x * columns + i] = expf(row[i] - largest) / values[0];
}

// -- The host --------------------------------------------------------------------------------
void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s\n", cudaGetErrorString(error));
  std::exit(1);
}

int main() {
  const int rows = 64, columns = 1000;
  const std::size_t bytes = sizeof(float) * rows * columns;
  std::vector<float> x(rows * columns);
  for (int i = 0; i < rows * columns; ++i)
    x[i] = std::sin(static_cast<float>(i));
  float *d_in, *d_out;
  check(cudaMalloc(&d_in, bytes));
  check(cudaMalloc(&d_out, bytes));
  check(cudaMemcpy(d_in, x.data(), bytes, cudaMemcpyHostToDevice));
  softmax<<<rows, kThreads>>>(d_in, d_out, columns);
  check(cudaGetLastError());
  check(cudaMemcpy(x.data(), d_out, bytes, cudaMemcpyDeviceToHost));
  double sum = 0;
  for (int i = 0; i < columns; ++i)
    sum += x[i];
  std::printf("the first row adds up to %.4f\n", sum);
  check(cudaFree(d_in));
  check(cudaFree(d_out));
}
