// A copy in a stream of its own takes the result before it is there.
#include <cstdio>
__global__ void square(int* a) { a[threadIdx.x] = threadIdx.x * threadIdx.x; }
int main() {
  int *a, *h;
  cudaStream_t compute, copies;
  cudaEvent_t done;
  cudaStreamCreate(&compute);
  cudaStreamCreate(&copies);
  cudaEventCreateWithFlags(&done, cudaEventDisableTiming);
  cudaMalloc(&a, 256);
  cudaMallocHost(&h, 256);
  square<<<1, 64, 0, compute>>>(a);  // EARLIER
  cudaEventRecord(done, compute);
#ifdef SOUND
  cudaStreamWaitEvent(copies, done, 0);
#endif
  cudaMemcpyAsync(h, a, 256, cudaMemcpyDeviceToHost, copies);  // LATER
  cudaStreamSynchronize(copies);
  printf("%d\n", h[7]);
  cudaFree(a);
  cudaFreeHost(h);
  cudaEventDestroy(done);
  cudaStreamDestroy(compute);
  cudaStreamDestroy(copies);
}
