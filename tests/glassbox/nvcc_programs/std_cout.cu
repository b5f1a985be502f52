#include <iostream>
__global__ void kernel(int* a) {
  std::cout << a[0] << std::endl;
}
int main() {
  int* a;
  cudaMalloc(&a, 1024);
  kernel<<<1, 32>>>(a);
  cudaDeviceSynchronize();
  cudaFree(a);
}
