// The host polls a word of its own memory that the kernel sets behind its result.
#include <cstdio>
__global__ void compute(int* result, volatile int* flag) {
  *result = 42;
  __threadfence_system();
  *flag = 1;
}
int main() {
  int* h;
  cudaHostAlloc(&h, 8, cudaHostAllocMapped);
  h[0] = h[1] = 0;
  compute<<<1, 1>>>(h, h + 1);
  while (*(volatile int*)(h + 1) == 0) {
  }
  printf("%d\n", h[0]);
  cudaDeviceSynchronize();
  cudaFreeHost(h);
}
