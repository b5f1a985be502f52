// SPDX-License-Identifier: MIT
/// \file  common/terminal/access_verdict.hpp
/// \brief What the requests of a line cost, in words: found from their counts and from the
///        addresses of one of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "emulator/trace/trace.hpp"

namespace ladder {

/// A copy asks both memories.
bool asks_global_memory(emulator::Operation operation);
bool asks_shared_memory(emulator::Operation operation);

/// Where the addresses of a request's threads lie.
enum class AccessPatternKind {
  kSingleThread,
  kSamePlace,   ///< one place for all
  kNeighbours,  ///< neighbouring threads, neighbouring places
  kOneRun,      ///< neighbouring places, in another order or some of them twice
  kRows,        ///< neighbouring threads, different rows of a matrix
  kStrided,     ///< neighbouring threads, as far apart
  kRuns,        ///< several runs without a gap
  kScattered,   ///< places that do not touch
};

/// "neighbours", "rows", ...: never changes.
std::string_view code_of(AccessPatternKind kind);

/// The pattern of one request.
struct AccessPattern {
  AccessPatternKind kind = AccessPatternKind::kSingleThread;
  std::size_t lanes = 0;        ///< active threads
  unsigned access_bytes = 0;    ///< that each asks for
  std::int64_t step_bytes = 0;  ///< from thread to thread; 0: not always as far
  std::size_t places = 0;       ///< different addresses
  std::size_t runs = 1;         ///< of them, without a gap
  std::int64_t shortest_run_bytes = 0;
  std::int64_t longest_run_bytes = 0;
};

/// What the requests of a line look like, and what they cost in words.
struct AccessVerdict {
  std::optional<AccessPattern> pattern = {};
  std::string text = {};  ///< for people; empty where there is nothing to say
};

/// \brief Of the line's example; nothing where it has none.
/// \param row_bytes  from one row of the line's array to the next; 0: no matrix, or not known
std::optional<AccessPattern> pattern_of(const emulator::LineCounts& line, std::size_t row_bytes);

/// \brief  "32 sectors where 4 would do, and 32 wavefronts where 1 would do: neighbouring threads
///         read different rows of A, 1024 bytes apart, and all 32 words lie in one bank."
/// \param  line  counts, and the example that the reasons are found in
/// \param  row_bytes  from one row of the line's array to the next; 0: no matrix, or not known
AccessVerdict verdict_of(const emulator::LineCounts& line, std::size_t row_bytes);

}  // namespace ladder
