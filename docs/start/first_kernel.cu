// SPDX-License-Identifier: MIT
/// \file  docs/start/first_kernel.cu
/// \brief A whole CUDA program: C = A * B for N x N matrices, one thread for each element of C.
// -- The whole program ----------------------------------------------------------------------
#include <cstdio>
#include <vector>

__global__ void multiply(int N, const float* A, const float* B, float* C) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  const int col = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= N || col >= N) return;
  float acc = 0.0f;
  for (int k = 0; k < N; ++k)
    acc += A[row * N + k] * B[k * N + col];
  C[row * N + col] = acc;
}

int main() {
  const int N = 100;
  const size_t bytes = N * N * sizeof(float);
  std::vector<float> a(N * N, 1.0f), b(N * N, 2.0f), c(N * N);
  float *A, *B, *C;  // addresses in GPU memory
  cudaMalloc(&A, bytes);
  cudaMalloc(&B, bytes);
  cudaMalloc(&C, bytes);
  cudaMemcpy(A, a.data(), bytes, cudaMemcpyHostToDevice);
  cudaMemcpy(B, b.data(), bytes, cudaMemcpyHostToDevice);
  const dim3 block(32, 32), grid((N + 31) / 32, (N + 31) / 32);  // 4 x 4 blocks cover C
  multiply<<<grid, block>>>(N, A, B, C);
  cudaMemcpy(c.data(), C, bytes, cudaMemcpyDeviceToHost);  // waits for the kernel
  std::printf("%s: C[0] = %g\n", cudaGetErrorString(cudaGetLastError()), c[0]);
  for (float* matrix : {A, B, C})
    cudaFree(matrix);
}
