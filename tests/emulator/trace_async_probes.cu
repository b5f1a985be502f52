// SPDX-License-Identifier: MIT
// Pipelines whose copies nobody waits for at once, and kernels that order warps without
// __syncthreads(): sound, and wrong in one way each. Comments at the end of a line are the names by
// which tests find the line.
#include <cuda_pipeline.h>

#include "common/launch.cuh"
#include "common/ptx/cluster.cuh"
#include "common/ptx/cp_async.cuh"
#include "common/ptx/fence.cuh"
#include "common/ptx/mbarrier.cuh"
#include "common/ptx/named_barrier.cuh"
#include "common/ptx/tma.cuh"
#include "common/ptx/wgmma.cuh"
#include "tests/emulator/trace_probes.hpp"

namespace ladder::trace_async_kernels {

using trace_probes::AsyncFault;
using trace_probes::ProductFault;

// -- cp.async -----------------------------------------------------------------------------------

/// 64 threads sum tiles of 64 floats; three buffers, two tiles ahead.
template <AsyncFault kFault>
__global__ void staged_copy(int tiles, const float* in, float* out) {
  constexpr int kStages = 3;
  constexpr int kTile = 64;
  extern __shared__ float stages[];
  const int t = threadIdx.x;
  const auto fetch = [&](int tile) {
    if (tile < tiles) {
      ptx::cp_async_4(&stages[tile % kStages * kTile + t], &in[tile * kTile + t], true);  // fetch
    }
    ptx::cp_async_commit();
  };
  fetch(0);
  fetch(1);
  float sum = 0.0f;
  for (int tile = 0; tile < tiles; ++tile) {
    if (kFault == AsyncFault::kNone) ptx::cp_async_wait<kStages - 2>();
    if (kFault == AsyncFault::kWaitsForTooFew) ptx::cp_async_wait<kStages - 1>();
    if (kFault == AsyncFault::kNoBarrier) ptx::cp_async_wait<0>();
    if (kFault == AsyncFault::kFillsTooEarly) {
      ptx::cp_async_wait<kStages - 2>();
      fetch(tile + 2);
      fetch(tile + 3);  // too early
    }
    if (kFault != AsyncFault::kNoBarrier) __syncthreads();
    sum += stages[tile % kStages * kTile + kTile - 1 - t];  // read tile
    if (kFault != AsyncFault::kFillsTooEarly) fetch(tile + 2);
  }
  out[t] = sum;
}

/// Clears a tile that is being copied to.
__global__ void clear_in_flight(const float* in, float* out) {
  __shared__ float tile[32];
  ptx::cp_async_4(&tile[threadIdx.x], &in[threadIdx.x], true);  // copy to clear
  ptx::cp_async_commit();
  tile[threadIdx.x] = 0.0f;  // clear
  ptx::cp_async_wait<0>();
  out[threadIdx.x] = tile[threadIdx.x];
}

/// A warp's copies of 4 or 16 bytes: lanes from `inside` on bring zeros.
template <int kFloats>
__global__ void copy_with_stride(int inside, int stride, const float* in, float* out) {
  extern __shared__ __align__(16) float target[];
  const int t = threadIdx.x;
  float* const to = &target[t * stride * kFloats];
  if (kFloats == 4) {
    ptx::cp_async_16(to, &in[t * kFloats], t < inside);  // copy 16 bytes
  } else {
    ptx::cp_async_4(to, &in[t * kFloats], t < inside);  // copy 4 bytes
  }
  ptx::cp_async_commit();
  ptx::cp_async_wait<0>();
  out[t] = to[0];
}

/// Eight lanes copy 16 bytes each, and fill with zeros what lies beyond the elements.
__global__ void copy_in_part(int elements, const float* in, float* out) {
  __shared__ __align__(16) float target[32];
  const int first = 4 * threadIdx.x;
  const int inside = min(max(elements - first, 0), 4);
  __pipeline_memcpy_async(&target[first], &in[first], 16, 16 - 4 * inside);  // copy in part
  __pipeline_commit();
  __pipeline_wait_prior(0);
  out[threadIdx.x] = target[first] + target[first + 1] + target[first + 2] + target[first + 3];
}

// -- TMA and mbarriers --------------------------------------------------------------------------

/// Warp 0 brings boxes of (4, 32), warps 1 and 2 sum their elements; two slices.
struct __align__(128) Slice {
  float box[4][32];
  ptx::Mbarrier full;
  ptx::Mbarrier empty;
};

template <AsyncFault kFault>
__global__ void boxes(const __grid_constant__ ptx::TensorMap map, int tiles, float* out) {
  constexpr int kSlices = 2;
  extern __shared__ __align__(128) unsigned char shared[];
  auto* const slices = reinterpret_cast<Slice*>(shared);
  const int warp = threadIdx.x / 32;
  const int lane = threadIdx.x % 32;
  if (threadIdx.x == 0) {
    for (int s = 0; s < kSlices; ++s) {
      ptx::mbarrier_init(&slices[s].full, 1);
      ptx::mbarrier_init(&slices[s].empty, 2);
    }
    ptx::fence_mbarrier_init();
  }
  __syncthreads();
  if (warp == 0) {
    if (lane != 0) return;
    for (int tile = 0; tile < tiles; ++tile) {
      Slice& slice = slices[tile % kSlices];
      if (kFault != AsyncFault::kFillsTooEarly) {
        ptx::mbarrier_wait(&slice.empty, (tile / kSlices + 1) % 2);
      }
      ptx::mbarrier_arrive_expect(&slice.full, sizeof slice.box);
      ptx::tma_load(slice.box, map, 4 * tile, 0, &slice.full);  // bring box
      if (kFault == AsyncFault::kFillsTooEarly && tile % kSlices == kSlices - 1) {
        ptx::mbarrier_wait(&slice.full, tile / kSlices % 2);
      }
    }
    return;
  }
  float sum = 0.0f;
  for (int tile = 0; tile < tiles; ++tile) {
    Slice& slice = slices[tile % kSlices];
    if (kFault == AsyncFault::kWaitsForTooFew) {
      ptx::mbarrier_wait(&slices[0].full, tile / kSlices % 2);
    } else {
      ptx::mbarrier_wait(&slice.full, tile / kSlices % 2);
    }
    if (kFault == AsyncFault::kArrivesTooEarly && lane == 0) ptx::mbarrier_arrive(&slice.empty);
    for (int row = 0; row < 4; ++row)
      sum += slice.box[row][31 - lane];  // read box
    __syncwarp();
    if (kFault != AsyncFault::kArrivesTooEarly && lane == 0) ptx::mbarrier_arrive(&slice.empty);
  }
  out[threadIdx.x] = sum;
}

/// Warp 0 stores tiles of 32 floats, warp 1 reads them; one slice.
template <AsyncFault kFault>
__global__ void stored_tiles(int tiles, const float* in, float* out) {
  __shared__ float tile[32];
  __shared__ ptx::Mbarrier full;
  __shared__ ptx::Mbarrier empty;
  const int lane = threadIdx.x % 32;
  if (threadIdx.x == 0) {
    ptx::mbarrier_init(&full, 32);
    ptx::mbarrier_init(&empty, 32);
    ptx::fence_mbarrier_init();
  }
  __syncthreads();
  float sum = 0.0f;
  for (int i = 0; i < tiles; ++i) {
    if (threadIdx.x < 32) {
      if (kFault == AsyncFault::kFillsTooEarly) {
        ptx::mbarrier_wait(&full, (i + 1) % 2);
      } else {
        ptx::mbarrier_wait(&empty, (i + 1) % 2);
      }
      if (kFault == AsyncFault::kArrivesTooEarly) ptx::mbarrier_arrive(&full);
      tile[lane] = in[32 * i + lane];  // fill tile
      if (kFault != AsyncFault::kArrivesTooEarly) ptx::mbarrier_arrive(&full);
    } else {
      if (kFault == AsyncFault::kWaitsForTooFew) {
        ptx::mbarrier_wait(&empty, (i + 1) % 2);
      } else {
        ptx::mbarrier_wait(&full, i % 2);
      }
      sum += tile[31 - lane];  // read stored tile
      ptx::mbarrier_arrive(&empty);
    }
  }
  if (threadIdx.x >= 32) out[lane] = sum;
}

/// A box over what threads have cleared.
template <bool kFenced>
__global__ void box_over_stores(const __grid_constant__ ptx::TensorMap map, float* out) {
  __shared__ Slice slice;
  const int t = threadIdx.x;
  if (t == 0) {
    ptx::mbarrier_init(&slice.full, 1);
    ptx::fence_mbarrier_init();
  }
  for (int row = 0; row < 4; ++row)
    slice.box[row][t] = 0.0f;  // clear box
  if (kFenced) ptx::fence_proxy_async();
  __syncthreads();
  if (t == 0) {
    ptx::mbarrier_arrive_expect(&slice.full, sizeof slice.box);
    ptx::tma_load(slice.box, map, 0, 0, &slice.full);  // box over stores
  }
  ptx::mbarrier_wait(&slice.full, 0);
  out[t] = slice.box[0][t];
}

/// A product of what threads have stored: all ones.
__global__ void product_of_stores(ProductFault fault, float* out) {
  constexpr int kWords = 2048;  // 64 x 64 of BF16
  constexpr unsigned kOnes = 0x3F803F80;
  __shared__ __align__(1024) unsigned ones[kWords];
  if (fault != ProductFault::kNoStores) {
    for (int i = threadIdx.x; i < kWords; i += blockDim.x)
      ones[i] = kOnes;  // store factor
  }
  if (fault != ProductFault::kNoFence) ptx::fence_proxy_async();
  __syncthreads();
  const auto factor = ptx::matrix_descriptor(ones, 16, 1024, ptx::Swizzle::rows_of_128);
  float sums[32] = {};
  ptx::wgmma_fence();
  ptx::wgmma<64>(sums, factor, factor, true);  // multiply stores
  ptx::wgmma_commit();
  if (fault == ProductFault::kStoresTooEarly) ones[threadIdx.x] = 0;  // clear factor
  ptx::wgmma_wait<0>();
  if (threadIdx.x == 0) out[0] = sums[0];
}

/// One box at (row, column), summed.
__global__ void one_box(const __grid_constant__ ptx::TensorMap map, int row, int column,
                        float* out) {
  __shared__ Slice slice;
  if (threadIdx.x == 0) {
    ptx::mbarrier_init(&slice.full, 1);
    ptx::fence_mbarrier_init();
    ptx::mbarrier_arrive_expect(&slice.full, sizeof slice.box);
    ptx::tma_load(slice.box, map, row, column, &slice.full);  // one box
  }
  __syncthreads();
  ptx::mbarrier_wait(&slice.full, 0);
  out[threadIdx.x] = slice.box[0][threadIdx.x];
}

/// Warp 0 initialises the mbarrier, warp 1 brings a box that counts on it.
template <bool kOrdered>
__global__ void box_of_another_warp(const __grid_constant__ ptx::TensorMap map, float* out) {
  __shared__ Slice slice;
  const int t = threadIdx.x;
  if (t == 0) {
    ptx::mbarrier_init(&slice.full, 1);  // for another warp
    ptx::fence_mbarrier_init();
  }
  if (kOrdered) __syncthreads();
  if (t == 32) {
    ptx::mbarrier_arrive_expect(&slice.full, sizeof slice.box);  // arrive in another warp
    ptx::tma_load(slice.box, map, 0, 0, &slice.full);            // box of another warp
  }
  ptx::mbarrier_wait(&slice.full, 0);  // wait in another warp
  out[t] = slice.box[t / 32][t % 32];
}

// -- Named barriers -----------------------------------------------------------------------------

/// Two of four warps exchange a tile.
template <AsyncFault kFault>
__global__ void exchange_in_pairs(float* out) {
  __shared__ float tile[2][64];
  const int pair = threadIdx.x / 64;
  const int t = threadIdx.x % 64;
  tile[pair][t] = static_cast<float>(t);  // store for pair
  if (kFault == AsyncFault::kNone) {
    if (pair == 0) ptx::barrier_sync<1, 64>();
    if (pair == 1) ptx::barrier_sync<2, 64>();
  } else {
    if (threadIdx.x / 32 % 2 == 0) ptx::barrier_sync<1, 64>();  // the wrong pairs
    if (threadIdx.x / 32 % 2 == 1) ptx::barrier_sync<2, 64>();
  }
  out[threadIdx.x] = tile[pair][63 - t];  // read for pair
}

/// Each thread reads what another of its own warp stored, in turns; two warps.
template <AsyncFault kFault, bool kOfCluster>
__global__ void rotate_in_warps(float* out) {
  __shared__ float ring[64];
  const int t = threadIdx.x;
  const auto meet = [] {
    if (kFault != AsyncFault::kNone) return;
    if (kOfCluster) ptx::cluster_sync();
    if (!kOfCluster) ptx::barrier_sync<1, 64>();
  };
  ring[t] = static_cast<float>(t);
  for (int turn = 0; turn < 3; ++turn) {
    meet();
    const float next = ring[t / 32 * 32 + (t + 1) % 32];  // read from warp
    meet();
    ring[t] = next;  // store for warp
  }
  out[64 * blockIdx.x + t] = ring[t];
}

/// Each block of a cluster of two copies what the other has stored.
__global__ void copy_from_peer(float* out) {
  __shared__ float mine[32];
  const int t = threadIdx.x;
  const int rank = ptx::cluster_rank();
  mine[t] = static_cast<float>(t + 32 * rank);
  ptx::cluster_sync();
  out[32 * rank + t] = ptx::in_block(mine, 1 - rank)[t];  // read from peer
  ptx::cluster_sync();
}

}  // namespace ladder::trace_async_kernels

