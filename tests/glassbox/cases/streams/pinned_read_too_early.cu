// The host reads pinned memory before the copy has arrived.
#include <cstdio>
__global__ void square(int* a) { a[threadIdx.x] = threadIdx.x * threadIdx.x; }
int main() {
  int *a, *h;
  cudaStream_t s;
  cudaStreamCreate(&s);
  cudaMalloc(&a, 256);
  cudaMallocHost(&h, 256);
  square<<<1, 64, 0, s>>>(a);
  cudaMemcpyAsync(h, a, 256, cudaMemcpyDeviceToHost, s);  // EARLIER
#ifdef SOUND
  cudaStreamSynchronize(s);
#endif
  printf("%d\n", h[7]);  // LATER
  cudaStreamSynchronize(s);
  cudaFree(a);
  cudaFreeHost(h);
  cudaStreamDestroy(s);
}
