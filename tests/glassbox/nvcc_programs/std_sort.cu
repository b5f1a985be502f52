#include <algorithm>
__global__ void kernel(int* a) {
  std::sort(a, a + 4);
}
int main() {
  int* a;
  cudaMalloc(&a, 1024);
  kernel<<<1, 32>>>(a);
  cudaDeviceSynchronize();
  cudaFree(a);
}
