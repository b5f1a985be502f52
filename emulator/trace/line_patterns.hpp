// SPDX-License-Identifier: MIT
/// \file  emulator/trace/line_patterns.hpp
/// \brief The line patterns of a trace, each once, whichever CPU thread met it first.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <vector>

#include "emulator/trace/block_stream.hpp"

namespace ladder::emulator {

/// Numbers line patterns; may be asked from several CPU threads.
class LinePatterns {
 public:
  std::uint32_t number_of(const LinePattern& pattern);

  /// All patterns by number; not while kernels run.
  const std::vector<LinePattern>& all() const { return patterns_; }

 private:
  std::mutex mutex_;
  std::map<std::vector<std::uint64_t>, std::uint32_t> numbers_;
  std::vector<LinePattern> patterns_;
};

}  // namespace ladder::emulator
