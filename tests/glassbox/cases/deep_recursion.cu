// A thread's stack: 1024 bytes on a GPU unless cudaDeviceSetLimit() asks for more.
#include <cstdio>

__device__ int depth(int* a, int n) {
  volatile int here[64];
  here[n & 63] = n;
#ifdef SOUND
  if (n == 0) return 0;
#endif
  return depth(a, n - 1) + here[(n + a[0]) & 63];
}

__global__ void dive(int* a, int n) { a[0] = depth(a, n); }

int main() {
  std::size_t bytes = 0;
  std::printf("%s\n", cudaGetErrorName(cudaDeviceSetLimit(cudaLimitStackSize, 64 * 1024)));
  cudaDeviceGetLimit(&bytes, cudaLimitStackSize);
  std::printf("%zu\n", bytes);
#ifdef TOO_LARGE
  std::printf("%s\n", cudaGetErrorName(cudaDeviceSetLimit(cudaLimitStackSize, 1 << 30)));
  cudaDeviceGetLimit(&bytes, cudaLimitStackSize);
  std::printf("%zu\n", bytes);
#endif
  int* a;
  cudaMalloc(&a, sizeof(int));
  cudaMemset(a, 0, sizeof(int));
  dive<<<1, 1>>>(a, 40);
  std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  cudaFree(a);
}
