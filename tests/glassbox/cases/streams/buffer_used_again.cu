// Two buffers in turn: the copy into a buffer has to wait for the kernel that reads it.
#include <cstdio>
__global__ void add(const int* a, int* sum) { atomicAdd(sum, a[threadIdx.x]); }
int main() {
  int *a[2], *sum, *h, total;
  cudaStream_t copies, compute;
  cudaEvent_t copied[2], used[2];
  cudaStreamCreateWithFlags(&copies, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&compute, cudaStreamNonBlocking);
  cudaMallocHost(&h, 8 * 128);
  for (int i = 0; i < 8 * 32; ++i) h[i] = i;
  for (int i = 0; i < 2; ++i) {
    cudaMalloc(&a[i], 128);
    cudaEventCreate(&copied[i]);
    cudaEventCreate(&used[i]);
  }
  cudaMalloc(&sum, 4);
  cudaMemsetAsync(sum, 0, 4, compute);
  for (int i = 0; i < 8; ++i) {
    const int k = i % 2;
#ifdef SOUND
    cudaStreamWaitEvent(copies, used[k], 0);
#endif
    cudaMemcpyAsync(a[k], h + 32 * i, 128, cudaMemcpyHostToDevice, copies);  // LATER
    cudaEventRecord(copied[k], copies);
    cudaStreamWaitEvent(compute, copied[k], 0);
    add<<<1, 32, 0, compute>>>(a[k], sum);  // EARLIER
    cudaEventRecord(used[k], compute);
  }
  cudaMemcpyAsync(&total, sum, 4, cudaMemcpyDeviceToHost, compute);
  cudaStreamSynchronize(compute);
  printf("%d\n", total);
  cudaDeviceSynchronize();
  cudaFree(sum);
  cudaFreeHost(h);
  for (int i = 0; i < 2; ++i) {
    cudaFree(a[i]);
    cudaEventDestroy(copied[i]);
    cudaEventDestroy(used[i]);
  }
  cudaStreamDestroy(copies);
  cudaStreamDestroy(compute);
}
