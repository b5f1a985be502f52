// SPDX-License-Identifier: MIT
#include "tests/common/ptx/ptx_probes.hpp"

#include "common/launch.cuh"
#include "common/ptx/cluster.cuh"
#include "common/ptx/dependent_launch.cuh"
#include "common/ptx/fence.cuh"
#include "common/ptx/ldmatrix.cuh"
#include "common/ptx/named_barrier.cuh"
#include "common/ptx/tma.cuh"

namespace ladder::ptx_kernels {

using namespace ladder::ptx;
using bf16 = __nv_bfloat16;

__global__ void store_box(const __grid_constant__ TensorMap map, int bytes, int row, int column,
                          const unsigned char* raw, int way) {
  extern __shared__ __align__(1024) unsigned char shared[];
  for (int i = threadIdx.x; i < bytes; i += blockDim.x)
    shared[i] = raw[i];
  fence_proxy_async();
  __syncthreads();
  if (threadIdx.x != 0) return;
  if (way == 0) tma_store(map, row, column, shared);
  if (way == 1) tma_store(map, row, column, shared, l2_policy<CacheHint::l2_evict_first>());
  if (way == 2) tma_store(map, row, column, shared, l2_policy<CacheHint::l2_evict_last>());
  tma_store_commit();
  tma_store_wait_read<0>();
}

constexpr int kTileRows = 32;
constexpr int kTileColumns = 64;
constexpr int kBuffers = 3;

/// One thread does it all.
__global__ void copy_in_ring(const __grid_constant__ TensorMap from,
                             const __grid_constant__ TensorMap to, int tiles) {
  __shared__ __align__(1024) bf16 buffers[kBuffers][kTileRows][kTileColumns];
  __shared__ Mbarrier full[kBuffers];
  const L2Policy first = l2_policy<CacheHint::l2_evict_first>();
  const L2Policy last = l2_policy<CacheHint::l2_evict_last>();
  for (int i = 0; i < kBuffers; ++i)
    mbarrier_init(&full[i], 1);
  fence_mbarrier_init();
  for (int tile = 0; tile < tiles; ++tile) {
    const int buffer = tile % kBuffers;
    tma_store_wait_read<kBuffers - 1>();
    mbarrier_arrive_expect(&full[buffer], sizeof buffers[0]);
    tma_load(buffers[buffer], from, tile * kTileRows, 0, &full[buffer], first);
    mbarrier_wait(&full[buffer], tile / kBuffers % 2);
    tma_store(to, tile * kTileRows, 0, buffers[buffer], last);
    tma_store_commit();
  }
  tma_store_wait<0>();
}

constexpr int kPartRows = 8;
constexpr int kPartColumns = 64;
constexpr int kMostBlocks = 4;

__global__ void exchange_boxes(const __grid_constant__ TensorMap from, unsigned mask, int rounds,
                               float* out) {
  __shared__ __align__(128) float parts[kMostBlocks][kPartRows][kPartColumns];
  __shared__ Mbarrier full;
  __shared__ Mbarrier empty;
  const int blocks = static_cast<int>(cluster_size());
  const int rank = static_cast<int>(cluster_rank());
  const bool receives = (mask >> rank & 1) != 0;
  const int elements = blocks * kPartRows * kPartColumns;
  for (int i = threadIdx.x; i < elements; i += 32)
    (&parts[0][0][0])[i] = -1;
  if (threadIdx.x == 0) {
    mbarrier_init(&full, 1);
    mbarrier_init(&empty, __popc(mask));
    fence_mbarrier_init();
  }
  fence_proxy_async();
  cluster_sync();
  for (int round = 0; round < rounds; ++round) {
    if (threadIdx.x == 0) {
      if (receives) mbarrier_arrive_expect(&full, blocks * static_cast<int>(sizeof parts[0]));
      if (round > 0) mbarrier_wait(&empty, (round - 1) % 2);
      tma_load_multicast(parts[rank], from, (round * blocks + rank) * kPartRows, 0, &full, mask);
    }
    __syncwarp();
    if (receives) mbarrier_wait(&full, round % 2);
    for (int i = threadIdx.x; i < elements; i += 32)
      out[(rank * rounds + round) * elements + i] = (&parts[0][0][0])[i];
    __syncwarp();
    // Each sender is told that this block has emptied the buffer.
    if (receives && static_cast<int>(threadIdx.x) < blocks) {
      mbarrier_arrive_in_block(&empty, threadIdx.x);
    }
  }
  cluster_sync();
}

template <bool transposed>
__global__ void store_tiles(const unsigned* in, const int* places, unsigned short* memory) {
  __shared__ __align__(16) unsigned short shared[2048];
  for (int i = threadIdx.x; i < 2048; i += 32)
    shared[i] = 0;
  __syncwarp();
  unsigned words[4];
  for (int i = 0; i < 4; ++i)
    words[i] = in[4 * threadIdx.x + i];
  stmatrix<transposed>(&shared[places[threadIdx.x]], words);
  __syncwarp();
  for (int i = threadIdx.x; i < 2048; i += 32)
    memory[i] = shared[i];
}

__global__ void rotate_with_split_barrier(int rounds, int* out) {
  __shared__ int slot[2][32];
  const unsigned next = (cluster_rank() + 1) % cluster_size();
  int value = static_cast<int>(blockIdx.x * 32 + threadIdx.x);
  for (int round = 0; round < rounds; ++round) {
    slot[round % 2][threadIdx.x] = value;
    cluster_arrive();
    out[blockIdx.x * 32 + threadIdx.x] = -round;  // there is time to do something else
    cluster_wait();
    value = in_block(slot[round % 2], next)[threadIdx.x];
  }
  cluster_sync();
  out[blockIdx.x * 32 + threadIdx.x] = value;
}

__global__ void rotate_in_groups(int rounds, int* out) {
  constexpr int kGroup = 64;
  __shared__ int slot[2][16 * kGroup];
  const int group = threadIdx.x / kGroup;
  int value = threadIdx.x;
  for (int round = 0; round < rounds * (group + 1); ++round) {  // not all as often
    slot[round % 2][threadIdx.x] = value;
    barrier_sync<kGroup>(group + 1);
    value = slot[round % 2][group * kGroup + (threadIdx.x + 1) % kGroup];
  }
  out[threadIdx.x] = value;
}

__global__ void write_numbers(int* numbers) {
  launch_dependents();
  numbers[blockIdx.x * blockDim.x + threadIdx.x] = blockIdx.x * blockDim.x + threadIdx.x;
}

__global__ void triple_numbers(const int* numbers, int* out) {
  wait_for_previous_kernel();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = 3 * numbers[i];
}

}  // namespace ladder::ptx_kernels

