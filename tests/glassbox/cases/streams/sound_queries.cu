// Asking is waiting, too, once the answer is that all is done.
#include <cstdio>
__global__ void twice(int* a) { a[threadIdx.x] *= 2; }
int main() {
  int* a;
  cudaStream_t s;
  cudaEvent_t e;
  cudaStreamCreate(&s);
  cudaEventCreate(&e);
  cudaMallocManaged(&a, 128);
  for (int i = 0; i < 32; ++i) a[i] = i;
  twice<<<1, 32, 0, s>>>(a);
  while (cudaStreamQuery(s) == cudaErrorNotReady) {
  }
  a[0] = a[5];
  twice<<<1, 32, 0, s>>>(a);
  cudaEventRecord(e, s);
  while (cudaEventQuery(e) == cudaErrorNotReady) {
  }
  printf("%d\n", a[0]);
  cudaFree(a);
  cudaEventDestroy(e);
  cudaStreamDestroy(s);
}
