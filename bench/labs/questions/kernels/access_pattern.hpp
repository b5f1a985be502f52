// SPDX-License-Identifier: MIT
/// \file  bench/labs/questions/kernels/access_pattern.hpp
/// \brief Which bytes the lanes of a warp ask for: the same for the kernels and for the model.
#pragma once

#include <cstdint>

namespace ladder::labs {

inline constexpr int kWarpLanes = 32;

/// \brief An array of places. Lane l of request r reads at place 32*r + l, or at a random one.
struct AccessPattern {
  unsigned bytes = 4;         ///< of one load: 4, 8 or 16
  int loads = 1;              ///< that a lane makes at its place, side by side: 1, 2 or 5
  unsigned stride_bytes = 4;  ///< from place to place
  unsigned first_byte = 0;    ///< of place 0
  bool random = false;        ///< each lane picks one of all places

  /// What a program wants of one place.
  unsigned place_bytes() const { return bytes * static_cast<unsigned>(loads); }
};

/// Places in a region of at most 8 GiB, for whole warps.
constexpr unsigned places_in(const AccessPattern& pattern, std::uint64_t region_bytes) {
  const std::uint64_t last =
      region_bytes - pattern.first_byte - pattern.bytes * static_cast<std::uint64_t>(pattern.loads);
  return static_cast<unsigned>((last / pattern.stride_bytes + 1) / kWarpLanes * kWarpLanes);
}

/// \source the finaliser of MurmurHash3 (Austin Appleby)
constexpr std::uint32_t mixed_bits(std::uint32_t x) {
  x = (x ^ (x >> 16)) * 0x85ebca6bu;
  x = (x ^ (x >> 13)) * 0xc2b2ae35u;
  return x ^ (x >> 16);
}

/// \brief  Where a lane reads, in bytes of the region.
/// \param  places  of the region
/// \param  number  of the lane among all lanes of all requests
constexpr std::uint64_t byte_of(const AccessPattern& pattern, unsigned places, unsigned number) {
  unsigned place = number;
  if (pattern.random)
    place = static_cast<unsigned>((std::uint64_t{mixed_bits(number)} * places) >> 32);
  return pattern.first_byte + std::uint64_t{place} * pattern.stride_bytes;
}

}  // namespace ladder::labs
