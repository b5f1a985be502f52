// SPDX-License-Identifier: MIT
/// \file  bench/labs/simulator/priority_cache.hpp
/// \brief A cache whose lines have a priority: the model of eviction hints and of a set-aside part.
#pragma once

#include <cstdint>
#include <vector>

namespace ladder::labs {

/// Which lines a full set gives up: `first` before `normal` before `last`; of those, the one that
/// was used least recently.
enum class Priority : std::uint8_t { first, normal, last };

struct PriorityCacheShape {
  std::uint64_t lines = 0;
  int ways = 16;
  int last_ways = 16;  ///< of a set, at most, for lines of priority `last`
};

/// Tags of a set-associative cache; neighbouring lines are in neighbouring sets.
class PriorityCache {
 public:
  /// \throws std::invalid_argument  the ways do not divide the lines, or there are none
  explicit PriorityCache(const PriorityCacheShape& shape);

  /// Reads a line and gives it this priority; fetches it if it is not there.
  void read(std::uint64_t line, Priority priority);
  bool holds(std::uint64_t line) const;

 private:
  struct Entry {
    std::uint64_t line;
    Priority priority;
  };
  /// Lines of a set, the newest first.
  using Set = std::vector<Entry>;

  void make_room(Set& set, Priority priority) const;

  PriorityCacheShape shape_;
  std::vector<Set> sets_;
};

}  // namespace ladder::labs
