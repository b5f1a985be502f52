#include <cmath>
#include <cstdio>
#include <cassert>
#include <cstring>
__global__ void kernel(int* a) {
  float x = sqrtf(2.0f) + std::sqrt(2.0f) + sin(1.0) + std::abs(-1) + fmaxf(1, 2) + std::pow(2.0f, 3);
  printf("%f\n", x);
  assert(x > 0);
  memset(a, 0, 4);
  memcpy(a + 1, a, 4);
  a[0] = abs(-3) + max(1, 2) + min(3u, 4u) + (int)ceilf(x) + std::isnan(x) + (int)floor(2.5);
}
int main() {
  int* a;
  cudaMalloc(&a, 1024);
  kernel<<<1, 32>>>(a);
  cudaDeviceSynchronize();
  cudaFree(a);
}
