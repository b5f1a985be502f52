// SPDX-License-Identifier: MIT
/// \file  bench/labs/questions/counted.hpp
/// \brief What the labs' kernels ask of memory: counted on the emulator, and by hand.
#pragma once

#include "bench/labs/questions/kernels/access_pattern.hpp"
#include "bench/labs/questions/kernels/shared_access.hpp"
#include "emulator/trace/trace.hpp"

namespace ladder::labs {

/// What warps ask that each read at 32 places of a pattern.
struct CountedReads {
  std::uint64_t warps = 0;
  emulator::AccessCounts counts;    ///< of all their requests, by the emulator
  std::uint64_t model_sectors = 0;  ///< of the same requests, by touched_memory()
  std::uint64_t model_lines = 0;
  std::uint64_t distinct_sectors = 0;  ///< touched by a warp's requests together; sum of all warps
  std::uint64_t distinct_lines = 0;
  std::uint64_t l2_sectors = 0;  ///< that L1 of the classroom card fetches for them

  /// A sum, for one warp.
  double per_warp(std::uint64_t sum) const {
    return static_cast<double>(sum) / static_cast<double>(warps);
  }
};

/// \brief  Reads 64 times 32 places on the emulator, fewer where the pattern is wide.
/// \throws std::invalid_argument  no kernel has such a pattern
CountedReads count_reads(const AccessPattern& pattern);

/// \brief  Counters of one request to shared memory.
/// \throws std::invalid_argument  no kernel has such an access
emulator::AccessCounts count_shared(const SharedAccess& access);

/// Requests to shared memory with which a warp reverses its lanes' numbers by a shuffle.
std::uint64_t shared_requests_of_a_shuffle();

}  // namespace ladder::labs
