// SPDX-License-Identifier: MIT
/// \file  tests/emulator/emulator_bfloat16_test.cpp
/// \brief __nv_bfloat16 against the definition of bfloat16, for all 65,536 encodings.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>

#include "emulator/words/bfloat16_type.hpp"
#include "tests/emulator/small_float_reference.hpp"

namespace {

using Reference = ladder::emulator::SmallFloat<8, 7>;

__nv_bfloat16 bfloat16_of(unsigned bits) {
  return __ushort_as_bfloat16(static_cast<unsigned short>(bits));
}

TEST(EmulatorBfloat16, EveryEncodingStandsForItsNumber) {
  for (unsigned bits = 0; bits < 0x10000u; ++bits) {
    const double expected = Reference::decode(bits);
    const float value = __bfloat162float(bfloat16_of(bits));
    if (std::isnan(expected)) {
      ASSERT_TRUE(std::isnan(value)) << bits;
      ASSERT_EQ(__bfloat16_as_ushort(__float2bfloat16(value)), 0x7FFF);
    } else {
      ASSERT_EQ(value, expected) << bits;
      ASSERT_EQ(__bfloat16_as_ushort(__float2bfloat16_rn(value)), bits);
    }
  }
}

TEST(EmulatorBfloat16, RoundsToTheNearestEven) {
  for (unsigned bits = 0; bits < 0x7F80u; ++bits) {
    const double low = Reference::decode(bits);
    const double high = bits + 1 == 0x7F80u ? std::ldexp(1.0, 128) : Reference::decode(bits + 1);
    const auto middle = static_cast<float>((low + high) / 2);
    for (const float value :
         {middle, std::nextafter(middle, 0.0f), std::nextafter(middle, INFINITY)}) {
      ASSERT_EQ(__bfloat16_as_ushort(__float2bfloat16(value)), Reference::encode(value)) << value;
      ASSERT_EQ(__bfloat16_as_ushort(__float2bfloat16(-value)), Reference::encode(-value)) << value;
    }
  }
  EXPECT_EQ(__bfloat16_as_ushort(__float2bfloat16(INFINITY)), 0x7F80);
  EXPECT_EQ(__bfloat16_as_ushort(__float2bfloat16(-3.4e38f)), 0xFF80);
  EXPECT_EQ(__bfloat16_as_ushort(__float2bfloat16(1e-42f)), 0);
}

TEST(EmulatorBfloat16, ArithmeticRoundsOnce) {
  std::mt19937 random(1);
  for (int i = 0; i < 200000; ++i) {
    const __nv_bfloat16 a = bfloat16_of(random() & 0xFFFFu);
    const __nv_bfloat16 b = bfloat16_of(random() & 0xFFFFu);
    const __nv_bfloat16 c = bfloat16_of(random() & 0xFFFFu);
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

TEST(EmulatorBfloat16, ComparesLikeNumbers) {
  const __nv_bfloat16 one(1.0f);
  const __nv_bfloat16 two(2.0f);
  const __nv_bfloat16 nan(NAN);
  EXPECT_TRUE(one < two && two > one && one <= one && one >= one && one == one && one != two);
  EXPECT_FALSE(one < one || one > one || two <= one || one >= two || one != one);
  EXPECT_FALSE(nan == nan || nan < one || nan > one || nan <= nan);
  EXPECT_TRUE(nan != nan);
  EXPECT_TRUE(bfloat16_of(0x0000) == bfloat16_of(0x8000));
  EXPECT_TRUE(__hisnan(nan));
  EXPECT_EQ(__hmax(nan, one).bits(), one.bits());
  EXPECT_EQ(__hneg(one).bits(), 0xBF80);
}

TEST(EmulatorBfloat16, PairsKeepLowAndHighApart) {
  EXPECT_EQ(sizeof(__nv_bfloat162), 4u);
  EXPECT_EQ(alignof(__nv_bfloat162), 4u);
  const __nv_bfloat162 pair = __floats2bfloat162_rn(1.0f, -2.0f);
  std::uint32_t word = 0;
  std::memcpy(&word, &pair, 4);
  EXPECT_EQ(word, 0xC0003F80u);
  const __nv_bfloat162 result =
      __hfma2(pair, __bfloat162bfloat162(__nv_bfloat16(3.0f)), __float2bfloat162_rn(0.5f));
  EXPECT_EQ(__low2float(result), 3.5f);
  EXPECT_EQ(__high2float(result), -5.5f);
}

}  // namespace
