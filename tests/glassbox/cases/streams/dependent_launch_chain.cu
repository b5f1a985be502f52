// Three kernels, each of which may start while the one before still runs: the third one reads what
// the first one stores, while both others may still run.
#include <cstdio>

__global__ void produce(int* a) {
  cudaTriggerProgrammaticLaunchCompletion();
  a[threadIdx.x] = threadIdx.x;
}
__global__ void square(int* b) {
  cudaTriggerProgrammaticLaunchCompletion();
  cudaGridDependencySynchronize();
  b[threadIdx.x] = threadIdx.x * threadIdx.x;
}
__global__ void add(const int* a, int* b) {
#ifdef SOUND
  cudaGridDependencySynchronize();
  const int first = a[threadIdx.x];
#else
  const int first = a[threadIdx.x];  // LATER
  cudaGridDependencySynchronize();
#endif
  b[threadIdx.x] += first;
}

int main() {
  int *a, *b, h[32];
  cudaMalloc(&a, 128);
  cudaMalloc(&b, 128);
  cudaLaunchAttribute attribute = {};
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = 1;
  config.blockDim = 32;
  config.attrs = &attribute;
  config.numAttrs = 1;
  produce<<<1, 32>>>(a);  // EARLIER
  cudaLaunchKernelEx(&config, square, b);
  cudaLaunchKernelEx(&config, add, (const int*)a, b);
  cudaMemcpy(h, b, 128, cudaMemcpyDeviceToHost);
  printf("%d\n", h[5]);
  cudaFree(a);
  cudaFree(b);
}
