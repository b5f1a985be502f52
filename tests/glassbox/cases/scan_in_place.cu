// s[t] += s[t - d] needs a barrier, not an atomic: nobody stores what another thread stores.
#include <cuda_runtime.h>
__global__ void scan(int* x) {
  __shared__ int s[64];
  const int t = threadIdx.x;
  s[t] = x[t];
  __syncthreads();
  for (int d = 1; d < 64; d *= 2) {
#ifdef SOUND
    const int add = t >= d ? s[t - d] : 0;
    __syncthreads();
    s[t] += add;
    __syncthreads();
#else
    if (t >= d) s[t] += s[t - d];
    __syncthreads();
#endif
  }
  x[t] = s[t];
}
int main() {
  int* x;
  cudaMalloc(&x, 256); cudaMemset(x, 1, 256);
  scan<<<1, 64>>>(x);
  cudaFree(x);
}
