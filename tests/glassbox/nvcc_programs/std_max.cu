#include <algorithm>
__global__ void kernel(int* a) { a[0] = std::max(a[0], a[1]); }
int main() {
  int* a;
  cudaMalloc(&a, 1024);
  kernel<<<1, 32>>>(a);
  cudaDeviceSynchronize();
  cudaFree(a);
}
