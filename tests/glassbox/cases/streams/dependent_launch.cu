// A kernel that may start while the one before still runs, and reads what that one stores.
#include <cstdio>

__global__ void produce(int* a) {
  cudaTriggerProgrammaticLaunchCompletion();
  a[threadIdx.x] = threadIdx.x;
}
__global__ void consume(const int* a, int* b) {
#ifdef SOUND
  cudaGridDependencySynchronize();
#endif
  b[threadIdx.x] = 2 * a[threadIdx.x];  // LATER
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
  cudaLaunchKernelEx(&config, consume, (const int*)a, b);
  cudaMemcpy(h, b, 128, cudaMemcpyDeviceToHost);
  printf("%d\n", h[5]);
  cudaFree(a);
  cudaFree(b);
}
