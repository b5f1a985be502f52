// SPDX-License-Identifier: MIT
/// \file  bench/labs/questions/kernels/shared_accesses.cuh
/// \brief Warps that repeat one access to shared memory, whose lanes lie as the host says.
#pragma once

#include <stdexcept>
#include <string>

#include "bench/labs/questions/kernels/bits.cuh"
#include "bench/labs/questions/kernels/shared_access.hpp"
#include "common/device.cuh"

namespace ladder::labs::kernels {

/// Dynamic: stores to an array that only one kernel sees might be left out.
__device__ inline char* shared_slots() {
  extern __shared__ __align__(128) uint4 slots[];
  return reinterpret_cast<char*>(slots);
}

inline constexpr unsigned kSlotsBytes = kSharedSlots * kSharedSlotBytes;

/// Writes 0 to all slots.
__device__ inline void clear_slots() {
  for (unsigned byte = threadIdx.x * sizeof(uint4); byte < kSlotsBytes;
       byte += blockDim.x * sizeof(uint4))
    *reinterpret_cast<uint4*>(shared_slots() + byte) = uint4{};
  __syncthreads();
}

/// \brief  One access to each slot, `rounds` times.
/// \param  move  from round to round, in bytes: 0, which the compiler does not know
/// \return the bits of what was read; of stores 0
template <class T, bool kStores>
__device__ __forceinline__ unsigned access_slots(unsigned lane_byte, int rounds, unsigned move) {
  unsigned bits = 0;
#pragma unroll 1
  for (int round = 0; round < rounds; ++round) {
    char* const place = shared_slots() + lane_byte + static_cast<unsigned>(round) * move;
#pragma unroll
    for (int slot = 0; slot < kSharedSlots; ++slot) {
      T* const element = reinterpret_cast<T*>(place + slot * kSharedSlotBytes);
      if constexpr (kStores)
        *element = T{};
      else
        bits ^= bits_of(*element);
    }
  }
  return bits;
}

/// access_slots() alone, to be counted.
/// \param  never  the bits of everything that was read, which they never are
template <class T, bool kStores>
__global__ void access_shared(const __grid_constant__ SharedAccess access, unsigned never,
                              unsigned* sink) {
  if constexpr (!kStores) clear_slots();
  const unsigned lane_byte = access.lane_byte[threadIdx.x % kWarpLanes];
  unsigned bits = access_slots<T, kStores>(lane_byte, 1, 0);
  if constexpr (kStores) {
    __syncthreads();
    bits = *reinterpret_cast<unsigned*>(shared_slots() + lane_byte);
  }
  if (bits == never) *sink = bits;
}

/// \brief  Calls `use` with the element type of an access.
/// \throws std::invalid_argument  no access has so many bytes
template <class Use>
auto with_element(const SharedAccess& access, const Use& use) {
  switch (access.bytes) {
    case 4:
      return use(unsigned{});
    case 8:
      return use(uint2{});
    case 16:
      return use(uint4{});
    default:
      throw std::invalid_argument("no access to shared memory has " + std::to_string(access.bytes) +
                                  " bytes");
  }
}

}  // namespace ladder::labs::kernels
