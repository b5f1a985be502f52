// SPDX-License-Identifier: MIT
/// \file  common/ptx/tma.cuh
/// \brief The tensor memory accelerator: one thread requests a whole box of a matrix. Compute
///        capability 9.0.
///
/// A load tells an mbarrier when its bytes have come. A store belongs to a group of its thread's,
/// as cp.async does, and the thread waits for its groups: first until shared memory has been read
/// and may be used again, and, if somebody is to read the matrix, until it has been written.
#pragma once

#include "common/ptx/cache_hints.cuh"
#include "common/ptx/mbarrier.cuh"
#include "common/ptx/tensor_map.hpp"

namespace ladder::ptx {

// -- From global to shared memory ----------------------------------------------------------------

/// Fetches a tensor map, so that the first box does not wait for it: prefetch.tensormap, PTX ISA
/// 9.7.9.16. The emulator has nothing to fetch.
__device__ __forceinline__ void prefetch_tensor_map([[maybe_unused]] const TensorMap& map) {
#ifdef __CUDACC__
  asm volatile("prefetch.tensormap [%0];" ::"l"(&map) : "memory");
#endif
}

/// \brief  Starts the copy of the map's box whose first element is (row, column):
///         cp.async.bulk.tensor.2d from global to shared memory, which reports its bytes to an
///         mbarrier, PTX ISA 9.7.9.27.1.2. Elements outside the matrix arrive as zeros and count.
/// \param  shared   128-byte aligned; receives the box row by row, packed
/// \param  column   a multiple of 16 bytes: an H100 ends at others with an illegal instruction
/// \param  map      a __grid_constant__ parameter of the kernel
/// \param  barrier  counts the bytes as they arrive
__device__ __forceinline__ void tma_load(void* shared, const TensorMap& map, int row, int column,
                                         Mbarrier* barrier,
                                         [[maybe_unused]] Here here = Here::current()) {
#ifdef __CUDACC__
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
      " [%0], [%1, {%2, %3}], [%4];" ::"r"(static_cast<unsigned>(__cvta_generic_to_shared(shared))),
      "l"(&map), "r"(column), "r"(row),
      "r"(static_cast<unsigned>(__cvta_generic_to_shared(barrier)))
      : "memory");
#else
  emulator::start_box_copy(shared, map, row, column, barrier, here);
#endif
}

/// \brief  The same, with a hint for L2: .L2::cache_hint.
/// \param  policy  of l2_policy()
__device__ __forceinline__ void tma_load(void* shared, const TensorMap& map, int row, int column,
                                         Mbarrier* barrier, [[maybe_unused]] L2Policy policy,
                                         [[maybe_unused]] Here here = Here::current()) {
#ifdef __CUDACC__
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
      ".L2::cache_hint [%0], [%1, {%2, %3}], [%4], %5;" ::"r"(
          static_cast<unsigned>(__cvta_generic_to_shared(shared))),
      "l"(&map), "r"(column), "r"(row),
      "r"(static_cast<unsigned>(__cvta_generic_to_shared(barrier))), "l"(policy.bits)
      : "memory");
#else
  emulator::start_box_copy(shared, map, row, column, barrier, here);
#endif
}

/// \brief  Starts a copy of one box into several blocks of the cluster, which L2 reads once:
///         cp.async.bulk.tensor.2d with .multicast::cluster, PTX ISA 9.7.9.27.1.2. In each of the
///         blocks, the box goes to the place that `shared` has in this block, and its bytes count
///         on the barrier at the place that `barrier` has in this block.
///
/// Each of the blocks must be running, its barrier initialised and known to the cluster:
/// fence_mbarrier_init(), then cluster_sync(). None may leave the kernel before the box has come.
/// \param  blocks  bit i: the block of rank i receives the box
__device__ __forceinline__ void tma_load_multicast(void* shared, const TensorMap& map, int row,
                                                   int column, Mbarrier* barrier, unsigned blocks,
                                                   [[maybe_unused]] Here here = Here::current()) {
#ifdef __CUDACC__
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
      ".multicast::cluster [%0], [%1, {%2, %3}], [%4], %5;" ::"r"(
          static_cast<unsigned>(__cvta_generic_to_shared(shared))),
      "l"(&map), "r"(column), "r"(row),
      "r"(static_cast<unsigned>(__cvta_generic_to_shared(barrier))),
      "h"(static_cast<unsigned short>(blocks))
      : "memory");
