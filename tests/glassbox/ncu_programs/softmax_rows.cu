// SPDX-License-Identifier: MIT
/// \file  tests/glassbox/ncu_programs/softmax_rows.cu
/// \brief The softmax of each row of a matrix, a warp for each row.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr int kWarps = 4;

__global__ void softmax(const float* in, float* out, int rows, int columns) {
  const int row = blockIdx.x * kWarps + threadIdx.x / 32;
  const int lane = threadIdx.x % 32;
  if (row >= rows) return;
  const float* const x = in + row * columns;
  float largest = -INFINITY;
  for (int i = lane; i < columns; i += 32)
    largest = fmaxf(largest, x[i]);
  for (int step = 16; step > 0; step /= 2)
    largest = fmaxf(largest, __shfl_xor_sync(0xffffffffu, largest, step));
  float sum = 0;
  for (int i = lane; i < columns; i += 32)
    sum += expf(x[i] - largest);
  for (int step = 16; step > 0; step /= 2)
    sum += __shfl_xor_sync(0xffffffffu, sum, step);
  for (int i = lane; i < columns; i += 32)
    out[row * columns + i] = expf(x[i] - largest) / sum;
}

void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s\n", cudaGetErrorString(error));
  std::exit(1);
}

int main() {
  const int rows = 75, columns = 301, size = rows * columns;
  std::vector<float> in(size), out(size);
  for (int i = 0; i < size; ++i)
    in[i] = static_cast<float>(i * 7 % 23) / 4;
  float *d_in, *d_out;
  check(cudaMalloc(&d_in, sizeof(float) * size));
  check(cudaMalloc(&d_out, sizeof(float) * size));
  check(cudaMemcpy(d_in, in.data(), sizeof(float) * size, cudaMemcpyHostToDevice));
  softmax<<<(rows + kWarps - 1) / kWarps, kWarps * 32>>>(d_in, d_out, rows, columns);
  check(cudaGetLastError());
  check(cudaMemcpy(out.data(), d_out, sizeof(float) * size, cudaMemcpyDeviceToHost));
  int wrong = 0;
  for (int row = 0; row < rows; ++row) {
    double sum = 0;
    for (int i = 0; i < columns; ++i)
      sum += std::exp(static_cast<double>(in[row * columns + i]));
    for (int i = row * columns; i < (row + 1) * columns; ++i)
      wrong += std::abs(out[i] - std::exp(static_cast<double>(in[i])) / sum) > 1e-6;
  }
  std::printf("row 1 begins with %.4f, %.4f, %.4f\n", out[columns], out[columns + 1],
              out[columns + 2]);
  std::printf("%d of %d elements are wrong\n", wrong, size);
  check(cudaFree(d_in));
  check(cudaFree(d_out));
  return wrong != 0;
}
