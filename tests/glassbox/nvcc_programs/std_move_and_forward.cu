#include <utility>
template <class T>
__device__ T pass(T&& x) { return std::forward<T>(x); }
__global__ void kernel(int* a) { int x = 3; a[0] = pass(std::move(x)); }
int main() {
  int* a;
  cudaMalloc(&a, 1024);
  kernel<<<1, 32>>>(a);
  cudaDeviceSynchronize();
  cudaFree(a);
}
