// The event is recorded before the work that it shall stand for.
#include <cstdio>

__global__ void produce(int* a) { a[threadIdx.x] = threadIdx.x; }
__global__ void consume(const int* a, int* b) { b[threadIdx.x] = 2 * a[threadIdx.x]; }

int main() {
  int *a, *b, h[32];
  cudaStream_t p, c;
  cudaEvent_t e;
  cudaStreamCreate(&p);
  cudaStreamCreate(&c);
  cudaEventCreate(&e);
  cudaMalloc(&a, 128);
  cudaMalloc(&b, 128);
#ifndef SOUND
  cudaEventRecord(e, p);
#endif
  produce<<<1, 32, 0, p>>>(a);  // EARLIER
#ifdef SOUND
  cudaEventRecord(e, p);
#endif
  cudaStreamWaitEvent(c, e, 0);
  consume<<<1, 32, 0, c>>>(a, b);  // LATER
  cudaMemcpy(h, b, 128, cudaMemcpyDeviceToHost);
  printf("%d\n", h[5]);
  cudaFree(a);
  cudaFree(b);
  cudaEventDestroy(e);
  cudaStreamDestroy(p);
  cudaStreamDestroy(c);
}
