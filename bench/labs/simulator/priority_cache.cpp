// SPDX-License-Identifier: MIT
/// \file  bench/labs/simulator/priority_cache.cpp
#include "bench/labs/simulator/priority_cache.hpp"

#include <algorithm>
#include <ranges>
#include <stdexcept>

namespace ladder::labs {

PriorityCache::PriorityCache(const PriorityCacheShape& shape) : shape_(shape) {
  const auto ways = static_cast<std::uint64_t>(std::max(shape.ways, 0));
  if (ways == 0 || shape.lines == 0 || shape.lines % ways != 0) {
    throw std::invalid_argument("The ways of a cache have to divide its lines.");
  }
  sets_.resize(shape.lines / ways);
}

/// A line of priority `last` that exceeds its share of the set replaces one of its own kind.
void PriorityCache::make_room(Set& set, Priority priority) const {
  const auto oldest = [&](Priority victim) {
    const auto found = std::ranges::find(set | std::views::reverse, victim, &Entry::priority);
    if (found == set.rend()) return false;
    set.erase(std::next(found).base());
    return true;
  };
  const auto protected_lines = std::ranges::count(set, Priority::last, &Entry::priority);
  if (priority == Priority::last && protected_lines >= shape_.last_ways) {
    oldest(Priority::last);
    return;
  }
  if (static_cast<int>(set.size()) < shape_.ways) return;
  if (!oldest(Priority::first) && !oldest(Priority::normal)) oldest(Priority::last);
}

void PriorityCache::read(std::uint64_t line, Priority priority) {
  Set& set = sets_[line % sets_.size()];
  const auto found = std::ranges::find(set, line, &Entry::line);
  if (found == set.end()) {
    if (priority == Priority::last && shape_.last_ways == 0) priority = Priority::normal;
    make_room(set, priority);
  } else {
    set.erase(found);
  }
  set.insert(set.begin(), {.line = line, .priority = priority});
}

bool PriorityCache::holds(std::uint64_t line) const {
  const Set& set = sets_[line % sets_.size()];
  return std::ranges::find(set, line, &Entry::line) != set.end();
}

}  // namespace ladder::labs
