// The host reads a sum that a function of its own computes as a stream's work.
#include <cstdio>
__global__ void square(int* a) { a[threadIdx.x] = threadIdx.x * threadIdx.x; }
void CUDART_CB add(void* data) {
  int* const h = static_cast<int*>(data);
  for (int i = 0; i < 32; ++i) h[32] += h[i];
}
int main() {
  int *a, *h;
  cudaStream_t s;
  cudaStreamCreate(&s);
  cudaMalloc(&a, 128);
  cudaMallocHost(&h, 132);
  h[32] = 0;
  square<<<1, 32, 0, s>>>(a);
  cudaMemcpyAsync(h, a, 128, cudaMemcpyDeviceToHost, s);
  cudaLaunchHostFunc(s, add, h);  // EARLIER
#ifdef SOUND
  cudaStreamSynchronize(s);
#endif
  printf("%d\n", h[32]);  // LATER
  cudaStreamSynchronize(s);
  cudaFree(a);
  cudaFreeHost(h);
  cudaStreamDestroy(s);
}
