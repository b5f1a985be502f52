// The default stream waits for blocking streams alone, and those alone wait for it.
#include <cstdio>

__global__ void produce(int* a) { a[threadIdx.x] = threadIdx.x; }
__global__ void consume(const int* a, int* b) { b[threadIdx.x] = 2 * a[threadIdx.x]; }

int main() {
  int *a, *b, h[32];
  cudaStream_t c;
#ifdef SOUND
  cudaStreamCreate(&c);
#else
  cudaStreamCreateWithFlags(&c, cudaStreamNonBlocking);
#endif
  cudaMalloc(&a, 128);
  cudaMalloc(&b, 128);
  produce<<<1, 32>>>(a);           // EARLIER
  consume<<<1, 32, 0, c>>>(a, b);  // LATER
  cudaStreamSynchronize(c);
  cudaMemcpy(h, b, 128, cudaMemcpyDeviceToHost);
  printf("%d\n", h[5]);
  cudaFree(a);
  cudaFree(b);
  cudaStreamDestroy(c);
}
