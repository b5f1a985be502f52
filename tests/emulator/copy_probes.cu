// SPDX-License-Identifier: MIT
#include <climits>

#include "common/launch.cuh"
#include "common/ptx/cp_async.cuh"
#include "common/ptx/fence.cuh"
#include "common/ptx/tma.cuh"
#include "tests/emulator/async_probes.hpp"

namespace ladder::probe_kernels {

using namespace ladder::ptx;

/// Thread i copies its `kVector` elements through shared memory; threads from `inside` on copy
/// zeros.
template <int kVector>
__global__ void copy_through_shared(int inside, const float* in, float* out) {
  __shared__ float tile[128 * kVector];
  const int first = kVector * static_cast<int>(threadIdx.x);
  const bool is_inside = static_cast<int>(threadIdx.x) < inside;
  if constexpr (kVector == 4) {
    cp_async_16(&tile[first], is_inside ? in + first : nullptr, is_inside);
  } else {
    cp_async_4(&tile[first], is_inside ? in + first : nullptr, is_inside);
  }
  cp_async_commit();
  cp_async_wait<0>();
  __syncthreads();
  const int mirrored = kVector * static_cast<int>(blockDim.x - 1 - threadIdx.x);
  for (int i = 0; i < kVector; ++i)
    out[first + i] = tile[mirrored + i];
}

/// What one thread finds in shared memory when 3, 2, 1 and no groups may be on their way.
__global__ void watch_groups_arrive(const float* in, float* out) {
  __shared__ float slot[4];
  const auto record = [&](int row) {
    for (int i = 0; i < 4; ++i)
      out[4 * row + i] = slot[i];
  };
  for (int i = 0; i < 4; ++i)
    slot[i] = -1;
  cp_async_4(&slot[0], in, true);
  cp_async_4(&slot[1], in + 1, true);
  cp_async_commit();
  cp_async_4(&slot[2], in + 2, true);
  cp_async_commit();
  cp_async_commit();  // an empty group counts
  cp_async_4(&slot[3], in + 3, true);
  record(0);
  cp_async_wait<3>();
  record(1);
  cp_async_wait<2>();
  record(2);
  cp_async_wait<1>();
  record(3);
  cp_async_wait<0>();
  record(4);  // what was not committed is still on its way
}

__global__ void copy_to_odd_address(const float* in) {
  __shared__ __align__(16) float slot[8];
  cp_async_16(&slot[1], in, true);  // to an odd address
}

__global__ void copy_from_odd_address(const float* in) {
  __shared__ __align__(16) float slot[8];
  cp_async_16(&slot[0], in + 1, true);  // from an odd address
}

__global__ void copy_to_global(const float* in, float* out) {
  cp_async_16(out, in, true);  // to global memory
}

__global__ void copy_beyond_shared(const float* in) {
  extern __shared__ __align__(128) float dynamic[];
  cp_async_16(&dynamic[4 * threadIdx.x], in, true);  // the launch gave one vector
}

__global__ void copy_from_null() {
  __shared__ __align__(16) float slot[4];
  cp_async_16(&slot[0], nullptr, true);  // from nowhere
}

/// Copies one box to `out`.
__global__ void copy_box(const __grid_constant__ TensorMap map, int row, int column, int elements,
                         float* out) {
  extern __shared__ __align__(128) float box[];
  __shared__ Mbarrier full;
  if (threadIdx.x == 0) {
    mbarrier_init(&full, 1);
    fence_mbarrier_init();
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    mbarrier_arrive_expect(&full, static_cast<int>(sizeof(float)) * elements);
    tma_load(box, map, row, column, &full);  // anywhere
  }
  mbarrier_wait(&full, 0);
  for (int i = threadIdx.x; i < elements; i += blockDim.x)
    out[i] = box[i];
}

/// A box byte by byte, as it lies in shared memory.
__global__ void copy_raw_box(const __grid_constant__ TensorMap map, int bytes, int row, int column,
                             unsigned char* out) {
  extern __shared__ __align__(1024) unsigned char raw[];
  __shared__ Mbarrier full;
  if (threadIdx.x == 0) {
    mbarrier_init(&full, 1);
    fence_mbarrier_init();
    mbarrier_arrive_expect(&full, bytes);
    tma_load(raw, map, row, column, &full);
  }
  __syncthreads();
  mbarrier_wait(&full, 0);
  for (int i = threadIdx.x; i < bytes; i += blockDim.x)
    out[i] = raw[i];
}

/// Reads a box before and after it has waited for it.
__global__ void read_box_too_early(const __grid_constant__ TensorMap map, float* out) {
  __shared__ __align__(128) float box[4];
  __shared__ Mbarrier full;
  box[0] = -1;
  mbarrier_init(&full, 1);
  fence_proxy_async();
  mbarrier_arrive_expect(&full, sizeof box);
  tma_load(box, map, 0, 0, &full);
  out[0] = box[0];
  mbarrier_wait(&full, 0);
  out[1] = box[0];
}

__global__ void copy_box_to_odd_address(const __grid_constant__ TensorMap map) {
  __shared__ __align__(128) float box[64];
  __shared__ Mbarrier full;
  mbarrier_init(&full, 1);
  tma_load(&box[16], map, 0, 0, &full);  // 64 bytes off
}

__global__ void copy_box_beyond_shared(const __grid_constant__ TensorMap map) {
  extern __shared__ __align__(128) float dynamic[];
  __shared__ Mbarrier full;
  mbarrier_init(&full, 1);
  tma_load(dynamic, map, 0, 0, &full);  // a byte too few
}

__global__ void copy_box_without_barrier(const __grid_constant__ TensorMap map) {
  __shared__ __align__(128) float box[4];
  __shared__ Mbarrier full;
  tma_load(box, map, 0, 0, &full);  // to a barrier that is none
}

__global__ void leave_before_box_arrives(const __grid_constant__ TensorMap map) {
  __shared__ __align__(128) float box[4];
  __shared__ Mbarrier full;
  mbarrier_init(&full, 1);
  fence_mbarrier_init();
  mbarrier_arrive_expect(&full, sizeof box);
  tma_load(box, map, 0, 0, &full);  // nobody waits
}

__global__ void copy_box_to_unfenced_barrier(const __grid_constant__ TensorMap map) {
  __shared__ __align__(128) float box[4];
  __shared__ Mbarrier full;
  mbarrier_init(&full, 1);
  mbarrier_arrive_expect(&full, sizeof box);
  tma_load(box, map, 0, 0, &full);  // may not see it
  mbarrier_wait(&full, 0);
}

/// Sums rows of a matrix in slices: one warp loads them into a ring of buffers, the others add.
constexpr int kStages = 3;
constexpr int kSliceRows = 4;
constexpr int kSliceColumns = 64;

struct Slice {
  float row[kSliceRows][kSliceColumns];
};

__global__ void sum_columns_by_producer(const __grid_constant__ TensorMap map, int slices,
                                        float* out) {
  extern __shared__ __align__(128) unsigned char shared[];
  auto* const slice = reinterpret_cast<Slice*>(shared);
  __shared__ Mbarrier full[kStages];
  __shared__ Mbarrier empty[kStages];
  if (threadIdx.x == 0) {
    for (int stage = 0; stage < kStages; ++stage) {
      mbarrier_init(&full[stage], 1);
      mbarrier_init(&empty[stage], kSliceColumns);
    }
    fence_mbarrier_init();
  }
  __syncthreads();
  if (threadIdx.x >= kSliceColumns) {
    if (threadIdx.x != kSliceColumns) return;
    for (int i = 0; i < slices; ++i) {
      const int stage = i % kStages;
      mbarrier_wait(&empty[stage], i / kStages % 2 ^ 1);
      mbarrier_arrive_expect(&full[stage], sizeof(Slice));
      tma_load(&slice[stage], map, i * kSliceRows, 0, &full[stage]);
    }
  } else {
    float sum = 0;
    for (int i = 0; i < slices; ++i) {
      const int stage = i % kStages;
      mbarrier_wait(&full[stage], i / kStages % 2);
      for (int row = 0; row < kSliceRows; ++row)
        sum += slice[stage].row[row][threadIdx.x];
      mbarrier_arrive(&empty[stage]);
    }
    out[threadIdx.x] = sum;
  }
}

}  // namespace ladder::probe_kernels

