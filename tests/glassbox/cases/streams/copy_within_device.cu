// cudaMemcpy between two places of the GPU does not make the host wait either.
#include <cstdio>

__global__ void produce(int* a) { a[threadIdx.x] = threadIdx.x; }
__global__ void consume(const int* a, int* b) { b[threadIdx.x] = 2 * a[threadIdx.x]; }

int main() {
  int *a, *b, *copy, h[32];
  cudaStream_t s;
  cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
  cudaMalloc(&a, 128);
  cudaMalloc(&b, 128);
  cudaMalloc(&copy, 128);
  produce<<<1, 32>>>(a);
  cudaMemcpy(copy, a, 128, cudaMemcpyDeviceToDevice);  // EARLIER
#ifdef SOUND
  cudaDeviceSynchronize();
#endif
  consume<<<1, 32, 0, s>>>(copy, b);  // LATER
  cudaMemcpyAsync(h, b, 128, cudaMemcpyDeviceToHost, s);
  cudaStreamSynchronize(s);
  printf("%d\n", h[5]);
  cudaFree(a);
  cudaFree(b);
  cudaFree(copy);
  cudaStreamDestroy(s);
}
