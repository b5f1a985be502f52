// A `__managed__` variable: the host reads it while the kernel may still run.
#include <cstdio>
__device__ __managed__ int total = 1;
__global__ void add() { total += 41; }
int main() {
  add<<<1, 1>>>();  // EARLIER
#ifdef SOUND
  cudaDeviceSynchronize();
#endif
  printf("%d\n", total);  // LATER
  cudaDeviceSynchronize();
}
