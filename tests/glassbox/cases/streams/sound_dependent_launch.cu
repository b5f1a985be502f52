// Kernels that start early: what they do before they wait has nothing to do with the kernel before;
// one thread waits for a block; a copy between the two waits for both.
#include <cstdio>

__global__ void scale(int* a, const int* weights) {
  cudaTriggerProgrammaticLaunchCompletion();
  const int weight = weights[threadIdx.x];  // nobody stores these
  cudaGridDependencySynchronize();
  a[threadIdx.x] = weight * a[threadIdx.x];
}

__global__ void reverse(const int* a, int* b) {
  __shared__ int tile[32];
  cudaTriggerProgrammaticLaunchCompletion();
  if (threadIdx.x == 0) cudaGridDependencySynchronize();
  __syncthreads();
  tile[threadIdx.x] = a[threadIdx.x];
  __syncthreads();
  b[threadIdx.x] = tile[31 - threadIdx.x];
}

__global__ void add(const int* b, int* sum) { atomicAdd(sum, b[threadIdx.x]); }

int main() {
  int *a, *weights, *b, *sum, h;
  cudaMalloc(&a, 128);
  cudaMalloc(&weights, 128);
  cudaMalloc(&b, 128);
  cudaMalloc(&sum, 4);
  cudaMemset(a, 1, 128);
  cudaMemset(weights, 0, 128);
  cudaLaunchAttribute attribute = {};
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = 1;
  config.blockDim = 32;
  config.attrs = &attribute;
  config.numAttrs = 1;
  cudaLaunchKernelEx(&config, scale, a, (const int*)weights);
  cudaLaunchKernelEx(&config, scale, a, (const int*)weights);
  cudaLaunchKernelEx(&config, reverse, (const int*)a, b);
  cudaMemsetAsync(sum, 0, 4);
  cudaLaunchKernelEx(&config, add, (const int*)b, sum);
  add<<<1, 32>>>(b, sum);
  cudaMemcpy(&h, sum, 4, cudaMemcpyDeviceToHost);
  printf("%d\n", h);
  cudaFree(a);
  cudaFree(weights);
  cudaFree(b);
  cudaFree(sum);
}
