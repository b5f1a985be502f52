#include <limits>
__global__ void kernel(int* a) { a[0] = std::numeric_limits<int>::max(); }
int main() {
  int* a;
  cudaMalloc(&a, 1024);
  kernel<<<1, 32>>>(a);
  cudaDeviceSynchronize();
  cudaFree(a);
}
