// One stream replaces a constant that a kernel in another stream still reads.
#include <cstdio>
__constant__ int factor;
__global__ void scale(int* a) { a[threadIdx.x] = factor * threadIdx.x; }
int main() {
  int *a, h[32];
  int* factors;
  cudaStream_t s, t;
  cudaEvent_t e;
  cudaStreamCreate(&s);
  cudaStreamCreate(&t);
  cudaEventCreate(&e);
  cudaMalloc(&a, 256);
  cudaMallocHost(&factors, 8);
  factors[0] = 2, factors[1] = 3;
  cudaMemcpyToSymbolAsync(factor, factors, 4, 0, cudaMemcpyHostToDevice, s);
  scale<<<1, 32, 0, s>>>(a);  // EARLIER
  cudaEventRecord(e, s);
#ifdef SOUND
  cudaStreamWaitEvent(t, e, 0);
#endif
  cudaMemcpyToSymbolAsync(factor, factors + 1, 4, 0, cudaMemcpyHostToDevice, t);  // LATER
  scale<<<1, 32, 0, t>>>(a + 32);
  cudaMemcpy(h, a, 128, cudaMemcpyDeviceToHost);
  printf("%d\n", h[5]);
  cudaFree(a);
  cudaFreeHost(factors);
  cudaEventDestroy(e);
  cudaStreamDestroy(s);
  cudaStreamDestroy(t);
}
