// SPDX-License-Identifier: MIT
/// \file  common/ptx/mbarrier.cuh
/// \brief Barriers in shared memory: threads and copies arrive, and anyone may wait. Compute
///        capability 9.0.
///
/// A barrier is in phase 0, 1, 2, ... A phase completes when it has had as many arrivals
/// as mbarrier_init() said, and every announced byte has been copied. A waiter names the phase by
/// its parity, so it may lag by one phase but no more. The phase before the first one counts as
/// complete: a wait for parity 1 passes on a fresh barrier.
///
/// Before anyone arrives for a phase, some thread must have seen the end of the phase before: PTX
/// ISA 9.7.13.15.4.
#pragma once

#include "common/ptx/here.cuh"

#ifndef __CUDACC__
#include "emulator/words/async_functions.hpp"
#endif

namespace ladder::ptx {

/// A barrier object. It is in shared memory, and only the functions below may touch it.
struct Mbarrier {
  unsigned long long state;
};

/// \brief  Makes a barrier whose phases take `arrivals` arrivals: mbarrier.init, PTX ISA
///         9.7.13.15.9. Other threads may use it after fence_mbarrier_init() and a barrier.
__device__ __forceinline__ void mbarrier_init(Mbarrier* barrier, int arrivals,
                                              [[maybe_unused]] Here here = Here::current()) {
#ifdef __CUDACC__
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(
                   static_cast<unsigned>(__cvta_generic_to_shared(barrier))),
               "r"(arrivals)
               : "memory");
#else
  emulator::init_mbarrier(barrier, arrivals, here);
#endif
}

/// \brief  Arrives once. Threads that wait for the phase see what this thread did before:
///         mbarrier.arrive, PTX ISA 9.7.13.15.13.
__device__ __forceinline__ void mbarrier_arrive(Mbarrier* barrier,
                                                [[maybe_unused]] Here here = Here::current()) {
#ifdef __CUDACC__
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(
                   static_cast<unsigned>(__cvta_generic_to_shared(barrier)))
               : "memory");
#else
  emulator::arrive_at_mbarrier(barrier, 0, here);
#endif
}

/// \brief  Arrives once at the barrier that another block of the cluster has where this block has
///         `barrier`: mapa, PTX ISA 9.7.9.23, and mbarrier.arrive with .shared::cluster,
///         9.7.13.15.13. That block must be running, and its barrier known to the cluster.
///
/// The scope of the release is not widened to the cluster, which would make every arrival wait for
/// all that the thread has in flight: enough for telling that a buffer has been read.
/// \param  rank  of the block; may be this one
__device__ __forceinline__ void mbarrier_arrive_in_block(
    Mbarrier* barrier, unsigned rank, [[maybe_unused]] Here here = Here::current()) {
#ifdef __CUDACC__
  asm volatile(
      "{\n"
      ".reg .b32 remote;\n"
      "mapa.shared::cluster.u32 remote, %0, %1;\n"
      "mbarrier.arrive.shared::cluster.b64 _, [remote];\n"
      "}" ::"r"(static_cast<unsigned>(__cvta_generic_to_shared(barrier))),
      "r"(rank)
      : "memory");
#else
  emulator::arrive_in_block(barrier, rank, here);
#endif
}

/// \brief  Announces `bytes` that copies will bring in this phase, and arrives once:
///         mbarrier.arrive.expect_tx, PTX ISA 9.7.13.15.13.
__device__ __forceinline__ void mbarrier_arrive_expect(
    Mbarrier* barrier, int bytes, [[maybe_unused]] Here here = Here::current()) {
#ifdef __CUDACC__
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(
                   static_cast<unsigned>(__cvta_generic_to_shared(barrier))),
               "r"(bytes)
               : "memory");
#else
  emulator::arrive_at_mbarrier(barrier, bytes, here);
#endif
}

/// \brief  Waits until the phase of this parity is complete. It then sees what was done before
///         its arrivals and what copies brought: mbarrier.try_wait.parity, PTX ISA 9.7.13.15.16.
__device__ __forceinline__ void mbarrier_wait(Mbarrier* barrier, int parity,
                                              [[maybe_unused]] Here here = Here::current()) {
#ifdef __CUDACC__
  asm volatile(
      "{\n"
      ".reg .pred complete;\n"
      "try_again:\n"
      "mbarrier.try_wait.parity.shared::cta.b64 complete, [%0], %1;\n"
      "@complete bra done;\n"
      "bra try_again;\n"
      "done:\n"
      "}" ::"r"(static_cast<unsigned>(__cvta_generic_to_shared(barrier))),
      "r"(parity)
      : "memory");
#else
  emulator::wait_for_mbarrier(barrier, parity, here);
#endif
}

}  // namespace ladder::ptx
