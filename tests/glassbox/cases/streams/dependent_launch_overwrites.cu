// A kernel that may start while the one before still reads what it stores, in PTX.
#include <cstdio>

__global__ void sum(const int* a, int* total) {
  asm volatile("griddepcontrol.launch_dependents;");
  atomicAdd(total, a[threadIdx.x]);
}
__global__ void fill(int* a, int value) {
#ifdef SOUND
  asm volatile("griddepcontrol.wait;" ::: "memory");
  a[threadIdx.x] = value;
#else
  a[threadIdx.x] = value;  // LATER
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

int main() {
  int *a, *total, h;
  cudaMalloc(&a, 128);
  cudaMalloc(&total, 4);
  cudaMemset(total, 0, 4);
  cudaLaunchAttribute attribute = {};
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = 1;
  config.blockDim = 32;
  config.attrs = &attribute;
  config.numAttrs = 1;
  fill<<<1, 32>>>(a, 1);
  sum<<<1, 32>>>(a, total);  // EARLIER
  cudaLaunchKernelEx(&config, fill, a, 2);
  cudaMemcpy(&h, total, 4, cudaMemcpyDeviceToHost);
  printf("%d\n", h);
  cudaFree(a);
  cudaFree(total);
}
