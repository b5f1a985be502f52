// FAULT: two teams of two warps have one named barrier, which counts whoever comes first.
// RIGHT: check names the line and both warps' arrivals there.
#include <cooperative_groups.h>
#include <cuda/barrier>
#include <cstdio>

__device__ void meet(int id) {
  asm volatile("bar.sync %0, 64;" ::"r"(id) : "memory");
}

__global__ void rotate(int* out) {
  __shared__ int s[128];
  const int t = threadIdx.x, team = t / 64;
#if defined TURNS  // one team after the other
  const int id = 1;
  for (int turn = 0; turn < 2; ++turn) {
    if (turn == team) {
      s[t] = t;
      meet(id);
      out[t] = s[t ^ 63];
      meet(id);
    }
    __syncthreads();
  }
#elif defined HANDED_ON  // by an mbarrier
  __shared__ cuda::barrier<cuda::thread_scope_block> bar;
  if (t == 0) init(&bar, 128);
  __syncthreads();
  const int id = 1;
  if (team == 1) bar.arrive_and_wait();
  s[t] = t;
  meet(id);
  out[t] = s[t ^ 63];
  if (team == 0) (void)bar.arrive();
#else
#if defined SOUND
  const int id = 1 + team;
#elif defined SIXTEENTH  // one that no block has
  const int id = 15 + team;
#else
  const int id = 1;
#endif
  for (int turn = 0; turn < 3; ++turn) {
    s[t] = t + turn;
    meet(id);
    out[t] = s[t ^ 63];
    meet(id);
  }
#endif
}

// Warp 2 comes to barrier 1 only when warp 0 has told it that warp 1 was there.
__global__ void chain(int* out) {
  const int warp = threadIdx.x / 32;
  if (warp != 2) meet(1);
  if (warp != 1) meet(2);
  if (warp != 0) meet(1);
  out[threadIdx.x] = warp;
}

int main() {
  int h[128], *out;
  cudaMalloc(&out, sizeof h);
#ifdef CHAIN
  chain<<<1, 96>>>(out);
#else
  rotate<<<1, 128>>>(out);
#endif
  cudaDeviceSynchronize();
  cudaFree(out);
}
