// SPDX-License-Identifier: MIT
/// \file  tests/common/bfloat16_test.cpp
/// \brief BF16 numbers on the host: exact on the way to float, rounded to nearest even on the way
///        back.
#include "common/bfloat16.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace ladder {
namespace {

float float_of(unsigned bits) {
  return std::bit_cast<bfloat16>(static_cast<std::uint16_t>(bits));
}

std::uint16_t bits_of(float value) {
  return std::bit_cast<std::uint16_t>(bfloat16(value));
}

TEST(BFloat16Test, EveryNumberComesBackFromFloat) {
  for (unsigned bits = 0; bits <= 0xffff; ++bits) {
    const float value = float_of(bits);
    if (std::isnan(value)) {
      EXPECT_EQ(bits_of(value), 0x7fff) << "the NaN of a GPU";
    } else {
      EXPECT_EQ(bits_of(value), bits);
    }
  }
}

TEST(BFloat16Test, WhatLiesBetweenTwoNumbersGoesToTheNearerAndFromTheMiddleToTheEvenOne) {
  constexpr unsigned kLargest = 0x7f7f;
  for (unsigned bits = 0; bits < kLargest; ++bits) {
    const auto below = std::bit_cast<std::uint32_t>(float_of(bits));
    const std::uint32_t middle = below + 0x8000;
    const unsigned even = bits + bits % 2;
    for (const unsigned sign : {0u, 0x8000u}) {
      const auto rounded = [&](std::uint32_t word) {
        return bits_of(std::bit_cast<float>(word | sign << 16));
      };
      ASSERT_EQ(rounded(below + 1), bits | sign);
      ASSERT_EQ(rounded(middle - 1), bits | sign);
      ASSERT_EQ(rounded(middle), even | sign);
      ASSERT_EQ(rounded(middle + 1), (bits + 1) | sign);
    }
  }
}

TEST(BFloat16Test, WhatIsTooLargeBecomesInfinite) {
  const float infinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(bfloat16(std::numeric_limits<float>::max()), infinity);
  EXPECT_EQ(bfloat16(-infinity), -infinity);
}

}  // namespace
}  // namespace ladder
