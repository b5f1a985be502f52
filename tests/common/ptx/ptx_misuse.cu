// SPDX-License-Identifier: MIT
#include "tests/common/ptx/ptx_misuse.hpp"

#include "common/launch.cuh"
#include "common/ptx/cluster.cuh"
#include "common/ptx/fence.cuh"
#include "common/ptx/flag.cuh"
#include "common/ptx/ldmatrix.cuh"
#include "common/ptx/tma.cuh"

namespace ladder::ptx_misuse_kernels {

using namespace ladder::ptx;
using ptx_misuse::ClusterMisuse;
using ptx_misuse::StoreMisuse;

constexpr int kRows = 8;
constexpr int kColumns = 64;

__device__ bool is_one_of(ClusterMisuse misuse, ClusterMisuse a, ClusterMisuse b) {
  return misuse == a || misuse == b;
}

/// Block 1 does something to block 0, which waits for it at mbarriers, then both leave together.
__global__ void misuse_cluster(ClusterMisuse misuse, const __grid_constant__ TensorMap map,
                               unsigned* flag) {
  __shared__ __align__(128) float box[kRows][kColumns];
  __shared__ Mbarrier told;
  __shared__ Mbarrier sent;
  __shared__ Mbarrier last;
  __shared__ Mbarrier none;
  const bool acts = cluster_rank() == 1;
  if (threadIdx.x == 0) {
    mbarrier_init(&told, 1);  // make told
    mbarrier_init(&sent, 1);  // make sent
    mbarrier_init(&last, 1);
    fence_mbarrier_init();
  }
  __syncwarp();
  if (misuse == ClusterMisuse::kWaitsUnannounced) cluster_wait();  // not announced
  if (is_one_of(misuse, ClusterMisuse::kArrivesTooEarly, ClusterMisuse::kSendsTooEarly)) {
    // Block 1 comes later by a flag that says nothing about shared memory.
    if (threadIdx.x == 0 && !acts) store_release(flag, 1);
    while (acts && load_acquire(flag) == 0) {
    }
  } else {
    cluster_sync();
  }
  if (misuse == ClusterMisuse::kArrivesTwice) {
    cluster_arrive();
    cluster_arrive();  // again
  }
  if (threadIdx.x == 0 && acts) {
    if (misuse == ClusterMisuse::kArrivesBeyond) mbarrier_arrive_in_block(&told, 2);  // beyond
    if (misuse == ClusterMisuse::kArrivesWhereNoneIs)
      mbarrier_arrive_in_block(&none, 0);  // at none
    if (misuse == ClusterMisuse::kSendsToNobody)
      tma_load_multicast(box, map, 0, 0, &sent, 0);  // to nobody
    if (misuse == ClusterMisuse::kSendsBeyond)
      tma_load_multicast(box, map, 0, 0, &sent, 5);  // to a third
    while (misuse == ClusterMisuse::kArrivesAtOneThatLeft && load_acquire(flag) == 0) {
    }
    if (misuse != ClusterMisuse::kSendsTooEarly) mbarrier_arrive_in_block(&told, 0);  // tell
    if (misuse == ClusterMisuse::kArrivesTooOften)
      mbarrier_arrive_in_block(&told, 0);          // tell again
    tma_load_multicast(box, map, 0, 0, &sent, 1);  // send
    if (misuse == ClusterMisuse::kToldByALaterArrival)
      mbarrier_arrive_in_block(&last, 0);  // tell for the last time
  }
  if (threadIdx.x == 0 && !acts) {
    mbarrier_arrive_expect(&sent, sizeof box);
    const bool leaves = is_one_of(misuse, ClusterMisuse::kArrivesAtOneThatLeaves,
                                  ClusterMisuse::kArrivesAtOneThatLeft);
    const bool is_told = misuse != ClusterMisuse::kToldByALaterArrival && !leaves;
    if (is_told && misuse != ClusterMisuse::kArrivesTooOften) mbarrier_wait(&told, 0);
    if (misuse == ClusterMisuse::kToldByALaterArrival) mbarrier_wait(&last, 0);
    if (misuse != ClusterMisuse::kSendsToOneThatLeaves && !leaves) mbarrier_wait(&sent, 0);  // wait
  }
  if (is_one_of(misuse, ClusterMisuse::kArrivesAtOneThatLeft,
                ClusterMisuse::kArrivesAtOneThatLeaves) ||
      is_one_of(misuse, ClusterMisuse::kSendsToOneThatLeaves,
                ClusterMisuse::kToldByALaterArrival)) {
    if (threadIdx.x == 0 && !acts) store_release(flag, 1);
    return;
  }
  cluster_arrive();
  if (misuse == ClusterMisuse::kLeavesAfterArriving && threadIdx.x == 31) return;
  cluster_wait();
}

__global__ void send_twice(ptx_misuse::SendTwice how, const __grid_constant__ TensorMap map,
                           float* out) {
  using ptx_misuse::SendTwice;
  __shared__ __align__(128) float box[kRows][kColumns];
  __shared__ Mbarrier full[2];
  const bool sends = cluster_rank() == 1;
  if (threadIdx.x == 0) {
    mbarrier_init(&full[0], 1);
    mbarrier_init(&full[1], 1);
    fence_mbarrier_init();
  }
  cluster_sync();
  if (threadIdx.x == 0 && sends) tma_load_multicast(box, map, 0, 0, &full[0], 1);  // first
  if (threadIdx.x == 0 && !sends) {
    mbarrier_arrive_expect(&full[0], sizeof box);
    mbarrier_arrive_expect(&full[1], sizeof box);
  }
  __syncwarp();
  if (!sends && how != SendTwice::kUnawaited) {
    mbarrier_wait(&full[0], 0);
    out[threadIdx.x] = box[1][threadIdx.x];  // read
  }
  if (how != SendTwice::kTooEarly) cluster_sync();
  if (threadIdx.x == 0 && sends) tma_load_multicast(box, map, 0, 0, &full[1], 1);  // second
  if (!sends) {
    mbarrier_wait(&full[0], 0);
    mbarrier_wait(&full[1], 0);
  }
  cluster_sync();
}

constexpr int kBoxColumns = 32;

__global__ void misuse_store(StoreMisuse misuse, const __grid_constant__ TensorMap from,
                             const __grid_constant__ TensorMap to, int row, int column) {
  extern __shared__ __align__(1024) float dynamic_shared[];
  auto& box = *reinterpret_cast<float(*)[kRows][kBoxColumns]>(dynamic_shared);
  __shared__ Mbarrier full;
  if (threadIdx.x == 0) {
    mbarrier_init(&full, 1);
    fence_mbarrier_init();
  }
  const bool writes = misuse != StoreMisuse::kUninitialised &&
                      (misuse != StoreMisuse::kOutsideUnwritten || threadIdx.x < 16);
  for (int i = 0; i < kRows && writes; ++i)
    box[i][threadIdx.x] = 3;  // fill
  if (misuse != StoreMisuse::kNotFenced && misuse != StoreMisuse::kFencedByOne) fence_proxy_async();
  if (misuse != StoreMisuse::kNoBarrier) __syncthreads();
  if (misuse == StoreMisuse::kFencedByOne && threadIdx.x == 0) fence_proxy_async();
  if (threadIdx.x == 0) {
    const float* const source = misuse == StoreMisuse::kOddAddress     ? &box[0][4]
                                : misuse == StoreMisuse::kBeyondShared ? &box[1][0]
                                                                       : &box[0][0];
    tma_store(to, row, column, source);  // store
    if (misuse != StoreMisuse::kNotCommitted) tma_store_commit();
    if (misuse == StoreMisuse::kOverwrittenByBox) {
      mbarrier_arrive_expect(&full, sizeof box);
      tma_load(box, from, 0, 0, &full);  // bring
      mbarrier_wait(&full, 0);
    }
    if (misuse == StoreMisuse::kOverwritten) box[0][5] = 4;  // overwrite
    if (misuse != StoreMisuse::kNotAwaited) tma_store_wait_read<0>();
  }
  __syncthreads();
  box[1][threadIdx.x] = 5;  // it has been read
}

__global__ void store_twice(bool same, const __grid_constant__ TensorMap to) {
  __shared__ __align__(128) float box[kRows][kBoxColumns];
  for (int i = 0; i < kRows; ++i)
    box[i][threadIdx.x] = same ? 1.0f : static_cast<float>(blockIdx.x);
  fence_proxy_async();
  __syncthreads();
  if (threadIdx.x != 0) return;
  tma_store(to, 4 * static_cast<int>(blockIdx.x), 0, box);  // store twice
  tma_store_commit();
  tma_store_wait_read<0>();
}

__global__ void watch_store(const __grid_constant__ TensorMap to, const float* first, float* seen) {
  __shared__ __align__(128) float box[kRows][kBoxColumns];
  for (int i = 0; i < kRows; ++i)
    box[i][threadIdx.x] = 3;
  fence_proxy_async();
  __syncthreads();
  if (threadIdx.x != 0) return;
  tma_store(to, 0, 0, box);
  tma_store_commit();
  seen[0] = *first;
  tma_store_wait_read<0>();
  seen[1] = *first;
  tma_store_wait<0>();
  seen[2] = *first;
}

__global__ void store_matrix_tiles(bool swizzled, float* out) {
  __shared__ __align__(1024) unsigned short tiles[32][64];
  const int row = threadIdx.x;
  unsigned words[4] = {1, 2, 3, 4};
  stmatrix<false>(&tiles[row][swizzled ? row % 8 * 8 : 0], words);  // lay out
  __syncwarp();
  out[threadIdx.x] = tiles[row][swizzled ? row % 8 * 8 : 0];
}

}  // namespace ladder::ptx_misuse_kernels

