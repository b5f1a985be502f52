// SPDX-License-Identifier: MIT
#include "common/launch.cuh"
#include "common/ptx/cluster.cuh"
#include "common/ptx/flag.cuh"
#include "tests/emulator/async_probes.hpp"

namespace ladder::probe_kernels {

using namespace ladder::ptx;

/// Each block waits for the next one, and the last for nobody: sums block numbers from the end.
__global__ void sum_from_the_last(unsigned* flags, int* sums) {
  __shared__ int behind;
  const unsigned next = blockIdx.x + 1;
  if (threadIdx.x == 0) {
    behind = 0;
    if (next < gridDim.x) {
      while (load_acquire(&flags[next]) == 0) {
      }
      behind = sums[next];
    }
  }
  __syncthreads();
  if (threadIdx.x == blockDim.x - 1) {
    sums[blockIdx.x] = behind + static_cast<int>(blockIdx.x);
    store_release(&flags[blockIdx.x], 1);
  }
}

/// A barrier of the whole grid, `rounds` times: counts who is ahead.
__global__ void meet_as_grid(int rounds, unsigned* arrived, unsigned* phase, int* out) {
  extern __shared__ int kept[];
  kept[threadIdx.x] = 0;
  for (int round = 0; round < rounds; ++round) {
    kept[threadIdx.x] += static_cast<int>(blockIdx.x);
    __syncthreads();
    if (threadIdx.x == 0) {
      if (atomicAdd(arrived, 1u) + 1 == gridDim.x * (round + 1)) {
        store_release(phase, static_cast<unsigned>(round + 1));
      }
      while (load_acquire(phase) < static_cast<unsigned>(round + 1)) {
      }
    }
    __syncthreads();
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = kept[threadIdx.x];
}

/// Like sum_from_the_last, with an atomic in the loop that waits.
__global__ void wait_by_atomic(int* flags, int* order) {
  const unsigned next = blockIdx.x + 1;
  if (next < gridDim.x) {
    while (atomicAdd(&flags[next], 0) == 0) {
    }
  }
  order[blockIdx.x] = next < gridDim.x ? order[next] + 1 : 0;
  __threadfence();
  atomicExch(&flags[blockIdx.x], 1);
}

/// Looks at a flag a thousand times and goes on without it.
__global__ void look_and_go_on(const unsigned* flag, int* out) {
  int looks = 0;
  while (looks < 3000 && load_acquire(flag) == 0)
    ++looks;
  *out = looks;
}

__global__ void wait_for_ever(const unsigned* flag) {
  if (threadIdx.x % 2 == 0) {
    while (load_acquire(flag) == 0) {  // a flag that nobody sets
    }
  }
  __syncthreads();  // behind the flag
}

/// Waits for somebody outside of the grid, while the block's other threads wait for this one.
__global__ void wait_for_another_process(const unsigned* flag, const int* theirs, int* out) {
  if (threadIdx.x == 0) {
    while (load_acquire_system(flag) == 0) {  // another process sets it
    }
  }
  __syncthreads();
  out[blockIdx.x * blockDim.x + threadIdx.x] = *theirs;
}

/// The block after this one never starts: the grid is larger than the GPU.
__global__ void wait_for_the_last(unsigned* flag) {
  if (blockIdx.x + 1 == gridDim.x) store_release(flag, 1);
  while (load_acquire(flag) == 0) {  // the last block sets it
  }
}

// -- Clusters ------------------------------------------------------------------------------------

__global__ void write_ranks(unsigned* out) {
  out[blockIdx.x] = cluster_rank();
}

/// Each block reads what the next of its cluster has written, `rounds` times.
__global__ void rotate_in_cluster(int rounds, int cluster, int* out) {
  __shared__ int slot[2][32];
  int value = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const unsigned next = (cluster_rank() + 1) % static_cast<unsigned>(cluster);
  for (int round = 0; round < rounds; ++round) {
    slot[round % 2][threadIdx.x] = value;
    cluster_sync();
    value = in_block(slot[round % 2], next)[threadIdx.x];
  }
  cluster_sync();
  out[blockIdx.x * blockDim.x + threadIdx.x] = value;
}

__global__ void map_beyond_cluster() {
  __shared__ int slot;
  *in_block(&slot, 2) = 1;  // a third block of two
}

__global__ void read_after_leaving(unsigned* flag) {
  __shared__ int slot;
  slot = 1;
  if (cluster_rank() == 1) {
    store_release(flag, 1);  // blocks of a cluster take turns: this one leaves before its ends
    return;
  }
  while (load_acquire(flag) == 0) {
  }
  *flag = static_cast<unsigned>(*in_block(&slot, 1));  // its owner has left
}

__global__ void leave_before_cluster_sync() {
  if (threadIdx.x == 5) return;
  cluster_sync();  // not all threads come
}

__global__ void one_block_leaves() {
  if (cluster_rank() == 1) return;
  cluster_sync();  // the other block has left
}

}  // namespace ladder::probe_kernels

namespace ladder::probes {

namespace kernels = probe_kernels;

void sum_from_the_last(unsigned blocks, unsigned* flags, int* sums) {
  launch(kernels::sum_from_the_last, {.grid = dim3(blocks), .block = dim3(64)}, flags, sums);
}

void meet_as_grid(unsigned blocks, int rounds, unsigned* arrived, unsigned* phase, int* out,
                  std::size_t shared_bytes) {
  launch(kernels::meet_as_grid,
         {.grid = dim3(blocks),
          .block = dim3(64),
          .dynamic_shared_bytes = shared_bytes,
          .cooperative = true},
         rounds, arrived, phase, out);
}

void meet_as_clusters(unsigned blocks, int rounds, unsigned* arrived, unsigned* phase, int* out) {
  launch(kernels::meet_as_grid,
         {.grid = dim3(blocks),
          .block = dim3(1024),
          .dynamic_shared_bytes = 1024 * sizeof(int),
          .cluster = 2,
          .cooperative = true},
         rounds, arrived, phase, out);
}

void wait_by_atomic(unsigned blocks, int* flags, int* order) {
  launch(kernels::wait_by_atomic, {.grid = dim3(blocks), .block = dim3(1)}, flags, order);
}

void look_and_go_on(const unsigned* flag, int* out) {
  launch(kernels::look_and_go_on, {.grid = dim3(1), .block = dim3(1)}, flag, out);
}

void wait_for_ever(unsigned blocks, const unsigned* flag) {
  launch(kernels::wait_for_ever, {.grid = dim3(blocks), .block = dim3(64)}, flag);
}

void wait_for_another_process(unsigned blocks, const unsigned* flag, const int* theirs, int* out) {
  launch(kernels::wait_for_another_process, {.grid = dim3(blocks), .block = dim3(64)}, flag, theirs,
         out);
}

void wait_for_the_last(unsigned blocks, unsigned threads, unsigned* flag) {
  launch(kernels::wait_for_the_last, {.grid = dim3(blocks), .block = dim3(threads)}, flag);
}

int count_multiprocessors() {
  return multiprocessors();
}

void write_ranks(unsigned blocks, unsigned cluster, unsigned* out) {
  launch(kernels::write_ranks, {.grid = dim3(blocks), .block = dim3(1), .cluster = cluster}, out);
}

void rotate_in_cluster(unsigned blocks, unsigned cluster, int rounds, int* out) {
  launch(kernels::rotate_in_cluster, {.grid = dim3(blocks), .block = dim3(32), .cluster = cluster},
         rounds, static_cast<int>(cluster), out);
}

void map_beyond_cluster() {
  launch(kernels::map_beyond_cluster, {.grid = dim3(2), .block = dim3(1), .cluster = 2});
}

void read_after_leaving(unsigned* flag) {
  launch(kernels::read_after_leaving, {.grid = dim3(2), .block = dim3(1), .cluster = 2}, flag);
}

void leave_before_cluster_sync() {
  launch(kernels::leave_before_cluster_sync, {.grid = dim3(2), .block = dim3(32), .cluster = 2});
}

void one_block_leaves() {
  launch(kernels::one_block_leaves, {.grid = dim3(2), .block = dim3(32), .cluster = 2});
}

}  // namespace ladder::probes
