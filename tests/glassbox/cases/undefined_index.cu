// The index comes from a lane that has left, or from a variable that nobody set.
#include <cuda_runtime.h>
__global__ void gather(const float* table, float* out, int n) {
  const int t = threadIdx.x;
#ifdef SOUND
  const unsigned mask = ~0u;
#else
  if (t >= n) return;
  const unsigned mask = ~0u;
#endif
  const int next = __shfl_down_sync(mask, t, 8);
  out[t] = table[next % 64 == next ? next : next + 1];
}
int main() {
  float *table, *out;
  cudaMalloc(&table, 256); cudaMalloc(&out, 128);
  cudaMemset(table, 0, 256);
  gather<<<1, 32>>>(table, out, 24);
  cudaFree(table); cudaFree(out);
}
