// FAULT: no barrier between the initialisation of an mbarrier and its use by another warp.
// RIGHT: check names the use and the line of init().
#include <cooperative_groups.h>
#include <cuda/barrier>
#include <cstdio>
using Barrier = cuda::barrier<cuda::thread_scope_block>;
namespace cg = cooperative_groups;

__global__ void reverse(int* out) {
  __shared__ int s[64];
  const int t = threadIdx.x;
#if defined ONE_WARP  // each warp uses its own, and a warp is in order with itself
  __shared__ Barrier bars[2];
  Barrier& bar = bars[t / 32];
  if (t % 32 == 0) init(&bar, 32);
  __syncwarp();
  const int from = t ^ 31;
#else
  __shared__ Barrier bar;
#if defined FLAG
  __shared__ volatile int ready;
  if (t == 0) ready = 0;
  __syncthreads();
#endif
  if (t == 0) init(&bar, 64);
  const int from = 63 - t;
#endif
#if defined SOUND
  cg::this_thread_block().sync();
#elif defined NAMED
  asm volatile("bar.sync 3, 64;" ::: "memory");
#elif defined CLUSTER
  cg::this_cluster().sync();
#elif defined FLAG
  __threadfence_block();
  if (t == 0) ready = 1;
  if (t >= 32) {
    while (ready == 0) {}
    __threadfence_block();
  }
#elif defined FENCE  // waits for nobody
  __threadfence_block();
#endif
  s[t] = t;
  bar.arrive_and_wait();
  out[t] = s[from];
}

// Memory that was an mbarrier is one again, when all have left it.
__global__ void twice(int* out) {
  __shared__ __align__(8) unsigned char bytes[sizeof(Barrier)];
  const int t = threadIdx.x;
  Barrier& bar = *reinterpret_cast<Barrier*>(bytes);
  for (int round = 0; round < 2; ++round) {
    if (t == 32 * round) init(&bar, 64);
    __syncthreads();
    bar.arrive_and_wait();
    __syncthreads();
    if (t < 8) bytes[t] = 0;
    __syncthreads();
  }
  out[t] = bytes[t % 8];
}

int main() {
  int h[64], *out;
  cudaMalloc(&out, sizeof h);
#ifdef TWICE
  twice<<<1, 64>>>(out);
#else
  reverse<<<1, 64>>>(out);
#endif
  cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost);
  printf("%d\n", h[1]);
  cudaFree(out);
}
