// SPDX-License-Identifier: MIT
/// \file  tests/glassbox/ncu_programs/stencil.cu
/// \brief The mean of a point's four neighbours, from a tile with a halo. Two steps.
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

constexpr int kWide = 32;
constexpr int kHigh = 8;

__global__ void smooth(const float* in, float* out, int width, int height) {
  __shared__ float tile[kHigh + 2][kWide + 2];
  const int x = blockIdx.x * kWide + threadIdx.x, y = blockIdx.y * kHigh + threadIdx.y;
  const int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
  const bool inside = x < width && y < height;
  if (inside) {
    tile[ty][tx] = in[y * width + x];
    if (threadIdx.x == 0 && x > 0) tile[ty][0] = in[y * width + x - 1];
    if (threadIdx.x == kWide - 1 && x + 1 < width) tile[ty][tx + 1] = in[y * width + x + 1];
    if (threadIdx.y == 0 && y > 0) tile[0][tx] = in[(y - 1) * width + x];
    if (threadIdx.y == kHigh - 1 && y + 1 < height) tile[ty + 1][tx] = in[(y + 1) * width + x];
  }
  __syncthreads();
  if (!inside) return;
  float mean = tile[ty][tx];
  if (x > 0 && y > 0 && x < width - 1 && y < height - 1) {
    mean = 0.25f * ((tile[ty][tx - 1] + tile[ty][tx + 1]) + (tile[ty - 1][tx] + tile[ty + 1][tx]));
  }
  out[y * width + x] = mean;
}

void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s\n", cudaGetErrorString(error));
  std::exit(1);
}

int main() {
  const int width = 141, height = 75, size = width * height;
  std::vector<float> now(size), next(size), result(size);
  for (int i = 0; i < size; ++i)
    now[i] = static_cast<float>(i * 7 % 64);
  float *d_in, *d_out;
  check(cudaMalloc(&d_in, sizeof(float) * size));
  check(cudaMalloc(&d_out, sizeof(float) * size));
  check(cudaMemcpy(d_in, now.data(), sizeof(float) * size, cudaMemcpyHostToDevice));
  const dim3 block(kWide, kHigh), grid((width + kWide - 1) / kWide, (height + kHigh - 1) / kHigh);
  for (int step = 0; step < 2; ++step) {
    smooth<<<grid, block>>>(d_in, d_out, width, height);
    check(cudaGetLastError());
    std::swap(d_in, d_out);
    next = now;
    for (int i = width; i < size - width; ++i) {
      if (i % width == 0 || i % width == width - 1) continue;
      next[i] = 0.25f * ((now[i - 1] + now[i + 1]) + (now[i - width] + now[i + width]));
    }
    now = next;
  }
  check(cudaMemcpy(result.data(), d_in, sizeof(float) * size, cudaMemcpyDeviceToHost));
  int wrong = 0;
  for (int i = 0; i < size; ++i)
    wrong += result[i] != now[i];
  std::printf("the centre is %.4f, %d of %d points are wrong\n", result[37 * width + 70], wrong,
              size);
  check(cudaFree(d_in));
  check(cudaFree(d_out));
  return wrong != 0;
}