namespace ladder::trace_probes {
namespace {

namespace kernels = trace_async_kernels;

constexpr std::size_t kSliceBytes = 2 * sizeof(kernels::Slice);

/// Starts the kernel that has the fault.
template <class Start>
void start_with(AsyncFault fault, Start start) {
  if (fault == AsyncFault::kNone) start.template operator()<AsyncFault::kNone>();
  if (fault == AsyncFault::kWaitsForTooFew)
    start.template operator()<AsyncFault::kWaitsForTooFew>();
  if (fault == AsyncFault::kNoBarrier) start.template operator()<AsyncFault::kNoBarrier>();
  if (fault == AsyncFault::kFillsTooEarly) start.template operator()<AsyncFault::kFillsTooEarly>();
  if (fault == AsyncFault::kArrivesTooEarly) {
    start.template operator()<AsyncFault::kArrivesTooEarly>();
  }
}

}  // namespace

void staged_copy(AsyncFault fault, unsigned blocks, int tiles, const float* in, float* out) {
  start_with(fault, [&]<AsyncFault kFault>() {
    launch(kernels::staged_copy<kFault>,
           {.grid = dim3(blocks), .block = dim3(64), .dynamic_shared_bytes = 3 * 64 * 4}, tiles, in,
           out);
  });
}

void clear_in_flight(const float* in, float* out) {
  launch(kernels::clear_in_flight, {.grid = dim3(1), .block = dim3(32)}, in, out);
}

void copy_with_stride(unsigned bytes, int lanes, int inside, int stride, const float* in,
                      float* out) {
  const LaunchShape shape = {.grid = dim3(1),
                             .block = dim3(static_cast<unsigned>(lanes)),
                             .dynamic_shared_bytes = 32u * static_cast<unsigned>(stride) * bytes};
  launch(bytes == 4 ? kernels::copy_with_stride<1> : kernels::copy_with_stride<4>, shape, inside,
         stride, in, out);
}

void copy_in_part(int elements, const float* in, float* out) {
  launch(kernels::copy_in_part, {.grid = dim3(1), .block = dim3(8)}, elements, in, out);
}

void boxes(AsyncFault fault, int tiles, const float* in, float* out) {
  const ptx::TensorMap map = ptx::make_tensor_map(in, 4 * tiles, 32, 4, 32);
  start_with(fault, [&]<AsyncFault kFault>() {
    launch(kernels::boxes<kFault>,
           {.grid = dim3(1), .block = dim3(96), .dynamic_shared_bytes = kSliceBytes}, map, tiles,
           out);
  });
}

void stored_tiles(AsyncFault fault, int tiles, const float* in, float* out) {
  start_with(fault, [&]<AsyncFault kFault>() {
    launch(kernels::stored_tiles<kFault>, {.grid = dim3(1), .block = dim3(64)}, tiles, in, out);
  });
}

void box_over_stores(bool fenced, const float* in, float* out) {
  const ptx::TensorMap map = ptx::make_tensor_map(in, 4, 32, 4, 32);
  launch(fenced ? kernels::box_over_stores<true> : kernels::box_over_stores<false>,
         {.grid = dim3(1), .block = dim3(32)}, map, out);
}

void product_of_stores(ProductFault fault, float* out) {
  launch(kernels::product_of_stores, {.grid = dim3(1), .block = dim3(128)}, fault, out);
}

void one_box(int rows, int columns, int row, int column, const float* in, float* out) {
  const ptx::TensorMap map = ptx::make_tensor_map(in, rows, columns, 4, 32);
  launch(kernels::one_box, {.grid = dim3(1), .block = dim3(32)}, map, row, column, out);
}

void box_of_another_warp(bool ordered, const float* in, float* out) {
  const ptx::TensorMap map = ptx::make_tensor_map(in, 8, 32, 4, 32);
  const auto kernel =
      ordered ? kernels::box_of_another_warp<true> : kernels::box_of_another_warp<false>;
  launch(kernel, {.grid = dim3(1), .block = dim3(64)}, map, out);
}

void exchange_in_pairs(AsyncFault fault, float* out) {
  start_with(fault, [&]<AsyncFault kFault>() {
    launch(kernels::exchange_in_pairs<kFault>, {.grid = dim3(1), .block = dim3(128)}, out);
  });
}

void rotate_in_warps(AsyncFault fault, bool of_cluster, float* out) {
  start_with(fault, [&]<AsyncFault kFault>() {
    if (of_cluster) {
      launch(kernels::rotate_in_warps<kFault, true>,
             {.grid = dim3(2), .block = dim3(64), .cluster = 2}, out);
    } else {
      launch(kernels::rotate_in_warps<kFault, false>, {.grid = dim3(2), .block = dim3(64)}, out);
    }
  });
}

void copy_from_peer(float* out) {
  launch(kernels::copy_from_peer, {.grid = dim3(2), .block = dim3(32), .cluster = 2}, out);
}

}  // namespace ladder::trace_probes
