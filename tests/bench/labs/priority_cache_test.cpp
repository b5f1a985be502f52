// SPDX-License-Identifier: MIT
/// \file  tests/bench/labs/priority_cache_test.cpp
/// \brief Full sets give up lines by priority, and of those the oldest.
#include "bench/labs/simulator/priority_cache.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace ladder::labs {
namespace {

/// One set of four ways.
PriorityCache small(int last_ways = 4) {
  return PriorityCache({.lines = 4, .ways = 4, .last_ways = last_ways});
}

TEST(PriorityCacheTest, WithoutPrioritiesTheOldestLineGoes) {
  PriorityCache cache = small();
  for (const std::uint64_t line : {0, 1, 2, 3})
    cache.read(line, Priority::normal);
  cache.read(0, Priority::normal);  // the oldest is line 1 now
  cache.read(4, Priority::normal);
  EXPECT_TRUE(cache.holds(0));
  EXPECT_FALSE(cache.holds(1));
}

TEST(PriorityCacheTest, LinesOfThePriorityFirstGoFirst) {
  PriorityCache cache = small();
  for (const std::uint64_t line : {0, 1, 2})
    cache.read(line, Priority::normal);
  for (std::uint64_t line = 10; line < 20; ++line)
    cache.read(line, Priority::first);
  for (const std::uint64_t line : {0, 1, 2})
    EXPECT_TRUE(cache.holds(line)) << line;
  EXPECT_TRUE(cache.holds(19));
}

TEST(PriorityCacheTest, AStreamLeavesLinesOfThePriorityLast) {
  PriorityCache cache = small();
  cache.read(0, Priority::last);
  for (std::uint64_t line = 10; line < 20; ++line)
    cache.read(line, Priority::normal);
  EXPECT_TRUE(cache.holds(0));
}

TEST(PriorityCacheTest, LinesOfThePriorityLastTakeNoMoreThanTheirShare) {
  PriorityCache cache = small(2);
  cache.read(100, Priority::normal);
  cache.read(101, Priority::normal);
  for (const std::uint64_t line : {0, 1, 2})
    cache.read(line, Priority::last);
  EXPECT_FALSE(cache.holds(0)) << "the third one replaces the oldest of its kind";
  EXPECT_TRUE(cache.holds(1) && cache.holds(2));
  EXPECT_TRUE(cache.holds(100) && cache.holds(101));
  PriorityCache none = small(0);
  none.read(0, Priority::last);
  for (std::uint64_t line = 10; line < 14; ++line)
    none.read(line, Priority::normal);
  EXPECT_FALSE(none.holds(0)) << "nothing is set aside";
}

TEST(PriorityCacheTest, AShapeThatIsNoneIsRefused) {
  EXPECT_THROW(PriorityCache({.lines = 6, .ways = 4}), std::invalid_argument);
  EXPECT_THROW(PriorityCache({.lines = 0, .ways = 4}), std::invalid_argument);
  EXPECT_THROW(PriorityCache({.lines = 4, .ways = 0}), std::invalid_argument);
}

}  // namespace
}  // namespace ladder::labs
