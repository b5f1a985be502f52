// Both streams may set the flag, and both to the same value.
#include <cstdio>
__global__ void search(const int* a, int wanted, int* found) {
  if (a[threadIdx.x] == wanted) *found = 1;
}
int main() {
  int *a, *found, h[32];
  for (int i = 0; i < 32; ++i) h[i] = i;
  cudaStream_t s, t;
  cudaStreamCreate(&s);
  cudaStreamCreate(&t);
  cudaMalloc(&a, 128);
  cudaMalloc(&found, 4);
  cudaMemcpy(a, h, 128, cudaMemcpyHostToDevice);
  cudaMemset(found, 0, 4);
  search<<<1, 32, 0, s>>>(a, 3, found);
  search<<<1, 32, 0, t>>>(a, 4, found);
  cudaMemcpy(h, found, 4, cudaMemcpyDeviceToHost);
  printf("%d\n", h[0]);
  cudaFree(a);
  cudaFree(found);
  cudaStreamDestroy(s);
  cudaStreamDestroy(t);
}
