// One stream takes memory, another one uses it.
#include <cstdio>
__global__ void fill(int* a) { a[threadIdx.x] = 7; }
int main() {
  int *a, h[32];
  cudaStream_t s, t;
  cudaEvent_t taken, used;
  cudaStreamCreate(&s);
  cudaStreamCreate(&t);
  cudaEventCreate(&taken);
  cudaEventCreate(&used);
  cudaMallocAsync(&a, 128, s);  // EARLIER
#ifdef SOUND
  cudaEventRecord(taken, s);
  cudaStreamWaitEvent(t, taken, 0);
#endif
  fill<<<1, 32, 0, t>>>(a);  // LATER
  cudaMemcpyAsync(h, a, 128, cudaMemcpyDeviceToHost, t);
  cudaEventRecord(used, t);
  cudaStreamWaitEvent(s, used, 0);
  cudaFreeAsync(a, s);
  cudaDeviceSynchronize();
  printf("%d\n", h[3]);
  cudaEventDestroy(taken);
  cudaEventDestroy(used);
  cudaStreamDestroy(s);
  cudaStreamDestroy(t);
}