namespace ladder::probes {

namespace kernels = probe_kernels;

void copy_through_shared(int vector, unsigned threads, int inside, const float* in, float* out) {
  const LaunchShape shape = {.grid = dim3(1), .block = dim3(threads)};
  if (vector == 4) {
    launch(kernels::copy_through_shared<4>, shape, inside, in, out);
  } else {
    launch(kernels::copy_through_shared<1>, shape, inside, in, out);
  }
}

void watch_groups_arrive(const float* in, float* out) {
  launch(kernels::watch_groups_arrive, {.grid = dim3(1), .block = dim3(1)}, in, out);
}

void copy_to_odd_address(const float* in) {
  launch(kernels::copy_to_odd_address, {.grid = dim3(1), .block = dim3(1)}, in);
}

void copy_from_odd_address(const float* in) {
  launch(kernels::copy_from_odd_address, {.grid = dim3(1), .block = dim3(1)}, in);
}

void copy_to_global(const float* in, float* out) {
  launch(kernels::copy_to_global, {.grid = dim3(1), .block = dim3(1)}, in, out);
}

void copy_beyond_shared(const float* in) {
  launch(kernels::copy_beyond_shared,
         {.grid = dim3(1), .block = dim3(2), .dynamic_shared_bytes = 16}, in);
}

void copy_from_null() {
  launch(kernels::copy_from_null, {.grid = dim3(1), .block = dim3(1)});
}

void check_map(const float* matrix, int rows, int columns, int box_rows, int box_columns) {
  static_cast<void>(ptx::make_tensor_map(matrix, rows, columns, box_rows, box_columns));
}

void check_bf16_map(const bfloat16* matrix, int rows, int columns, int box_rows, int box_columns,
                    ptx::Swizzle swizzle) {
  static_cast<void>(ptx::make_tensor_map(matrix, rows, columns, box_rows, box_columns, swizzle));
}

namespace {

template <class T>
void copy_raw(const RawBox<T>& box, unsigned char* out) {
  const int bytes = box.rows * box.columns * static_cast<int>(sizeof(T));
  launch(
      kernels::copy_raw_box,
      {.grid = dim3(1), .block = dim3(32), .dynamic_shared_bytes = static_cast<std::size_t>(bytes)},
      ptx::make_tensor_map(box.matrix, box.matrix_rows, box.matrix_columns, box.rows, box.columns,
                           box.swizzle),
      bytes, box.row, box.column, out);
}

}  // namespace

void copy_raw_box(const RawBox<float>& box, unsigned char* out) {
  copy_raw(box, out);
}
void copy_raw_box(const RawBox<bfloat16>& box, unsigned char* out) {
  copy_raw(box, out);
}

void copy_box(const Box& box, unsigned threads, float* out) {
  const int elements = box.rows * box.columns;
  launch(
      kernels::copy_box,
      {.grid = dim3(1),
       .block = dim3(threads),
       .dynamic_shared_bytes = sizeof(float) * static_cast<std::size_t>(elements)},
      ptx::make_tensor_map(box.matrix, box.matrix_rows, box.matrix_columns, box.rows, box.columns),
      box.row, box.column, elements, out);
}

void read_box_too_early(const float* four, float* out) {
  launch(kernels::read_box_too_early, {.grid = dim3(1), .block = dim3(1)},
         ptx::make_tensor_map(four, 1, 4, 1, 4), out);
}

void copy_box_to_odd_address(const float* four) {
  launch(kernels::copy_box_to_odd_address, {.grid = dim3(1), .block = dim3(1)},
         ptx::make_tensor_map(four, 1, 4, 1, 4));
}

void copy_box_beyond_shared(const float* four) {
  launch(kernels::copy_box_beyond_shared,
         {.grid = dim3(1), .block = dim3(1), .dynamic_shared_bytes = 15},
         ptx::make_tensor_map(four, 1, 4, 1, 4));
}

void copy_box_without_barrier(const float* four) {
  launch(kernels::copy_box_without_barrier, {.grid = dim3(1), .block = dim3(1)},
         ptx::make_tensor_map(four, 1, 4, 1, 4));
}

void leave_before_box_arrives(const float* four) {
  launch(kernels::leave_before_box_arrives, {.grid = dim3(1), .block = dim3(1)},
         ptx::make_tensor_map(four, 1, 4, 1, 4));
}

void copy_box_to_unfenced_barrier(const float* four) {
  launch(kernels::copy_box_to_unfenced_barrier, {.grid = dim3(1), .block = dim3(1)},
         ptx::make_tensor_map(four, 1, 4, 1, 4));
}

void sum_columns_by_producer(const float* matrix, int slices, float* out) {
  launch(kernels::sum_columns_by_producer,
         {.grid = dim3(1),
          .block = dim3(96),
          .dynamic_shared_bytes = kernels::kStages * sizeof(kernels::Slice)},
         ptx::make_tensor_map(matrix, slices * kernels::kSliceRows, kernels::kSliceColumns,
                              kernels::kSliceRows, kernels::kSliceColumns),
         slices, out);
}

}  // namespace ladder::probes
