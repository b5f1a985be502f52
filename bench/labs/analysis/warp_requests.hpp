// SPDX-License-Identifier: MIT
/// \file  bench/labs/analysis/warp_requests.hpp
/// \brief What the addresses of a warp's lanes cost, by the rules that can be done by hand.
#pragma once

#include <cstdint>
#include <span>

namespace ladder::labs {

/// What one request touches of global memory.
struct TouchedMemory {
  unsigned sectors = 0;  ///< of 32 bytes
  unsigned lines = 0;    ///< of 128 bytes
};

/// \brief Counts the different sectors and lines in which the lanes' bytes lie.
/// \param address  of the first byte, one for each lane
/// \param bytes    of each lane
TouchedMemory touched_memory(std::span<const std::uint64_t> address, unsigned bytes);

/// \brief  Sectors that a record of an array touches, on average over the places where it may lie.
/// \param  record_bytes  from record to record, and of each; a multiple of 4
double sectors_of_a_record(unsigned record_bytes);

/// \brief Passes through the 32 banks of shared memory by the textbook's rule: the warp is served
///        in parts of 128 bytes, and a part takes as many passes as one bank has different words.
///        Hardware needs fewer for some loads of 8 and 16 bytes whose lanes share addresses.
/// \param address  of the first byte, one for each of 32 lanes
/// \param bytes    of each lane: 4, 8 or 16
unsigned textbook_wavefronts(std::span<const std::uint64_t> address, unsigned bytes);

}  // namespace ladder::labs
