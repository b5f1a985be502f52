// The host fills the buffer again while the copy may still read it.
#include <cstdio>
__global__ void add(const int* a, int* sum) { atomicAdd(sum, a[threadIdx.x]); }
int main() {
  int *a, *sum, *h, total;
  cudaStream_t s;
  cudaEvent_t copied;
  cudaStreamCreate(&s);
  cudaEventCreate(&copied);
  cudaMalloc(&a, 128);
  cudaMalloc(&sum, 4);
  cudaMallocHost(&h, 128);
  cudaMemsetAsync(sum, 0, 4, s);
  for (int round = 0; round < 3; ++round) {
#ifdef SOUND
    if (round > 0) cudaEventSynchronize(copied);
#endif
    for (int i = 0; i < 32; ++i) h[i] = round + i;            // LATER
    cudaMemcpyAsync(a, h, 128, cudaMemcpyHostToDevice, s);  // EARLIER
    cudaEventRecord(copied, s);
    add<<<1, 32, 0, s>>>(a, sum);
  }
  cudaMemcpyAsync(&total, sum, 4, cudaMemcpyDeviceToHost, s);
  cudaStreamSynchronize(s);
  printf("%d\n", total);
  cudaFree(a);
  cudaFree(sum);
  cudaFreeHost(h);
  cudaEventDestroy(copied);
  cudaStreamDestroy(s);
}
