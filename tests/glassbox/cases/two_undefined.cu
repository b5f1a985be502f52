// Three launches leave undefined values in the same places; each of them is at fault.
#include <cuda_runtime.h>
__global__ void one(const float* in, float* out) {
  if (threadIdx.x >= 20) return;
  out[threadIdx.x] = in[threadIdx.x] + __shfl_down_sync(~0u, in[threadIdx.x], 8);
}
__global__ void two(const float* in, float* out) {
  if (threadIdx.x >= 20) return;
  out[threadIdx.x] = in[threadIdx.x] - __shfl_down_sync(~0u, in[threadIdx.x], 8);
}
__global__ void scale(float* out) { out[threadIdx.x] *= 2; }
__global__ void upper(const float* in, float* out) {
  float v = in[threadIdx.x];
  v += __shfl_down_sync(0xffff, v, 8);
  if (threadIdx.x < 8) out[32 + threadIdx.x] = v;
}
int main() {
  float *in, *out;
  cudaMalloc(&in, 128); cudaMalloc(&out, 256);
  cudaMemset(in, 0, 128); cudaMemset(out, 0, 256);
  one<<<1, 32>>>(in, out);
  two<<<1, 32>>>(in, out);
  scale<<<1, 32>>>(out);
  upper<<<1, 16>>>(in, out);
  cudaFree(in); cudaFree(out);
}
