// cudaFree waits for all work that uses an array of cudaMalloc, but not for one of cudaMallocAsync.
#include <cstdio>
__global__ void fill(int* a) { a[threadIdx.x] = 7; }
int main() {
  int* a;
  cudaStream_t s;
  cudaStreamCreate(&s);
#ifdef SOUND
  cudaMalloc(&a, 128);
#else
  cudaMallocAsync(&a, 128, s);
#endif
  fill<<<1, 32, 0, s>>>(a);  // EARLIER
  cudaFree(a);               // LATER
  printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  cudaStreamDestroy(s);
}
