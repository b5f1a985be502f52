// SPDX-License-Identifier: MIT
/// \file  common/ptx/cluster.cuh
/// \brief Blocks that run at the same time, close to each other, and read each other's shared
///        memory. Compute capability 9.0.
#pragma once

#include "common/ptx/here.cuh"

#ifndef __CUDACC__
#include "emulator/words/async_functions.hpp"
#endif

namespace ladder::ptx {

/// Number of this block in its cluster: %cluster_ctarank, PTX ISA 10.
__device__ __forceinline__ unsigned cluster_rank() {
#ifdef __CUDACC__
  unsigned rank;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
#else
  return emulator::cluster_rank();
#endif
}

/// Number of blocks in this block's cluster: %cluster_nctarank, PTX ISA 10.
__device__ __forceinline__ unsigned cluster_size() {
#ifdef __CUDACC__
  unsigned size;
  asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(size));
  return size;
#else
  const dim3 extents = emulator::cluster_extents();
  return extents.x * extents.y * extents.z;
#endif
}

/// \brief  Waits until all threads of all blocks of the cluster are here. What they did before is
///         visible afterwards: barrier.cluster.arrive.release and barrier.cluster.wait.acquire, PTX
///         ISA 9.7.13.3.
__device__ __forceinline__ void cluster_sync([[maybe_unused]] Here here = Here::current()) {
#ifdef __CUDACC__
  asm volatile(
      "barrier.cluster.arrive.release.aligned;\n"
      "barrier.cluster.wait.acquire.aligned;" ::
          : "memory");
#else
  emulator::wait_at_cluster_barrier(here);
#endif
}

/// \brief  Tells the cluster that this thread is here, and goes on. What it did before is visible
///         to those who pass cluster_wait(): barrier.cluster.arrive.release, PTX ISA 9.7.13.3.
///         Before the next arrival it has to wait.
__device__ __forceinline__ void cluster_arrive([[maybe_unused]] Here here = Here::current()) {
#ifdef __CUDACC__
  asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
#else
  emulator::arrive_at_cluster_barrier(here);
#endif
}

/// \brief  The same, but what this thread did before need not be visible to others:
///         barrier.cluster.arrive.relaxed. After fence_mbarrier_init(), barriers are visible
///         all the same. An arrival that releases waits until all that the thread wrote is visible.
__device__ __forceinline__ void cluster_arrive_relaxed(
    [[maybe_unused]] Here here = Here::current()) {
#ifdef __CUDACC__
  asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
#else
  emulator::arrive_at_cluster_barrier(here);
#endif
}

/// \brief  Waits until all threads of all blocks of the cluster have arrived:
///         barrier.cluster.wait.acquire, PTX ISA 9.7.13.3. This thread has arrived before.
__device__ __forceinline__ void cluster_wait([[maybe_unused]] Here here = Here::current()) {
#ifdef __CUDACC__
  asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
#else
  emulator::wait_for_cluster(here);
#endif
}

/// \brief  Where another block of the cluster has the object that `shared` points to in this
///         block: mapa, PTX ISA 9.7.9.23. The block must still be running.
template <class T>
__device__ __forceinline__ T* in_block(T* shared, unsigned rank,
                                       [[maybe_unused]] Here here = Here::current()) {
#ifdef __CUDACC__
  T* mapped;
  asm("mapa.u64 %0, %1, %2;" : "=l"(mapped) : "l"(shared), "r"(rank));
  return mapped;
#else
  return static_cast<T*>(emulator::shared_of_block(shared, rank, here));
#endif
}

}  // namespace ladder::ptx
