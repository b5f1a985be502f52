// SPDX-License-Identifier: MIT
/// \file  tests/emulator/emulator_half_test.cpp
/// \brief __half against the definition of binary16, for all 65,536 encodings.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>

#include "emulator/words/half_type.hpp"
#include "tests/emulator/small_float_reference.hpp"

namespace {

using Reference = ladder::emulator::SmallFloat<5, 10>;

__half half_of(unsigned bits) {
  return __ushort_as_half(static_cast<unsigned short>(bits));
}

TEST(EmulatorHalf, EveryEncodingStandsForItsNumber) {
  for (unsigned bits = 0; bits < 0x10000u; ++bits) {
    const double expected = Reference::decode(bits);
    const float value = __half2float(half_of(bits));
    if (std::isnan(expected)) {
      ASSERT_TRUE(std::isnan(value)) << bits;
      ASSERT_EQ(__half_as_ushort(__float2half(value)), 0x7FFF);
    } else {
      ASSERT_EQ(value, expected) << bits;
      ASSERT_EQ(__half_as_ushort(__float2half_rn(value)), bits);
    }
  }
}

TEST(EmulatorHalf, RoundsToTheNearestEven) {
  for (unsigned bits = 0; bits < 0x7C00u; ++bits) {
    const double low = Reference::decode(bits);
    const double high = bits + 1 == 0x7C00u ? 65536.0 : Reference::decode(bits + 1);
    const auto middle = static_cast<float>((low + high) / 2);
    for (const float value : {middle, std::nextafter(middle, 0.0f), std::nextafter(middle, 1e9f)}) {
      ASSERT_EQ(__half_as_ushort(__float2half(value)), Reference::encode(value)) << value;
      ASSERT_EQ(__half_as_ushort(__float2half(-value)), Reference::encode(-value)) << value;
    }
  }
  EXPECT_EQ(__half_as_ushort(__float2half(INFINITY)), 0x7C00);
  EXPECT_EQ(__half_as_ushort(__float2half(-1e30f)), 0xFC00);
  EXPECT_EQ(__half_as_ushort(__float2half(1e-30f)), 0);
}

TEST(EmulatorHalf, ArithmeticRoundsOnce) {
  std::mt19937 random(1);
  for (int i = 0; i < 200000; ++i) {
    const __half a = half_of(random() & 0xFFFFu);
    const __half b = half_of(random() & 0xFFFFu);
    const __half c = half_of(random() & 0xFFFFu);
    const double x = float(a);
    const double y = float(b);
    ASSERT_EQ((a + b).bits(), Reference::encode(x + y)) << x << " + " << y;
    ASSERT_EQ((a - b).bits(), Reference::encode(x - y)) << x << " - " << y;
    ASSERT_EQ((a * b).bits(), Reference::encode(x * y)) << x << " * " << y;
    ASSERT_EQ((a / b).bits(), Reference::encode(x / y)) << x << " / " << y;
    const auto exact = static_cast<long double>(x) * y + static_cast<long double>(float(c));
    ASSERT_EQ(__hfma(a, b, c).bits(), Reference::encode(static_cast<double>(exact)));
  }
}

TEST(EmulatorHalf, ComparesLikeNumbers) {
  const __half one(1.0f);
  const __half two(2.0f);
  const __half nan(NAN);
  EXPECT_TRUE(one < two && two > one && one <= one && one >= one && one == one && one != two);
  EXPECT_FALSE(one < one || one > one || two <= one || one >= two || one != one);
  EXPECT_FALSE(nan == nan || nan < one || nan > one || nan <= nan);
  EXPECT_TRUE(nan != nan);
  EXPECT_TRUE(half_of(0x0000) == half_of(0x8000));
  EXPECT_TRUE(__hisnan(nan));
  EXPECT_EQ(__hmax(nan, one).bits(), one.bits());
  EXPECT_EQ(__hneg(one).bits(), 0xBC00);
}

TEST(EmulatorHalf, PairsKeepLowAndHighApart) {
  EXPECT_EQ(sizeof(__half2), 4u);
  EXPECT_EQ(alignof(__half2), 4u);
  const __half2 pair = __floats2half2_rn(1.0f, -2.0f);
  std::uint32_t word = 0;
  std::memcpy(&word, &pair, 4);
  EXPECT_EQ(word, 0xC0003C00u);
  const __half2 result = __hfma2(pair, __half2half2(__half(3.0f)), __float2half2_rn(0.5f));
  EXPECT_EQ(__low2float(result), 3.5f);
  EXPECT_EQ(__high2float(result), -5.5f);
}

}  // namespace
