// Many threads change one element in steps: load, add, store. They need an atomic, not a barrier.
#include <cuda_runtime.h>
__global__ void count(const int* in, int* bins, float* total) {
  __shared__ int mine[4];
  __shared__ float sum;
  const int t = threadIdx.x;
  if (t < 4) mine[t] = 0;
  if (t == 0) sum = 0;
  __syncthreads();
#ifdef SOUND
  atomicAdd(&mine[in[t] % 4], 1);
  atomicAdd(&sum, 1.5f * in[t]);
#else
  mine[in[t] % 4]++;
  sum += 1.5f * in[t];
#endif
  __syncthreads();
#ifdef SOUND
  if (t < 4) atomicAdd(&bins[t], mine[t]);
  if (t == 0) atomicAdd(total, sum);
#else
  if (t < 4) bins[t] = bins[t] + mine[t];
  if (t == 0) *total += sum;
#endif
}
int main() {
  int h[64], *in, *bins;
  float* total;
  for (int i = 0; i < 64; ++i) h[i] = i;
  cudaMalloc(&in, sizeof h); cudaMalloc(&bins, 16); cudaMalloc(&total, 4);
  cudaMemcpy(in, h, sizeof h, cudaMemcpyHostToDevice);
  cudaMemset(bins, 0, 16); cudaMemset(total, 0, 4);
  count<<<4, 64>>>(in, bins, total);
  cudaFree(in); cudaFree(bins); cudaFree(total);
}
