#include <cstdio>
__global__ void kernel(int* a) { fprintf(stderr, "%d", a[0]); }
int main() {
  int* a;
  cudaMalloc(&a, 1024);
  kernel<<<1, 32>>>(a);
  cudaDeviceSynchronize();
  cudaFree(a);
}