#else
  emulator::start_multicast(shared, map, row, column, barrier, blocks, here);
#endif
}

/// \brief  The same, with a hint for L2: .L2::cache_hint.
/// \param  policy  of l2_policy()
__device__ __forceinline__ void tma_load_multicast(void* shared, const TensorMap& map, int row,
                                                   int column, Mbarrier* barrier, unsigned blocks,
                                                   [[maybe_unused]] L2Policy policy,
                                                   [[maybe_unused]] Here here = Here::current()) {
#ifdef __CUDACC__
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
      ".multicast::cluster.L2::cache_hint [%0], [%1, {%2, %3}], [%4], %5, %6;" ::"r"(
          static_cast<unsigned>(__cvta_generic_to_shared(shared))),
      "l"(&map), "r"(column), "r"(row),
      "r"(static_cast<unsigned>(__cvta_generic_to_shared(barrier))),
      "h"(static_cast<unsigned short>(blocks)), "l"(policy.bits)
      : "memory");
#else
  emulator::start_multicast(shared, map, row, column, barrier, blocks, here);
#endif
}

// -- From shared to global memory ----------------------------------------------------------------

/// \brief  Starts the copy of a box from shared memory to (row, column) of the map's matrix:
///         cp.async.bulk.tensor.2d from shared to global memory, PTX ISA 9.7.9.27.1.2. What would
///         go outside of the matrix is not written.
///
/// What threads have stored in `shared` is seen after fence_proxy_async() by each of them and a
/// barrier. The block may not end before tma_store_wait_read().
/// \param  map     a __grid_constant__ parameter of the kernel
/// \param  row     not below 0; column: a multiple of 16 bytes, not below 0. Others are illegal
/// \param  shared  128-byte aligned; the box row by row, packed, or as the map's swizzle has it
__device__ __forceinline__ void tma_store(const TensorMap& map, int row, int column,
                                          const void* shared,
                                          [[maybe_unused]] Here here = Here::current()) {
#ifdef __CUDACC__
  asm volatile(
      "cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group"
      " [%0, {%1, %2}], [%3];" ::"l"(&map),
      "r"(column), "r"(row), "r"(static_cast<unsigned>(__cvta_generic_to_shared(shared)))
      : "memory");
#else
  emulator::start_box_store(map, row, column, shared, here);
#endif
}

/// \brief  The same, with a hint for L2: .L2::cache_hint.
/// \param  policy  of l2_policy()
__device__ __forceinline__ void tma_store(const TensorMap& map, int row, int column,
                                          const void* shared, [[maybe_unused]] L2Policy policy,
                                          [[maybe_unused]] Here here = Here::current()) {
#ifdef __CUDACC__
  asm volatile(
      "cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group.L2::cache_hint"
      " [%0, {%1, %2}], [%3], %4;" ::"l"(&map),
      "r"(column), "r"(row), "r"(static_cast<unsigned>(__cvta_generic_to_shared(shared))),
      "l"(policy.bits)
      : "memory");
#else
  emulator::start_box_store(map, row, column, shared, here);
#endif
}

/// The stores that this thread has started since it last committed become one group, an empty one
/// if there are none: cp.async.bulk.commit_group, PTX ISA 9.7.9.27.2.1.
__device__ __forceinline__ void tma_store_commit([[maybe_unused]] Here here = Here::current()) {
#ifdef __CUDACC__
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
#else
  emulator::commit_box_stores(here);
#endif
}

/// \brief  Waits until all but `newest` of this thread's groups have read shared memory, which may
///         then be written again: cp.async.bulk.wait_group.read, PTX ISA 9.7.9.27.2.2.
template <int newest>
__device__ __forceinline__ void tma_store_wait_read([[maybe_unused]] Here here = Here::current()) {
#ifdef __CUDACC__
  asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(newest) : "memory");
#else
  emulator::wait_for_box_stores(newest, true, here);
#endif
}

/// \brief  Waits until all but `newest` of this thread's groups have written the matrix:
///         cp.async.bulk.wait_group, PTX ISA 9.7.9.27.2.2. Others still need to be told.
template <int newest>
__device__ __forceinline__ void tma_store_wait([[maybe_unused]] Here here = Here::current()) {
#ifdef __CUDACC__
  asm volatile("cp.async.bulk.wait_group %0;" ::"n"(newest) : "memory");
#else
  emulator::wait_for_box_stores(newest, false, here);
#endif
}

}  // namespace ladder::ptx
