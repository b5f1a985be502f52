// Each block of a cluster stores into its neighbour's shared memory.
// FAULT: __syncthreads() where the barrier of the cluster is meant: the neighbour may not have stored yet.
#include <cooperative_groups.h>
#include <cstdio>
namespace cg = cooperative_groups;
__global__ void __cluster_dims__(4) pass_on(int* out) {
  __shared__ int line[64];
  auto cluster = cg::this_cluster();
  const int t = threadIdx.x;
  line[t] = 0;
  cluster.sync();
  int* next = cluster.map_shared_rank(line, (cluster.block_rank() + 1) % 4);
  next[t] = blockIdx.x;
#ifdef SOUND
  cluster.sync();
#else
  __syncthreads();
#endif
  out[64 * blockIdx.x + t] = line[63 - t];
  cluster.sync();
}
int main() {
  int *d, h[512];
  cudaMalloc(&d, sizeof h);
  pass_on<<<8, 64>>>(d);
  printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
  cudaFree(d);
}
