// SPDX-License-Identifier: MIT
/// \file  common/ptx/cache_hints.cuh
/// \brief Loads and copies that tell the caches what to keep: ld of PTX ISA 9.7.9.8. The caches of
///        the emulator know no priorities, so there each of them is a load, or a copy, like others.
#pragma once

#include "common/device.cuh"

namespace ladder::ptx {

/// What a load asks of L1 and L2.
enum class CacheHint : unsigned char {
  all_levels,      ///< .ca: the default
  l2_only,         ///< .cg: past L1
  streaming,       ///< .cs: likely read once
  last_use,        ///< .lu: not read again
  no_cache,        ///< .cv: fetch again
  no_l1,           ///< .L1::no_allocate
  l2_evict_first,  ///< .L2::evict_first, as a cache policy
  l2_evict_last,   ///< .L2::evict_last, as a cache policy
};

/// What L2 is to do with the lines of a load or a copy. It lives in a register: make it once.
struct L2Policy {
  unsigned long long bits;
};

/// \brief  A policy for all lines of a load or a copy: createpolicy.fractional, PTX ISA 9.7.9.18.
/// \tparam hint  l2_evict_first or l2_evict_last
template <CacheHint hint>
__device__ __forceinline__ L2Policy l2_policy() {
  static_assert(hint == CacheHint::l2_evict_first || hint == CacheHint::l2_evict_last,
                "the other hints are no policies");
  L2Policy policy = {};
#if __CUDA_ARCH__ >= 800
  if constexpr (hint == CacheHint::l2_evict_first)
    asm volatile("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy.bits));
  else
    asm volatile("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(policy.bits));
#endif
  return policy;
}

/// Loads 4 bytes with a hint. Policies need compute capability 8.0; older GPUs get a plain load.
template <CacheHint hint>
__device__ __forceinline__ unsigned load_with(const unsigned* from) {
#ifdef __CUDACC__
  unsigned value = 0;
  if constexpr (hint == CacheHint::all_levels) {
    asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(value) : "l"(from) : "memory");
  } else if constexpr (hint == CacheHint::l2_only) {
    asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(value) : "l"(from) : "memory");
  } else if constexpr (hint == CacheHint::streaming) {
    asm volatile("ld.global.cs.u32 %0, [%1];" : "=r"(value) : "l"(from) : "memory");
  } else if constexpr (hint == CacheHint::last_use) {
    asm volatile("ld.global.lu.u32 %0, [%1];" : "=r"(value) : "l"(from) : "memory");
  } else if constexpr (hint == CacheHint::no_cache) {
    asm volatile("ld.global.cv.u32 %0, [%1];" : "=r"(value) : "l"(from) : "memory");
  } else if constexpr (hint == CacheHint::no_l1) {
    asm volatile("ld.global.L1::no_allocate.u32 %0, [%1];" : "=r"(value) : "l"(from) : "memory");
  } else {
#if __CUDA_ARCH__ >= 800
    asm volatile("ld.global.L2::cache_hint.u32 %0, [%1], %2;"
                 : "=r"(value)
                 : "l"(from), "l"(l2_policy<hint>().bits)
                 : "memory");
#else
    value = *from;
#endif
  }
  return value;
#else
  return *from;
#endif
}

}  // namespace ladder::ptx
