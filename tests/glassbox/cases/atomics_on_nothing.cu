// Atomics of several blocks on a sum that nobody has set: cudaMallocManaged() clears no memory.
#include <cstdio>

__global__ void sum(int* total, const int* in, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(total, in[i]);
}

int main() {
  const int n = 128;
  int *in, *total;
  cudaMallocManaged(&in, n * sizeof(int));
  cudaMallocManaged(&total, sizeof(int));
  for (int i = 0; i < n; ++i)
    in[i] = 1;
#ifdef SOUND
  *total = 0;
#endif
  sum<<<4, 32>>>(total, in, n);
  cudaDeviceSynchronize();
  cudaFree(in);
  cudaFree(total);
}
