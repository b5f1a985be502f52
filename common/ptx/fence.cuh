// SPDX-License-Identifier: MIT
/// \file  common/ptx/fence.cuh
/// \brief Fences between this thread and the units that copy on its behalf. Compute capability 9.0.
#pragma once

#include "common/ptx/here.cuh"

#ifndef __CUDACC__
#include "emulator/words/async_functions.hpp"
#endif

namespace ladder::ptx {

/// Makes this thread's mbarrier_init() visible to its cluster, and, as CUTLASS uses it, to copies:
/// fence.mbarrier_init.release.cluster, PTX ISA 9.7.13.4.
__device__ __forceinline__ void fence_mbarrier_init([[maybe_unused]] Here here = Here::current()) {
#ifdef __CUDACC__
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
#else
  emulator::fence_mbarrier_init(here);
#endif
}

/// Orders this thread's plain accesses to shared memory with those of copies that start after it:
/// fence.proxy.async, PTX ISA 9.7.13.4.
__device__ __forceinline__ void fence_proxy_async([[maybe_unused]] Here here = Here::current()) {
#ifdef __CUDACC__
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#else
  emulator::fence_proxy_async(here);
#endif
}

/// Orders what this thread wrote to global memory, or saw written by others, with copies that it
/// starts after it: fence.proxy.async, PTX ISA 9.7.13.4. A box of a tensor map is read by another
/// proxy than a thread's loads, to which an acquire alone says nothing.
__device__ __forceinline__ void fence_proxy_async_global(
    [[maybe_unused]] Here here = Here::current()) {
#ifdef __CUDACC__
  asm volatile("fence.proxy.async.global;" ::: "memory");
#else
  emulator::fence_proxy_async(here);
#endif
}

}  // namespace ladder::ptx
