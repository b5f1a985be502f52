// cudaMemset of the GPU's memory does not make the host wait.
#include <cstdio>
__global__ void count(int* n) { atomicAdd(n, 1); }
int main() {
  int *n, h;
  cudaStream_t s;
  cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
  cudaMalloc(&n, 4);
  cudaMemset(n, 0, 4);  // EARLIER
#ifdef SOUND
  cudaStreamSynchronize(0);
#endif
  count<<<2, 32, 0, s>>>(n);  // LATER
  cudaMemcpyAsync(&h, n, 4, cudaMemcpyDeviceToHost, s);
  cudaStreamSynchronize(s);
  printf("%d\n", h);
  cudaFree(n);
  cudaStreamDestroy(s);
}
