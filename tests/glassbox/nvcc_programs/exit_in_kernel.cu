#include <cstdlib>
__global__ void kernel(int* a) {
  if (a[0] == 1) exit(1);
}
int main() {
  int* a;
  cudaMalloc(&a, 1024);
  kernel<<<1, 32>>>(a);
  cudaDeviceSynchronize();
  cudaFree(a);
}
