// SPDX-License-Identifier: MIT
/// \file  common/ptx/cp_async.cuh
/// \brief Copies from global to shared memory that need no registers, while the thread goes on.
///        Compute capability 8.0.
///
/// A thread's copies become a group when it commits. Later it can wait until only the newest groups
/// are in flight. What has arrived is visible to the thread itself: others need a barrier.
#pragma once

#include "common/ptx/here.cuh"

#ifndef __CUDACC__
#include "emulator/words/async_functions.hpp"
#endif

namespace ladder::ptx {

/// \brief  Starts a copy of 4 bytes: cp.async.ca.shared.global, PTX ISA 9.7.9.25.3.
/// \param  shared  4-byte aligned, in shared memory
/// \param  global  4-byte aligned; not read if `inside` is false
/// \param  inside  false: four zero bytes are written instead
__device__ __forceinline__ void cp_async_4(float* shared, const float* global, bool inside,
                                           [[maybe_unused]] Here here = Here::current()) {
#ifdef __CUDACC__
  const auto target = static_cast<unsigned>(__cvta_generic_to_shared(shared));
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(target), "l"(global),
               "r"(inside ? 4 : 0));
#else
  emulator::start_copy(shared, global, 4, inside ? 4 : 0, here);
#endif
}

/// \brief  Starts a copy of 16 bytes that does not stay in L1: cp.async.cg.shared.global, PTX ISA
///         9.7.9.25.3.
/// \param  shared  16-byte aligned, in shared memory
/// \param  global  16-byte aligned; not read if `inside` is false
/// \param  inside  false: sixteen zero bytes are written instead
__device__ __forceinline__ void cp_async_16(void* shared, const void* global, bool inside,
                                            [[maybe_unused]] Here here = Here::current()) {
#ifdef __CUDACC__
  const auto target = static_cast<unsigned>(__cvta_generic_to_shared(shared));
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(target), "l"(global),
               "r"(inside ? 16 : 0));
#else
  emulator::start_copy(shared, global, 16, inside ? 16 : 0, here);
#endif
}

/// All copies that this thread has started since it last committed become one group, an empty one
/// if there are none: cp.async.commit_group, PTX ISA 9.7.9.25.3.
__device__ __forceinline__ void cp_async_commit([[maybe_unused]] Here here = Here::current()) {
#ifdef __CUDACC__
  asm volatile("cp.async.commit_group;" ::: "memory");
#else
  emulator::commit_copies(here);
#endif
}

/// \brief  Waits until at most `kNewest` of this thread's groups are in flight:
///         cp.async.wait_group, PTX ISA 9.7.9.25.3.
template <int kNewest>
__device__ __forceinline__ void cp_async_wait([[maybe_unused]] Here here = Here::current()) {
#ifdef __CUDACC__
  asm volatile("cp.async.wait_group %0;" ::"n"(kNewest) : "memory");
#else
  emulator::wait_for_copies(kNewest, here);
#endif
}

}  // namespace ladder::ptx
