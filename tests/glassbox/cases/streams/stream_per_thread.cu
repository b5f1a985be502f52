// The stream of the thread: the default stream waits for it, a non-blocking stream does not.
#include <cstdio>

__global__ void produce(int* a) { a[threadIdx.x] = threadIdx.x; }
__global__ void consume(const int* a, int* b) { b[threadIdx.x] = 2 * a[threadIdx.x]; }

int main() {
  int *a, *b, h[32];
  cudaStream_t s;
  cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
  cudaMalloc(&a, 128);
  cudaMalloc(&b, 128);
  produce<<<1, 32, 0, cudaStreamPerThread>>>(a);  // EARLIER
#ifdef SOUND
  consume<<<1, 32, 0, cudaStreamLegacy>>>(a, b);
#else
  consume<<<1, 32, 0, s>>>(a, b);  // LATER
#endif
  cudaDeviceSynchronize();
  cudaMemcpy(h, b, 128, cudaMemcpyDeviceToHost);
  printf("%d\n", h[5]);
  cudaFree(a);
  cudaFree(b);
  cudaStreamDestroy(s);
}
