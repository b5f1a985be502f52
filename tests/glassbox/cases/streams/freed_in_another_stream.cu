// One stream frees what another one still uses.
#include <cstdio>
__global__ void add(int* a, int* sum) { atomicAdd(sum, a[threadIdx.x]); }
int main() {
  int *a, *sum, h;
  cudaStream_t s, t;
  cudaEvent_t used;
  cudaStreamCreate(&s);
  cudaStreamCreate(&t);
  cudaEventCreate(&used);
  cudaMalloc(&sum, 4);
  cudaMemsetAsync(sum, 0, 4, s);
  cudaMallocAsync(&a, 128, s);
  cudaMemsetAsync(a, 1, 128, s);
  add<<<1, 32, 0, s>>>(a, sum);  // EARLIER
  cudaEventRecord(used, s);
#ifdef SOUND
  cudaStreamWaitEvent(t, used, 0);
#endif
  cudaFreeAsync(a, t);  // LATER
  cudaMemcpyAsync(&h, sum, 4, cudaMemcpyDeviceToHost, s);
  cudaDeviceSynchronize();
  printf("%d\n", h);
  cudaFree(sum);
  cudaEventDestroy(used);
  cudaStreamDestroy(s);
  cudaStreamDestroy(t);
}
