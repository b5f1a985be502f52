// Two streams write into one array of bytes: sound where one takes the even and one the odd ones.
#include <cstdio>
__global__ void paint(unsigned char* a, int first, int step, int value) {
  a[first + step * threadIdx.x] = value;
}
int main() {
  unsigned char *a, h[64];
  cudaStream_t s, t;
  cudaStreamCreate(&s);
  cudaStreamCreate(&t);
  cudaMalloc(&a, 64);
  paint<<<1, 32, 0, s>>>(a, 0, 2, 1);  // EARLIER
#ifdef SOUND
  paint<<<1, 32, 0, t>>>(a, 1, 2, 2);
#else
  paint<<<1, 31, 0, t>>>(a, 0, 2, 2);  // LATER
#endif
  cudaMemcpy(h, a, 1, cudaMemcpyDeviceToHost);
  printf("%d\n", h[0]);
  cudaFree(a);
  cudaStreamDestroy(s);
  cudaStreamDestroy(t);
}
