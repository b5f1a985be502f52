// Two streams count with atomics, which need no order; a third one sets the counter back.
#include <cstdio>
__global__ void count(int* n) { atomicAdd(n, 1); }
int main() {
  int *n, h;
  cudaStream_t s[3];
  cudaEvent_t e;
  cudaEventCreate(&e);
  for (int i = 0; i < 3; ++i) cudaStreamCreate(&s[i]);
  cudaMalloc(&n, 4);
#ifdef SOUND
  cudaMemsetAsync(n, 0, 4, s[0]);
  cudaEventRecord(e, s[0]);
  for (int i = 1; i < 3; ++i) cudaStreamWaitEvent(s[i], e, 0);
#else
  cudaMemsetAsync(n, 0, 4, s[0]);  // EARLIER
#endif
  for (int i = 1; i < 3; ++i) count<<<2, 32, 0, s[i]>>>(n);  // LATER
  cudaMemcpy(&h, n, 4, cudaMemcpyDeviceToHost);
  printf("%d\n", h);
  cudaFree(n);
  cudaEventDestroy(e);
  for (int i = 0; i < 3; ++i) cudaStreamDestroy(s[i]);
}
