// SPDX-License-Identifier: MIT
/// \file  emulator/trace/request_sites.hpp
/// \brief The places in the code that ask for memory: what each asked last time, and what came out
///        of it.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "emulator/trace/access_log.hpp"
#include "emulator/trace/array_index.hpp"
#include "emulator/trace/block_stream.hpp"
#include "emulator/trace/request_shape.hpp"
#include "emulator/trace/trace.hpp"

namespace ladder::emulator {

/// One request of a site, kept to say what its requests look like.
struct ExampleRequest {
  std::uint64_t excess = 0;                ///< sectors and wavefronts above its ideals
  std::uint64_t when = ~std::uint64_t{0};  ///< its block and warp
  bool shared = false;
  std::uint32_t lanes = 0;
  AccessCounts counts = {};
  std::array<std::uint64_t, 32> address = {};  ///< of shared memory from its start
};

/// From this number on arrays are in shared memory; below it they are those of the trace.
inline constexpr std::size_t kFirstSharedArray = std::size_t{1} << 32;

/// Counters of one place in the machine code, for one array.
struct SiteCounts {
  std::size_t array = kNoArray;  ///< or its number
  AccessCounts global = {};
  AccessCounts shared = {};
  ExampleRequest example = {};

  /// Keeps a request if it is a better example than the one that is there.
  void see(std::uint64_t when, bool in_shared, const std::uint64_t* address, std::uint32_t lanes,
           std::uint64_t base, const AccessCounts& counts);
};

/// A word that a request touches, relative to its first lane's word.
struct TouchedWord {
  std::int32_t word : 28;
  std::uint32_t bytes : 4;  ///< of it, a bit each
  std::uint32_t lanes;      ///< that touch these bytes

  unsigned lane() const { return static_cast<unsigned>(std::countr_zero(lanes)); }
};

/// What a global request looks like from where in a line its first lane's byte is.
struct GlobalPhase {
  std::uint32_t pattern = 0;
  std::uint16_t sectors = 0;  ///< 0: not computed
  std::uint16_t distinct_sectors = 0;
  std::uint16_t ideal_sectors = 0;
  std::uint16_t lines = 0;
  std::uint16_t wavefronts = 0;
  std::uint16_t ideal_wavefronts = 0;
};

/// A pattern of addresses, and what is known of requests that have it.
struct RequestPattern {
  std::array<std::uint64_t, 32> delta;   ///< address minus that of the first lane
  std::array<std::uint64_t, 32> active;  ///< all ones where the lane takes part
  std::uint32_t lanes = 0;               ///< 0: nothing is known yet
  std::uint32_t pattern = 0;             ///< its number; another one for other deltas or lanes
  std::int64_t lowest = 0;               ///< of the deltas
  std::int64_t highest = 0;              ///< behind the last byte
  std::uint64_t skew = 0;                ///< bits of deltas below the access size
  std::array<GlobalPhase, kLineBytes> phases;
  // Shared.
  unsigned phase_in_word = 0;  ///< of the first lane's byte
  bool is_guard = false;       ///< no array, but g++'s note that an array is constructed
  SharedShape shape;
  std::array<SharedShape, 5> wide_shapes = {};  ///< as part of a load of so many words; 0: unknown
  std::vector<TouchedWord> words;
  std::unordered_map<std::uint64_t, CopyShape> copies;  ///< by what they read, and from where

  /// Is this the pattern?
  bool knows(const std::uint64_t* address, std::uint32_t active_lanes) const {
    if (lanes != active_lanes) return false;
    const std::uint64_t base = address[std::countr_zero(lanes)];
    std::uint64_t differs = 0;
    for (unsigned lane = 0; lane < 32; ++lane)
      differs |= (address[lane] - base - delta[lane]) & active[lane];
    return differs == 0;
  }
};

/// A place in the code, and the pattern of addresses that its lanes asked for last.
struct RequestSite : RequestPattern {
  AccessCode code = 0;
  SiteCounts counts;                                   ///< of the array that it accessed last
  std::unordered_map<std::size_t, SiteCounts> others;  ///< of the arrays before
  std::vector<RequestPattern> earlier;  ///< patterns before this one, if there was room
  std::size_t array = kNoArray;         ///< of the last global access
  std::uint64_t array_begin = 0;        ///< of the shared array that counts are of
  std::uint64_t array_bytes = 0;

  /// From now on the counts are of this array.
  void count_for(std::size_t which) {
    if (counts.array != which) [[unlikely]]
      turn_to(which);
  }
  void turn_to(std::size_t which);
};

/// \brief The sites of a grid.
class RequestSites {
 public:
  void start_grid();

  RequestSite& at(AccessCode code) {
    RequestSite* const recent = recent_[(code ^ code >> 10) % recent_.size()];
    return recent != nullptr && recent->code == code ? *recent : find(code);
  }

  /// The site that asks, with this pattern.
  RequestSite& at(AccessCode code, const std::uint64_t* address, std::uint32_t lanes) {
    RequestSite& site = at(code);
    if (!site.knows(address, lanes)) change_pattern(site, address, lanes);
    return site;
  }

  /// Counters since the last call, by code.
  std::vector<std::pair<AccessCode, SiteCounts>> take_counts();

 private:
  RequestSite& find(AccessCode code);
  void change_pattern(RequestSite& site, const std::uint64_t* address, std::uint32_t lanes);
  void learn(RequestSite& site, const std::uint64_t* address, std::uint32_t lanes);

  std::unordered_map<AccessCode, std::unique_ptr<RequestSite>> sites_;
  std::array<RequestSite*, 1024> recent_ = {};
  std::uint32_t patterns_ = 0;  ///< that sites have learned
};

}  // namespace ladder::emulator
