// SPDX-License-Identifier: MIT
/// \file  tests/fidelity/probes.cu
/// \brief A few kernels that take their addresses as a parameter, and the functions that launch
///        them.
///
/// Elements are integers, so that no value is special. Shared memory is dynamic: of an array of
/// known size that only this kernel sees, a compiler may drop stores that nobody reads.
#include <algorithm>
#include <stdexcept>
#include <string>

#include "common/launch.cuh"
#include "common/ptx/cp_async.cuh"
#include "common/ptx/fence.cuh"
#include "common/ptx/tma.cuh"
#include "tests/fidelity/probes.hpp"

namespace ladder::fidelity_kernels {

using fidelity::Pattern;
using fidelity::Shuffle;

/// The place of the calling thread in bytes; negative for idle lanes.
__device__ inline int own_offset(const Pattern& pattern) {
  const int lane = threadIdx.x % fidelity::kWarpLanes;
  const int warp = threadIdx.x / fidelity::kWarpLanes;
  const int offset = pattern.offset_bytes[lane];
  return offset < 0 ? offset : offset + warp * pattern.warp_step_bytes;
}

__device__ inline unsigned bits_of(unsigned value) {
  return value;
}

__device__ inline unsigned bits_of(uint2 value) {
  return value.x ^ value.y;
}

__device__ inline unsigned bits_of(uint4 value) {
  return value.x ^ value.y ^ value.z ^ value.w;
}

/// Where a probe's dynamic shared memory begins.
__device__ inline unsigned char* shared_bytes() {
  extern __shared__ __align__(16) unsigned char dynamic_shared[];
  return dynamic_shared;
}

template <class T, int kMembers>
__global__ void probe_load_global(const __grid_constant__ Pattern pattern, unsigned never,
                                  const unsigned char* data, unsigned* sink) {
  const int offset = own_offset(pattern);
  if (offset < 0) return;
  const T* const members = reinterpret_cast<const T*>(data + offset);
  unsigned bits = 0;
  for (int i = 0; i < kMembers; ++i)
    bits ^= bits_of(members[i]);
  if (bits == never) *sink = bits;
}

template <class T>
__global__ void probe_store_global(const __grid_constant__ Pattern pattern, unsigned char* data) {
  const int offset = own_offset(pattern);
  if (offset < 0) return;
  *reinterpret_cast<T*>(data + offset) = T{};
}

template <class T>
__global__ void probe_load_shared(const __grid_constant__ Pattern pattern, unsigned never,
                                  unsigned* sink) {
  const int offset = own_offset(pattern);
  if (offset < 0) return;
  const unsigned bits = bits_of(*reinterpret_cast<const T*>(shared_bytes() + offset));
  if (bits == never) *sink = bits;
}

template <class T>
__global__ void probe_store_shared(const __grid_constant__ Pattern pattern) {
  const int offset = own_offset(pattern);
  if (offset < 0) return;
  *reinterpret_cast<T*>(shared_bytes() + offset) = T{};
}

template <int kFirst>
__global__ void probe_load_four_neighbours(unsigned never, unsigned* sink) {
  const unsigned* const numbers = reinterpret_cast<const unsigned*>(shared_bytes()) + kFirst;
  unsigned bits = 0;
  for (int i = 0; i < 4; ++i)
    bits ^= numbers[4 * threadIdx.x + i];
  if (bits == never) *sink = bits;
}

template <bool kReturns>
__global__ void probe_add_global(const __grid_constant__ Pattern pattern, unsigned addend,
                                 unsigned never, unsigned char* data, unsigned* sink) {
  const int offset = own_offset(pattern);
  if (offset < 0) return;
  const unsigned old = atomicAdd(reinterpret_cast<unsigned*>(data + offset), addend);
  if (kReturns && old == never) *sink = old;
}

template <bool kReturns>
__global__ void probe_add_shared(const __grid_constant__ Pattern pattern, unsigned addend,
                                 unsigned never, unsigned* sink) {
  const int offset = own_offset(pattern);
  if (offset < 0) return;
  const unsigned old = atomicAdd(reinterpret_cast<unsigned*>(shared_bytes() + offset), addend);
  if (kReturns && old == never) *sink = old;
}

template <Shuffle kKind>
__global__ void probe_shuffle(const __grid_constant__ Pattern pattern, unsigned never,
                              unsigned* sink) {
  constexpr unsigned kAll = 0xFFFFFFFFu;
  unsigned value = own_offset(pattern);
  if constexpr (kKind == Shuffle::kXor) value = __shfl_xor_sync(kAll, value, 1);
  if constexpr (kKind == Shuffle::kUp) value = __shfl_up_sync(kAll, value, 1);
  if constexpr (kKind == Shuffle::kDown) value = __shfl_down_sync(kAll, value, 1);
  if constexpr (kKind == Shuffle::kIndexed) value = __shfl_sync(kAll, value, value % 32);
  if constexpr (kKind == Shuffle::kReduction) {
    for (int step = 16; step > 0; step /= 2)
      value += __shfl_xor_sync(kAll, value, step);
  }
  if (value == never) *sink = value;
}

template <int kBytes>
__global__ void probe_copy_to_shared(const __grid_constant__ Pattern pattern,
                                     const __grid_constant__ Pattern target, unsigned inside,
                                     const unsigned char* data) {
  const int offset = own_offset(pattern);
  if (offset < 0) return;
  auto* const to = reinterpret_cast<float*>(shared_bytes() + own_offset(target));
  const auto* const from = reinterpret_cast<const float*>(data + offset);
  const bool reads = (inside >> threadIdx.x % fidelity::kWarpLanes & 1u) != 0;
  if constexpr (kBytes == 4) {
    ptx::cp_async_4(to, from, reads);
  } else {
    ptx::cp_async_16(to, from, reads);
  }
  ptx::cp_async_commit();
  ptx::cp_async_wait<0>();
}

__global__ void probe_copy_box(const __grid_constant__ ptx::TensorMap map, int row, int column,
                               int bytes) {
  extern __shared__ __align__(128) unsigned char box_and_barrier[];
  auto* const barrier = reinterpret_cast<ptx::Mbarrier*>(box_and_barrier + bytes);
  if (threadIdx.x == 0) {
    ptx::mbarrier_init(barrier, 1);
    ptx::fence_mbarrier_init();
    ptx::mbarrier_arrive_expect(barrier, bytes);
    ptx::tma_load(box_and_barrier, map, row, column, barrier);
  }
  __syncthreads();
  ptx::mbarrier_wait(barrier, 0);
}

}  // namespace ladder::fidelity_kernels

