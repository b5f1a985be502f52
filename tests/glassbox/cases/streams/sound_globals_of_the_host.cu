// Arrays of the host that are variables of the file are not pinned: CUDA reads them in the call.
#include <cstdio>
static int source[32], target[32];
__device__ int counter;
__global__ void count(int* a) { atomicAdd(&counter, a[threadIdx.x]); }
int main() {
  int *a, n;
  cudaStream_t s, t;
  cudaStreamCreate(&s);
  cudaStreamCreate(&t);
  cudaMalloc(&a, 128);
  for (int i = 0; i < 32; ++i) source[i] = i;
  cudaMemcpyAsync(a, source, 128, cudaMemcpyHostToDevice, s);
  source[0] = 7;
  count<<<1, 32, 0, s>>>(a);
  count<<<1, 32, 0, s>>>(a);
  cudaMemcpyAsync(target, a, 128, cudaMemcpyDeviceToHost, s);
  target[1] += source[0];
  cudaMemcpyAsync(source, a, 128, cudaMemcpyDeviceToHost, s);
  cudaMemcpyFromSymbol(&n, counter, 4);
  printf("%d %d\n", n, target[1]);
  cudaFree(a);
  cudaStreamDestroy(s);
  cudaStreamDestroy(t);
}