namespace ladder::ptx_misuse {

namespace kernels = ptx_misuse_kernels;
using ptx::make_tensor_map;

void misuse_cluster(ClusterMisuse misuse, const float* from, unsigned* flag) {
  launch(
      kernels::misuse_cluster, {.grid = dim3(2), .block = dim3(32), .cluster = 2}, misuse,
      make_tensor_map(from, kernels::kRows, kernels::kColumns, kernels::kRows, kernels::kColumns),
      flag);
}

void send_twice(SendTwice how, const float* from, float* out) {
  launch(
      kernels::send_twice, {.grid = dim3(2), .block = dim3(32), .cluster = 2}, how,
      make_tensor_map(from, kernels::kRows, kernels::kColumns, kernels::kRows, kernels::kColumns),
      out);
}

void misuse_store(StoreMisuse misuse, int row, int column, const float* from, float* to, int rows,
                  int columns) {
  launch(kernels::misuse_store,
         {.grid = dim3(1),
          .block = dim3(32),
          .dynamic_shared_bytes = sizeof(float) * kernels::kRows * kernels::kBoxColumns},
         misuse,
         make_tensor_map(from, kernels::kRows, kernels::kBoxColumns, kernels::kRows,
                         kernels::kBoxColumns),
         make_tensor_map(to, rows, columns, kernels::kRows, kernels::kBoxColumns), row, column);
}

void store_twice(bool same, float* to) {
  launch(kernels::store_twice, {.grid = dim3(2), .block = dim3(32)}, same,
         make_tensor_map(to, 16, kernels::kBoxColumns, kernels::kRows, kernels::kBoxColumns));
}

void watch_store(float* to, float* seen) {
  launch(kernels::watch_store, {.grid = dim3(1), .block = dim3(32)},
         make_tensor_map(to, kernels::kRows, kernels::kBoxColumns, kernels::kRows,
                         kernels::kBoxColumns),
         to, seen);
}

void store_matrix_tiles(bool swizzled, float* out) {
  launch(kernels::store_matrix_tiles, {.grid = dim3(1), .block = dim3(32)}, swizzled, out);
}

}  // namespace ladder::ptx_misuse
