#include <cstdlib>
__global__ void kernel(int* a) {
  a[threadIdx.x] = rand() % 10;
}
int main() {
  int* a;
  cudaMalloc(&a, 1024);
  kernel<<<1, 32>>>(a);
  cudaDeviceSynchronize();
  cudaFree(a);
}
