// The host polls a word that a copy behind the result sets.
#include <cstdio>
__global__ void compute(int* a) { a[0] = 42, a[1] = 1; }
int main() {
  int *a, *h;
  cudaStream_t s;
  cudaStreamCreate(&s);
  cudaMalloc(&a, 8);
  cudaMallocHost(&h, 8);
  h[0] = h[1] = 0;
  compute<<<1, 1, 0, s>>>(a);
  cudaMemcpyAsync(h, a, 4, cudaMemcpyDeviceToHost, s);
  cudaMemcpyAsync(h + 1, a + 1, 4, cudaMemcpyDeviceToHost, s);
  volatile int* const flag = h + 1;
  while (*flag == 0) {
  }
  printf("%d\n", h[0]);
  cudaStreamSynchronize(s);
  cudaFree(a);
  cudaFreeHost(h);
  cudaStreamDestroy(s);
}