namespace ladder::ptx_probes {

namespace kernels = ptx_kernels;
using ptx::make_tensor_map;
using ptx::Swizzle;

namespace {

template <class T>
void store(const BoxOf<T>& box, const unsigned char* raw, int way) {
  const int bytes = box.rows * box.columns * static_cast<int>(sizeof(T));
  launch(
      kernels::store_box,
      {.grid = dim3(1), .block = dim3(64), .dynamic_shared_bytes = static_cast<std::size_t>(bytes)},
      make_tensor_map(box.matrix, box.matrix_rows, box.matrix_columns, box.rows, box.columns,
                      box.swizzle),
      bytes, box.row, box.column, raw, way);
}

}  // namespace

void store_box(const BoxOf<float>& box, const unsigned char* raw, int way) {
  store(box, raw, way);
}
void store_box(const BoxOf<bfloat16>& box, const unsigned char* raw, int way) {
  store(box, raw, way);
}

void copy_in_ring(const bfloat16* from, int tiles, bfloat16* to) {
  const auto map = [&](const bfloat16* matrix) {
    return make_tensor_map(matrix, tiles * kernels::kTileRows, kernels::kTileColumns,
                           kernels::kTileRows, kernels::kTileColumns, Swizzle::rows_of_128);
  };
  launch(kernels::copy_in_ring, {.grid = dim3(1), .block = dim3(1)}, map(from), map(to), tiles);
}

void exchange_boxes(const float* from, unsigned cluster, unsigned mask, int rounds, float* out) {
  const int rows = kernels::kPartRows * static_cast<int>(cluster) * rounds;
  launch(
      kernels::exchange_boxes, {.grid = dim3(cluster), .block = dim3(32), .cluster = cluster},
      make_tensor_map(from, rows, kernels::kPartColumns, kernels::kPartRows, kernels::kPartColumns),
      mask, rounds, out);
}

void store_tiles(bool transposed, const unsigned* words, const int* places,
                 unsigned short* memory) {
  const LaunchShape shape = {.grid = dim3(1), .block = dim3(32)};
  if (transposed) {
    launch(kernels::store_tiles<true>, shape, words, places, memory);
  } else {
    launch(kernels::store_tiles<false>, shape, words, places, memory);
  }
}

void rotate_with_split_barrier(unsigned blocks, unsigned cluster, int rounds, int* out) {
  launch(kernels::rotate_with_split_barrier,
         {.grid = dim3(blocks), .block = dim3(32), .cluster = cluster}, rounds, out);
}

void rotate_in_groups(int groups, int rounds, int* out) {
  launch(kernels::rotate_in_groups,
         {.grid = dim3(1), .block = dim3(64 * static_cast<unsigned>(groups))}, rounds, out);
}

void write_and_triple(unsigned blocks, int* numbers, int* out) {
  const LaunchShape shape = {.grid = dim3(blocks), .block = dim3(128)};
  LaunchShape overlapping = shape;
  overlapping.overlaps_previous = true;
  launch(kernels::write_numbers, shape, numbers);
  launch(kernels::triple_numbers, overlapping, numbers, out);
}

}  // namespace ladder::ptx_probes
