// The host waits, but for the other stream.
#include <cstdio>
__global__ void fill(int* a, int value) { a[threadIdx.x] = value; }
int main() {
  int *a[2], *h[2];
  cudaStream_t s[2];
  for (int i = 0; i < 2; ++i) {
    cudaStreamCreate(&s[i]);
    cudaMalloc(&a[i], 128);
    cudaMallocHost(&h[i], 128);
  }
  for (int i = 0; i < 2; ++i) {
    fill<<<1, 32, 0, s[i]>>>(a[i], i + 1);
    cudaMemcpyAsync(h[i], a[i], 128, cudaMemcpyDeviceToHost, s[i]);  // EARLIER
  }
#ifdef SOUND
  cudaStreamSynchronize(s[0]);
#endif
  cudaStreamSynchronize(s[1]);
  int sum = h[1][0];
  sum += h[0][0];  // LATER
  printf("%d\n", sum);
  cudaDeviceSynchronize();
  for (int i = 0; i < 2; ++i) {
    cudaFree(a[i]);
    cudaFreeHost(h[i]);
    cudaStreamDestroy(s[i]);
  }
}
