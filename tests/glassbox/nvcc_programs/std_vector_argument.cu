#include <vector>
__device__ int first(const std::vector<int>& v) { return v[0]; }
__global__ void kernel(int* a) {}
int main() {
  int* a;
  cudaMalloc(&a, 1024);
  kernel<<<1, 32>>>(a);
  cudaDeviceSynchronize();
  cudaFree(a);
}
