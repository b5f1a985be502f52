// Freed, and still used: by a kernel, by a copy, by another free, in pinned memory.
#include <cuda_runtime.h>
struct Pair { const int* a; int* b; };
__global__ void copy(Pair p) { p.b[threadIdx.x] = p.a[threadIdx.x + 8]; }
int main() {
  int *a, *b, *pinned, h[32];
  cudaMalloc(&a, 256); cudaMalloc(&b, 128); cudaMallocHost(&pinned, 128);
  cudaMemset(a, 0, 256);
#ifndef SOUND
  cudaFree(b);
  cudaMemcpy(h, b, 128, cudaMemcpyDeviceToHost);
  cudaFree(b);
  cudaFreeHost(pinned);
  cudaFreeHost(pinned);
  cudaFree(a);
  cudaMalloc(&b, 128);
#endif
  copy<<<1, 32>>>(Pair{a, b});
  cudaDeviceSynchronize();
  cudaFree(b);
#ifdef SOUND
  cudaFree(a);
  cudaFreeHost(pinned);
#endif
}
