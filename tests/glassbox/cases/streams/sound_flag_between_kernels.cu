// Two kernels at the same time: the second one waits for the first one's flag.
#include <cstdio>
__global__ void produce(int* a, int* flag) {
  *a = 42;
  __threadfence();
  atomicExch(flag, 1);
}
__global__ void consume(const volatile int* a, int* flag, int* b) {
  while (atomicAdd(flag, 0) == 0) {
  }
  __threadfence();
  *b = *a;
}
int main() {
  int *a, h;
  cudaStream_t s, t;
  cudaStreamCreate(&s);
  cudaStreamCreate(&t);
  cudaMalloc(&a, 12);
  cudaMemset(a, 0, 12);
  produce<<<1, 1, 0, s>>>(a, a + 1);
  consume<<<1, 1, 0, t>>>(a, a + 1, a + 2);
  cudaMemcpy(&h, a + 2, 4, cudaMemcpyDeviceToHost);
  printf("%d\n", h);
  cudaFree(a);
  cudaStreamDestroy(s);
  cudaStreamDestroy(t);
}
