// A function of the host, as work of one stream, reads what another stream copies.
#include <cstdio>
__global__ void square(int* a) { a[threadIdx.x] = threadIdx.x * threadIdx.x; }
void CUDART_CB tell(void* data) {
  const int* const h = static_cast<const int*>(data);
  printf("%d\n", h[7]);
}
int main() {
  int *a, *h;
  cudaStream_t copies, calls;
  cudaEvent_t copied;
  cudaStreamCreate(&copies);
  cudaStreamCreate(&calls);
  cudaEventCreate(&copied);
  cudaMalloc(&a, 128);
  cudaMallocHost(&h, 128);
  square<<<1, 32, 0, copies>>>(a);
  cudaMemcpyAsync(h, a, 128, cudaMemcpyDeviceToHost, copies);  // EARLIER
#ifdef SOUND
  cudaEventRecord(copied, copies);
  cudaStreamWaitEvent(calls, copied, 0);
#endif
  cudaLaunchHostFunc(calls, tell, h);  // LATER
  cudaDeviceSynchronize();
  cudaFree(a);
  cudaFreeHost(h);
  cudaEventDestroy(copied);
  cudaStreamDestroy(copies);
  cudaStreamDestroy(calls);
}
