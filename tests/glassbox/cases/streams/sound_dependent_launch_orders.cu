// Kernels that may start early and do not wait for the one before. Something else makes them wait:
// the kernel before lets nobody start, the host waits, an event, work in the default stream. Or
// what both do needs no order, or they agree by a flag.
#include <cstdio>

__global__ void produce(int* a) {
  cudaTriggerProgrammaticLaunchCompletion();
  a[threadIdx.x] = threadIdx.x;
}
__global__ void produce_alone(int* a) { a[threadIdx.x] = 2 * threadIdx.x; }
__global__ void consume(const int* a, int* sum) { atomicAdd(sum, a[threadIdx.x]); }

__global__ void count(int* counter) {
  cudaTriggerProgrammaticLaunchCompletion();
  atomicAdd(counter, 1);
}

__global__ void publish(int* a, volatile int* flag) {
  cudaTriggerProgrammaticLaunchCompletion();
  a[threadIdx.x] = 3 * threadIdx.x;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) *flag = 1;
}
__global__ void receive(const int* a, const volatile int* flag, int* sum) {
  while (*flag == 0) {
  }
  __threadfence();
  atomicAdd(sum, a[threadIdx.x]);
}

// One thread waits, and tells the other warp by a word of shared memory.
__global__ void consume_told(const int* a, int* sum) {
  __shared__ volatile int ready;
  if (threadIdx.x == 0) ready = 0;
  __syncthreads();
  if (threadIdx.x == 32) {
    cudaGridDependencySynchronize();
    __threadfence_block();
    ready = 1;
  }
  if (threadIdx.x >= 32) return;
  while (ready == 0) {
  }
  __threadfence_block();
  atomicAdd(sum, a[threadIdx.x]);
}

int main() {
  int *a, *sum, *counter, *flag, h, counted;
  cudaMalloc(&a, 128);
  cudaMalloc(&sum, 4);
  cudaMalloc(&counter, 4);
  cudaMalloc(&flag, 4);
  cudaMemset(sum, 0, 4);
  cudaMemset(counter, 0, 4);
  cudaMemset(flag, 0, 4);
  cudaDeviceSynchronize();
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  cudaEvent_t produced;
  cudaEventCreate(&produced);
  cudaLaunchAttribute attribute = {};
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = 1;
  config.blockDim = 32;
  config.stream = stream;
  config.attrs = &attribute;
  config.numAttrs = 1;

  produce_alone<<<1, 32, 0, stream>>>(a);
  cudaLaunchKernelEx(&config, consume, (const int*)a, sum);

  produce<<<1, 32, 0, stream>>>(a);
  cudaStreamSynchronize(stream);
  cudaLaunchKernelEx(&config, consume, (const int*)a, sum);

  produce<<<1, 32, 0, stream>>>(a);
  cudaEventRecord(produced, stream);
  cudaStreamWaitEvent(stream, produced, 0);
  cudaLaunchKernelEx(&config, consume, (const int*)a, sum);

  produce<<<1, 32, 0, stream>>>(a);
  count<<<1, 1>>>(counter);
  cudaLaunchKernelEx(&config, consume, (const int*)a, sum);

  count<<<1, 32, 0, stream>>>(counter);
  cudaLaunchKernelEx(&config, count, counter);

  cudaDeviceSynchronize();
  publish<<<1, 32, 0, stream>>>(a, flag);
  cudaLaunchKernelEx(&config, receive, (const int*)a, (const volatile int*)flag, sum);

  cudaDeviceSynchronize();
  produce<<<1, 32, 0, stream>>>(a);
  config.blockDim = 64;
  cudaLaunchKernelEx(&config, consume_told, (const int*)a, sum);

  cudaDeviceSynchronize();
  cudaMemcpy(&h, sum, 4, cudaMemcpyDeviceToHost);
  cudaMemcpy(&counted, counter, 4, cudaMemcpyDeviceToHost);
  printf("%d %d\n", h, counted);
  cudaEventDestroy(produced);
  cudaStreamDestroy(stream);
  cudaFree(a);
  cudaFree(sum);
  cudaFree(counter);
  cudaFree(flag);
}
