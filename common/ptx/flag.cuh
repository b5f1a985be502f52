// SPDX-License-Identifier: MIT
/// \file  common/ptx/flag.cuh
/// \brief Words in global memory by which blocks, or GPUs, tell each other that data is ready.
#pragma once

#include "common/ptx/here.cuh"

#ifndef __CUDACC__
#include "emulator/words/async_functions.hpp"
#endif

namespace ladder::ptx {

/// \brief  Reads a flag. A thread that sees its new value sees all that was written before it:
///         ld.acquire.gpu, PTX ISA 9.7.9.8.
__device__ __forceinline__ unsigned load_acquire(const unsigned* flag,
                                                 [[maybe_unused]] Here here = Here::current()) {
#ifdef __CUDACC__
  unsigned value;
  asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(flag) : "memory");
  return value;
#else
  return emulator::load_acquire(flag, here);
#endif
}

/// \brief  Sets a flag after everything that this thread wrote, or saw written, before:
///         st.release.gpu, PTX ISA 9.7.9.11.
__device__ __forceinline__ void store_release(unsigned* flag, unsigned value,
                                              [[maybe_unused]] Here here = Here::current()) {
#ifdef __CUDACC__
  asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(flag), "r"(value) : "memory");
#else
  emulator::store_release(flag, value, here);
#endif
}

/// \brief  Adds to a counter after everything that this thread wrote, or saw written, before:
///         red.release.gpu, PTX ISA 9.7.13.6. Who acquires the sum sees that of all who added.
__device__ __forceinline__ void add_release(unsigned* counter, unsigned value) {
#ifdef __CUDACC__
  asm volatile("red.release.gpu.global.add.u32 [%0], %1;" ::"l"(counter), "r"(value) : "memory");
#else
  __threadfence();
  atomicAdd(counter, value);
#endif
}

/// \brief  Reads a flag that another GPU may set: ld.acquire.sys, PTX ISA 9.7.9.8. A thread that
///         sees its new value sees all that was written before it, in whosever memory.
__device__ __forceinline__ unsigned load_acquire_system(
    const unsigned* flag, [[maybe_unused]] Here here = Here::current()) {
#ifdef __CUDACC__
  unsigned value;
  asm volatile("ld.acquire.sys.global.u32 %0, [%1];" : "=r"(value) : "l"(flag) : "memory");
  return value;
#else
  return emulator::load_acquire_system(flag, here);
#endif
}

/// \brief  Sets a flag that another GPU reads, after everything that this thread wrote, or saw
///         written, before: st.release.sys, PTX ISA 9.7.9.11.
__device__ __forceinline__ void store_release_system(unsigned* flag, unsigned value,
                                                     [[maybe_unused]] Here here = Here::current()) {
#ifdef __CUDACC__
  asm volatile("st.release.sys.global.u32 [%0], %1;" ::"l"(flag), "r"(value) : "memory");
#else
  emulator::store_release(flag, value, here);
#endif
}

}  // namespace ladder::ptx
