// Managed memory: the host reads while the kernel may still run.
#include <cstdio>
__global__ void twice(int* a) { a[threadIdx.x] *= 2; }
int main() {
  int* a;
  cudaMallocManaged(&a, 128);
  for (int i = 0; i < 32; ++i) a[i] = i;
  twice<<<1, 32>>>(a);  // EARLIER
#ifdef SOUND
  cudaDeviceSynchronize();
#endif
  printf("%d\n", a[5]);  // LATER
  cudaDeviceSynchronize();
  cudaFree(a);
}
