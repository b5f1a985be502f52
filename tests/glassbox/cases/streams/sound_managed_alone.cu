// A managed variable and no array of cudaMalloc().
#include <cstdio>

__managed__ int total = 2;

__global__ void count() {
  total += 3;
}

int main() {
  count<<<1, 1>>>();
  cudaDeviceSynchronize();
  return total == 5 ? 0 : 1;
}
