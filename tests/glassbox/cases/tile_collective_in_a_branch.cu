// FAULT: four lanes of a tile of 16 call a collective, and the others are elsewhere.
// RIGHT: check names the call and where the others are.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cstdio>
namespace cg = cooperative_groups;

__global__ void sums(int* out) {
  const cg::thread_block block = cg::this_thread_block();
  const auto tile = cg::tiled_partition<16>(block);
  const int t = threadIdx.x;
  int v = t;
#if defined SOUND
  v = cg::reduce(tile, v, cg::plus<int>());
#elif defined OWN_GROUP
  if (tile.thread_rank() < 4) {
    const cg::coalesced_group four = cg::coalesced_threads();
    v = cg::reduce(four, v, cg::plus<int>());
  }
#elif defined BOTH  // a barrier of the tile may be in two lines
  if (tile.thread_rank() < 4) {
    tile.sync();
  } else {
    tile.sync();
  }
#elif defined LEFT  // CUDA does not wait for those that have left
  if (t >= 28) return;
  v = tile.any(t == 3);
#elif defined ANOTHER_CALL
  if (tile.thread_rank() < 4) v = tile.ballot(t % 2);
  v += tile.shfl(t, 0);
#elif defined COALESCED
  const cg::coalesced_group group = cg::coalesced_threads();
  if (group.thread_rank() < 4) group.sync();
  v = group.shfl(v, 0);
#else
  if (tile.thread_rank() < 4) v = cg::reduce(tile, v, cg::plus<int>());
#endif
#ifndef LEFT
  block.sync();
#endif
  out[t] = v;
}

int main() {
  int* out;
  cudaMalloc(&out, 32 * sizeof *out);
  sums<<<1, 32>>>(out);
  cudaDeviceSynchronize();
  cudaFree(out);
}
