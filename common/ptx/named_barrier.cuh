// SPDX-License-Identifier: MIT
/// \file  common/ptx/named_barrier.cuh
/// \brief Barriers for some of a block's warps.
#pragma once

#include "common/ptx/here.cuh"

#ifndef __CUDACC__
#include "emulator/words/async_functions.hpp"
#endif

namespace ladder::ptx {

/// \brief  Waits until `threads` threads, in whole warps, are at barrier `id`: bar.sync, PTX ISA
///         9.7.13.1.
/// \tparam id       1 to 15; 0 is __syncthreads()
/// \tparam threads  a multiple of 32
template <int id, int threads>
__device__ __forceinline__ void barrier_sync([[maybe_unused]] Here here = Here::current()) {
  static_assert(id >= 1 && id <= 15, "barrier 0 belongs to __syncthreads()");
  static_assert(threads > 0 && threads % 32 == 0, "whole warps");
#ifdef __CUDACC__
  asm volatile("bar.sync %0, %1;" ::"n"(id), "n"(threads) : "memory");
#else
  emulator::wait_at_named_barrier(id, threads, here);
#endif
}

/// \brief  The same, where each group of warps has a barrier of its own.
/// \tparam threads  a multiple of 32
/// \param  id       1 to 15, the same in all lanes of a warp
template <int threads>
__device__ __forceinline__ void barrier_sync(int id, [[maybe_unused]] Here here = Here::current()) {
  static_assert(threads > 0 && threads % 32 == 0, "whole warps");
#ifdef __CUDACC__
  asm volatile("bar.sync %0, %1;" ::"r"(id), "n"(threads) : "memory");
#else
  emulator::wait_at_named_barrier(id, threads, here);
#endif
}

}  // namespace ladder::ptx
