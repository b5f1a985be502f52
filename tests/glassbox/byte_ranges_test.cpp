// SPDX-License-Identifier: MIT
/// \file  tests/glassbox/byte_ranges_test.cpp
/// \brief Sets of bytes: added in any order, they are the same as a set of addresses.
#include "glassbox/runtime/byte_ranges.hpp"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace ladder::glassbox {
namespace {

std::set<std::uintptr_t> addresses_of(const ByteRanges& ranges) {
  std::set<std::uintptr_t> all;
  for (const Bytes& bytes : ranges.all()) {
    for (std::uintptr_t at = bytes.begin; at < bytes.end; ++at)
      all.insert(at);
  }
  return all;
}

TEST(ByteRanges, NeighboursBecomeOne) {
  ByteRanges ranges;
  ranges.append({10, 20});
  ranges.append({20, 24});
  ranges.append({30, 40});
  ranges.append({40, 40});
  EXPECT_EQ(ranges.all(), (std::vector<Bytes>{{10, 24}, {30, 40}}));
  ranges.add({24, 30});
  EXPECT_EQ(ranges.all(), (std::vector<Bytes>{{10, 40}}));
}

TEST(ByteRanges, NothingMeetsNothing) {
  const ByteRanges none, some(Bytes{5, 9});
  EXPECT_TRUE(none.is_empty());
  EXPECT_FALSE(none.meets(some));
  EXPECT_FALSE(some.meets(none));
  EXPECT_TRUE(some.meets(ByteRanges(Bytes{8, 20})));
  EXPECT_FALSE(some.meets(ByteRanges(Bytes{9, 20})));
}

TEST(ByteRanges, AreSetsOfAddresses) {
  std::mt19937 random(1);
  const auto drawn = [&] {
    const std::uintptr_t begin = random() % 64;
    return Bytes{begin, begin + random() % 8};
  };
  for (int round = 0; round < 300; ++round) {
    ByteRanges own, other;
    std::set<std::uintptr_t> expected, others, both;
    for (int i = 0; i < 6; ++i) {
      const Bytes bytes = drawn();
      own.add(bytes);
      for (std::uintptr_t at = bytes.begin; at < bytes.end; ++at)
        expected.insert(at);
      other.add(drawn());
    }
    ASSERT_EQ(addresses_of(own), expected);
    for (std::size_t i = 1; i < own.all().size(); ++i)
      ASSERT_LT(own.all()[i - 1].end, own.all()[i].begin);
    others = addresses_of(other);
    own.any_common(other, [&](const Bytes& piece) {
      for (std::uintptr_t at = piece.begin; at < piece.end; ++at)
        EXPECT_TRUE(both.insert(at).second);
      return false;
    });
    std::erase_if(expected, [&](std::uintptr_t at) { return !others.contains(at); });
    ASSERT_EQ(both, expected);
    ASSERT_EQ(own.meets(other), !both.empty());
    const Bytes one = drawn();
    if (one.is_empty()) continue;
    ASSERT_EQ(own.meets(one), own.meets(ByteRanges(one)));
  }
}

}  // namespace
}  // namespace ladder::glassbox
