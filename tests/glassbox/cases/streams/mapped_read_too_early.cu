// The kernel writes pinned memory of the host itself.
#include <cstdio>
__global__ void fill(float* a) { a[threadIdx.x] = 0.5f * threadIdx.x; }
int main() {
  float *h, *d;
  cudaHostAlloc(&h, 512, cudaHostAllocMapped);
  cudaHostGetDevicePointer(&d, h, 0);
  fill<<<1, 64>>>(d);  // EARLIER
#ifdef SOUND
  cudaDeviceSynchronize();
  printf("%f\n", h[3]);
#else
  printf("%f\n", h[100]);
  printf("%f\n", h[3]);  // LATER
#endif
  cudaDeviceSynchronize();
  cudaFreeHost(h);
}
