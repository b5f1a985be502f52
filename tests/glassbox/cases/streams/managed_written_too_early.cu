// Managed memory: the host prepares the next input while the kernel may still read this one. The
// other half of the array is the host's alone all the time.
#include <cstdio>
__global__ void sum(const int* a, int* total) { atomicAdd(total, a[threadIdx.x]); }
int main() {
  int *a, *total;
  cudaMallocManaged(&a, 256);
  cudaMallocManaged(&total, 4);
  *total = 0;
  for (int i = 0; i < 64; ++i) a[i] = i;
  sum<<<1, 32>>>(a, total);  // EARLIER
  for (int i = 32; i < 64; ++i) a[i] = 2 * i;
#ifdef SOUND
  cudaDeviceSynchronize();
#endif
  for (int i = 0; i < 32; ++i) a[i] = 0;  // LATER
  cudaDeviceSynchronize();
  printf("%d %d\n", *total, a[40]);
  cudaFree(a);
  cudaFree(total);
}
