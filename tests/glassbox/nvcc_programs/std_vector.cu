#include <vector>
__global__ void kernel(int* a) {
  std::vector<int> v(4);
  a[0] = v[0];
}
int main() {
  int* a;
  cudaMalloc(&a, 1024);
  kernel<<<1, 32>>>(a);
  cudaDeviceSynchronize();
  cudaFree(a);
}
