#include <array>
__global__ void kernel(int* a) {
  std::array<int, 2> pair = {1, 2};
  a[0] = pair[threadIdx.x % 2];
}
int main() {
  int* a;
  cudaMalloc(&a, 1024);
  kernel<<<1, 32>>>(a);
  cudaDeviceSynchronize();
  cudaFree(a);
}
