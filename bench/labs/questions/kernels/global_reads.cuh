// SPDX-License-Identifier: MIT
/// \file  bench/labs/questions/kernels/global_reads.cuh
/// \brief Warps that read an array of places: what they ask of memory depends on the pattern alone.
#pragma once

#include <stdexcept>
#include <string>

#include "bench/labs/questions/kernels/access_pattern.hpp"
#include "bench/labs/questions/kernels/bits.cuh"
#include "common/device.cuh"

namespace ladder::labs::kernels {

/// What a launch reads. Lanes have numbers; a warp goes on by as many each time.
struct ReadPlan {
  AccessPattern pattern;
  unsigned places;            ///< in the region, or in each block's own part of it
  unsigned lanes;             ///< numbers below this, a multiple of 32; then from 0 again
  unsigned advance;           ///< from one read of a lane to its next, a multiple of 32
  int reads;                  ///< of each lane
  std::uint64_t block_bytes;  ///< of each block's own part of the region; 0: all share the region
};

/// \brief Reads the places of a plan.
/// \tparam T       unsigned, uint2 or uint4: what one load reads
/// \tparam kLoads  that a lane makes at its place
/// \param  never   the bits of everything that was read, which they never are; so that no load can
///                 be left out
template <class T, int kLoads>
__global__ void read_places(const char* region, const __grid_constant__ ReadPlan plan,
                            unsigned never, unsigned* sink) {
  const bool own = plan.block_bytes != 0;
  const char* const part = region + blockIdx.x * plan.block_bytes;
  unsigned lane = ((own ? 0 : blockIdx.x * blockDim.x) + threadIdx.x) % plan.lanes;
  unsigned bits = 0;
#pragma unroll 4
  for (int read = 0; read < plan.reads; ++read) {
    const T* const place =
        reinterpret_cast<const T*>(part + byte_of(plan.pattern, plan.places, lane));
    for (int load = 0; load < kLoads; ++load)
      bits ^= bits_of(place[load]);
    lane += plan.advance;
    if (lane >= plan.lanes) lane -= plan.lanes;
  }
  if (bits == never) *sink = bits;
}

/// \brief  The kernel for a pattern.
/// \throws std::invalid_argument  none reads so many bytes or makes so many loads
inline auto read_kernel(const AccessPattern& pattern) {
  if (pattern.loads == 1 && pattern.bytes == 4) return read_places<unsigned, 1>;
  if (pattern.loads == 1 && pattern.bytes == 8) return read_places<uint2, 1>;
  if (pattern.loads == 1 && pattern.bytes == 16) return read_places<uint4, 1>;
  if (pattern.loads == 5 && pattern.bytes == 4) return read_places<unsigned, 5>;
  if (pattern.loads == 2 && pattern.bytes == 16) return read_places<uint4, 2>;
  throw std::invalid_argument("no kernel makes " + std::to_string(pattern.loads) + " loads of " +
                              std::to_string(pattern.bytes) + " bytes");
}

}  // namespace ladder::labs::kernels
