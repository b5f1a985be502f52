#include <cmath>
float host_only(float x) { return x; }
__host__ __device__ float both(float x) {
#ifdef __CUDA_ARCH__
  return __fsqrt_rn(x);
#else
  return host_only(x);
#endif
}
__global__ void kernel(int* a) { a[0] = (int)both(4.0f); }
float use() { return both(4.0f); }
int main() {
  int* a;
  cudaMalloc(&a, 1024);
  kernel<<<1, 32>>>(a);
  cudaDeviceSynchronize();
  cudaFree(a);
}