namespace ladder::fidelity {
namespace {

// 0 and all ones are what memory holds at first; this it holds nowhere.
constexpr unsigned kNever = 0x5EEDFACEu;
// A parameter, because an atomic that adds a constant 1 becomes another instruction.
constexpr unsigned kAddend = 3;

/// Index of an access in a table of kernels for 1, 2, 4, 8 and 16 bytes.
int size_index(unsigned bytes) {
  for (int i = 0; i < 5; ++i) {
    if (bytes == 1u << i) return i;
  }
  throw std::invalid_argument("no access has " + std::to_string(bytes) + " bytes");
}

LaunchShape global_shape(const WarpAccess& access) {
  return {.grid = dim3(1), .block = dim3(kWarpLanes * access.warps)};
}

/// As much shared memory as the lanes reach, no more: what is beyond is out of bounds.
LaunchShape shared_shape(const WarpAccess& access) {
  const int last = *std::max_element(std::begin(access.pattern.offset_bytes),
                                     std::end(access.pattern.offset_bytes)) +
                   (access.warps - 1) * access.pattern.warp_step_bytes;
  LaunchShape shape = global_shape(access);
  shape.dynamic_shared_bytes = last + access.bytes;
  return shape;
}

}  // namespace

void load_global(const WarpAccess& access, const Arrays& arrays) {
  using namespace fidelity_kernels;
  static constexpr decltype(&probe_load_global<unsigned, 1>) kKernels[] = {
      probe_load_global<unsigned char, 1>, probe_load_global<unsigned short, 1>,
      probe_load_global<unsigned, 1>, probe_load_global<uint2, 1>, probe_load_global<uint4, 1>};
  launch(kKernels[size_index(access.bytes)], global_shape(access), access.pattern, kNever,
         arrays.data, arrays.sink);
}

void store_global(const WarpAccess& access, const Arrays& arrays) {
  using namespace fidelity_kernels;
  static constexpr decltype(&probe_store_global<unsigned>) kKernels[] = {
      probe_store_global<unsigned char>, probe_store_global<unsigned short>,
      probe_store_global<unsigned>, probe_store_global<uint2>, probe_store_global<uint4>};
  launch(kKernels[size_index(access.bytes)], global_shape(access), access.pattern, arrays.data);
}

void load_shared(const WarpAccess& access, const Arrays& arrays) {
  using namespace fidelity_kernels;
  static constexpr decltype(&probe_load_shared<unsigned>) kKernels[] = {
      probe_load_shared<unsigned char>, probe_load_shared<unsigned short>,
      probe_load_shared<unsigned>, probe_load_shared<uint2>, probe_load_shared<uint4>};
  launch(kKernels[size_index(access.bytes)], shared_shape(access), access.pattern, kNever,
         arrays.sink);
}

void store_shared(const WarpAccess& access, const Arrays&) {
  using namespace fidelity_kernels;
  static constexpr decltype(&probe_store_shared<unsigned>) kKernels[] = {
      probe_store_shared<unsigned char>, probe_store_shared<unsigned short>,
      probe_store_shared<unsigned>, probe_store_shared<uint2>, probe_store_shared<uint4>};
  launch(kKernels[size_index(access.bytes)], shared_shape(access), access.pattern);
}

void load_five_numbers(const WarpAccess& access, const Arrays& arrays) {
  launch(fidelity_kernels::probe_load_global<unsigned, 5>, global_shape(access), access.pattern,
         kNever, arrays.data, arrays.sink);
}

void load_two_vectors(const WarpAccess& access, const Arrays& arrays) {
  launch(fidelity_kernels::probe_load_global<uint4, 2>, global_shape(access), access.pattern,
         kNever, arrays.data, arrays.sink);
}

void load_four_neighbours(int first, const Arrays& arrays) {
  using namespace fidelity_kernels;
  const auto kernel = first == 0 ? probe_load_four_neighbours<0> : probe_load_four_neighbours<1>;
  const std::size_t bytes = (4 * kWarpLanes + first) * sizeof(unsigned);
  launch(kernel, {.grid = dim3(1), .block = dim3(kWarpLanes), .dynamic_shared_bytes = bytes},
         kNever, arrays.sink);
}

void add_global(const WarpAccess& access, bool returns, const Arrays& arrays) {
  using namespace fidelity_kernels;
  const auto kernel = returns ? probe_add_global<true> : probe_add_global<false>;
  launch(kernel, global_shape(access), access.pattern, kAddend, kNever, arrays.data, arrays.sink);
}

void add_shared(const WarpAccess& access, bool returns, const Arrays& arrays) {
  using namespace fidelity_kernels;
  const auto kernel = returns ? probe_add_shared<true> : probe_add_shared<false>;
  launch(kernel, shared_shape(access), access.pattern, kAddend, kNever, arrays.sink);
}

void copy_to_shared(const WarpAccess& access, const Pattern& target, unsigned inside,
                    const Arrays& arrays) {
  using namespace fidelity_kernels;
  const auto kernel = access.bytes == 4 ? probe_copy_to_shared<4> : probe_copy_to_shared<16>;
  const WarpAccess written = {.bytes = access.bytes, .warps = access.warps, .pattern = target};
  launch(kernel, shared_shape(written), access.pattern, target, inside, arrays.data);
}

void copy_box(const Box& box, const Arrays& arrays) {
  const int bytes = box.rows * box.columns * static_cast<int>(sizeof(float));
  const ptx::TensorMap map =
      ptx::make_tensor_map(reinterpret_cast<const float*>(arrays.data), box.matrix_rows,
                           box.matrix_columns, box.rows, box.columns);
  const LaunchShape shape = {
      .grid = dim3(1),
      .block = dim3(kWarpLanes),
      .dynamic_shared_bytes = static_cast<std::size_t>(bytes) + sizeof(ptx::Mbarrier)};
  launch(fidelity_kernels::probe_copy_box, shape, map, box.row, box.column, bytes);
}

void shuffle(Shuffle kind, const Arrays& arrays) {
  using namespace fidelity_kernels;
  static constexpr decltype(&probe_shuffle<Shuffle::kXor>) kKernels[] = {
      probe_shuffle<Shuffle::kXor>, probe_shuffle<Shuffle::kUp>, probe_shuffle<Shuffle::kDown>,
      probe_shuffle<Shuffle::kIndexed>, probe_shuffle<Shuffle::kReduction>};
  Pattern values = {};
  for (int lane = 0; lane < kWarpLanes; ++lane)
    values.offset_bytes[lane] = lane;
  launch(kKernels[static_cast<int>(kind)], {.grid = dim3(1), .block = dim3(kWarpLanes)}, values,
         kNever, arrays.sink);
}

}  // namespace ladder::fidelity
