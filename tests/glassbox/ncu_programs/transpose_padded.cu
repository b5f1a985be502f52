// SPDX-License-Identifier: MIT
/// \file  tests/glassbox/ncu_programs/transpose_padded.cu
/// \brief A transpose through a tile of shared memory whose rows have one element more.
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr int kTile = 32;
constexpr int kRowsAtOnce = 8;

__global__ void transpose(const float* in, float* out, int rows, int columns) {
  __shared__ float tile[kTile][kTile + 1];
  const int column = blockIdx.x * kTile + threadIdx.x;
  for (int i = threadIdx.y; i < kTile; i += kRowsAtOnce) {
    const int row = blockIdx.y * kTile + i;
    if (row < rows && column < columns) tile[i][threadIdx.x] = in[row * columns + column];
  }
  __syncthreads();
  const int row = blockIdx.y * kTile + threadIdx.x;
  for (int i = threadIdx.y; i < kTile; i += kRowsAtOnce) {
    const int to = blockIdx.x * kTile + i;
    if (row < rows && to < columns) out[to * rows + row] = tile[threadIdx.x][i];
  }
}

void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s\n", cudaGetErrorString(error));
  std::exit(1);
}

int main() {
  const int rows = 150, columns = 217;
  const std::size_t bytes = sizeof(float) * rows * columns;
  std::vector<float> in(rows * columns), out(rows * columns);
  for (int i = 0; i < rows * columns; ++i)
    in[i] = static_cast<float>(i);
  float *d_in, *d_out;
  check(cudaMalloc(&d_in, bytes));
  check(cudaMalloc(&d_out, bytes));
  check(cudaMemcpy(d_in, in.data(), bytes, cudaMemcpyHostToDevice));
  const dim3 grid((columns + kTile - 1) / kTile, (rows + kTile - 1) / kTile);
  transpose<<<grid, dim3(kTile, kRowsAtOnce)>>>(d_in, d_out, rows, columns);
  check(cudaGetLastError());
  check(cudaMemcpy(out.data(), d_out, bytes, cudaMemcpyDeviceToHost));
  int wrong = 0;
  for (int row = 0; row < rows; ++row) {
    for (int column = 0; column < columns; ++column)
      wrong += out[column * rows + row] != in[row * columns + column];
  }
  std::printf("row 1 begins with %.0f, %.0f, %.0f\n", out[rows], out[rows + 1], out[rows + 2]);
  std::printf("%d of %d elements are wrong\n", wrong, rows * columns);
  check(cudaFree(d_in));
  check(cudaFree(d_out));
  return wrong != 0;
}
