// SPDX-License-Identifier: MIT
/// \file  docs/start/own_kernel/transpose.cu
/// \brief Transposes a matrix, two ways: as one writes it first, and through a tile.
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr int kTile = 32;
constexpr int kRowsAtOnce = 8;

// -- The first way ---------------------------------------------------------------------------
__global__ void transpose(const float* in, float* out, int n) {
  const int column = blockIdx.x * kTile + threadIdx.x;
  for (int i = threadIdx.y; i < kTile; i += kRowsAtOnce) {
    const int row = blockIdx.y * kTile + i;
    out[column * n + row] = in[row * n + column];
  }
}

// -- Through a tile --------------------------------------------------------------------------
__global__ void transpose_tile(const float* in, float* out, int n) {
  __shared__ float tile[kTile][kTile];
  const int x = threadIdx.x;
  for (int i = threadIdx.y; i < kTile; i += kRowsAtOnce)
    tile[i][x] = in[(blockIdx.y * kTile + i) * n + blockIdx.x * kTile + x];
  __syncthreads();
  for (int i = threadIdx.y; i < kTile; i += kRowsAtOnce)
    out[(blockIdx.x * kTile + i) * n + blockIdx.y * kTile + x] = tile[x][i];
}

// -- The host --------------------------------------------------------------------------------
void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s\n", cudaGetErrorString(error));
  std::exit(1);
}

int main() {
  const int n = 256;
  const std::size_t bytes = sizeof(float) * n * n;
  std::vector<float> in(n * n), out(n * n);
  for (int i = 0; i < n * n; ++i)
    in[i] = static_cast<float>(i);
  float *d_in, *d_out;
  check(cudaMalloc(&d_in, bytes));
  check(cudaMalloc(&d_out, bytes));
  check(cudaMemcpy(d_in, in.data(), bytes, cudaMemcpyHostToDevice));
  const dim3 grid(n / kTile, n / kTile), block(kTile, kRowsAtOnce);
  transpose<<<grid, block>>>(d_in, d_out, n);
  check(cudaGetLastError());
  transpose_tile<<<grid, block>>>(d_in, d_out, n);
  check(cudaGetLastError());
  check(cudaMemcpy(out.data(), d_out, bytes, cudaMemcpyDeviceToHost));
  int wrong = 0;
  for (int row = 0; row < n; ++row) {
    for (int column = 0; column < n; ++column)
      wrong += out[column * n + row] != in[row * n + column];
  }
  std::printf("%d of %d elements are wrong\n", wrong, n * n);
  check(cudaFree(d_in));
  check(cudaFree(d_out));
  return wrong > 0;
}
