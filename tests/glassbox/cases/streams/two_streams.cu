// A producer in one stream, a consumer in another one, and no event between them.
#include <cstdio>

__global__ void produce(int* a) { a[threadIdx.x] = threadIdx.x; }
__global__ void consume(const int* a, int* b) { b[threadIdx.x] = 2 * a[threadIdx.x]; }

int main() {
  int *a, *b, h[32];
  cudaStream_t p, c;
  cudaEvent_t e;
  cudaStreamCreateWithFlags(&p, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&c, cudaStreamNonBlocking);
  cudaEventCreate(&e);
  cudaMalloc(&a, 128);
  cudaMalloc(&b, 128);
  produce<<<1, 32, 0, p>>>(a);  // EARLIER
#ifdef SOUND
  cudaEventRecord(e, p);
  cudaStreamWaitEvent(c, e, 0);
#endif
  consume<<<1, 32, 0, c>>>(a, b);  // LATER
  cudaDeviceSynchronize();
  cudaMemcpy(h, b, 128, cudaMemcpyDeviceToHost);
  printf("%d\n", h[5]);
  cudaFree(a);
  cudaFree(b);
  cudaEventDestroy(e);
  cudaStreamDestroy(p);
  cudaStreamDestroy(c);
}
