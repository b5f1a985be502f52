// SPDX-License-Identifier: MIT
/// \file  tests/emulator/emulator_tensor_core_test.cpp
/// \brief Sums of the tensor core whose last bit shows how it adds. Sums of a GPU are compared with
///        in tensor_sums_test.cpp and wmma_test.py.
#include "emulator/run/block/tensor_core.hpp"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <random>
#include <vector>

#include "emulator/words/half_type.hpp"

namespace ladder::emulator {
namespace {

/// C plus the products of two lines; bits in and out.
std::uint32_t sum_of_bits(TensorFormat format, const std::vector<std::uint32_t>& a,
                          const std::vector<std::uint32_t>& b, std::uint32_t c, std::size_t at_once,
                          bool half_sums = false) {
  constexpr std::size_t kLines = 8;
  TensorFactor first(format, kLines, a.size()), second(format, kLines, a.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    first.set(1, i, a[i]);
    second.set(2, i, b[i]);
  }
  std::vector<std::uint32_t> sums(kLines * kLines, c);
  add_products(first, second, at_once, half_sums, sums);
  return sums[1 * kLines + 2];
}

std::vector<std::uint32_t> halves(std::vector<float> values) {
  values.resize(16);
  std::vector<std::uint32_t> bits;
  for (const float value : values)
    bits.push_back(__half(value).bits());
  return bits;
}

float sum(const std::vector<float>& a, const std::vector<float>& b, float c) {
  return std::bit_cast<float>(
      sum_of_bits(TensorFormat::kHalf, halves(a), halves(b), std::bit_cast<std::uint32_t>(c), 16));
}

float half_sum(const std::vector<float>& a, const std::vector<float>& b, float c) {
  return __half::of_bits(static_cast<unsigned short>(
      sum_of_bits(TensorFormat::kHalf, halves(a), halves(b), __half(c).bits(), 16, true)));
}

TEST(EmulatorTensorCoreTest, SumsAreCutOffToFloat) {
  const float small = std::ldexp(1.0F, -12);  // its square is half a step of 1
  EXPECT_EQ(sum({small}, {small}, 1), 1);
  EXPECT_EQ(sum({small, small}, {small, small}, 1), 1 + std::ldexp(1.0F, -23));
  EXPECT_EQ(sum({small, small, small}, {small, small, small}, 1), 1 + std::ldexp(1.0F, -23));
  EXPECT_EQ(sum({-small}, {small}, 1), std::nextafter(1.0F, 0.0F));
}

TEST(EmulatorTensorCoreTest, WhatIsBehindThe25thBitIsLostBeforeTheSum) {
  const float tiny = std::ldexp(1.0F, -13);  // its square is 2^-26
  EXPECT_EQ(sum({tiny, tiny, tiny, tiny, tiny, tiny, tiny, tiny},
                {tiny, tiny, tiny, tiny, tiny, tiny, tiny, tiny}, 1),
            1);
  EXPECT_EQ(sum({-tiny}, {tiny}, 1), 1);
}

TEST(EmulatorTensorCoreTest, TheLargestExponentIsThatOfTheFactors) {
  // 1.5 * 1.5 is more than 2, but counts with the exponent 0.
  const float last = std::ldexp(1.0F, -12);
  EXPECT_EQ(sum({1.5F, -1.5F, last}, {1.5F, 1.5F, last / 2}, 0), std::ldexp(1.0F, -25));
  EXPECT_EQ(sum({2, -2, last}, {1.125F, 1.125F, last / 2}, 0), 0);
}

TEST(EmulatorTensorCoreTest, HalfSumsAreRounded) {
  const float step = std::ldexp(1.0F, -10);
  EXPECT_EQ(half_sum({step}, {0.5F}, 1), 1);  // the even one
  EXPECT_EQ(half_sum({step}, {0.75F}, 1), 1 + step);
  EXPECT_EQ(half_sum({step}, {1.5F}, 1), 1 + 2 * step);
  EXPECT_EQ(half_sum({65504}, {1}, 16), INFINITY);
  EXPECT_EQ(half_sum({-65504}, {2}, 0), -INFINITY);
  EXPECT_EQ(half_sum({std::ldexp(1.0F, -14)}, {std::ldexp(1.0F, -10)}, 0), std::ldexp(1.0F, -24));
}

TEST(EmulatorTensorCoreTest, InfinitiesAndNans) {
  EXPECT_EQ(sum({INFINITY}, {1}, 1), INFINITY);
  EXPECT_EQ(sum({INFINITY}, {-1}, 1), -INFINITY);
  for (const float nan :
       {sum({INFINITY}, {0}, 1), sum({INFINITY, -INFINITY}, {1, 1}, 0), sum({NAN}, {1}, 0),
        sum({1}, {INFINITY}, -INFINITY), sum({1}, {1}, NAN)}) {
    EXPECT_EQ(std::bit_cast<std::uint32_t>(nan), 0x7FFFFFFFu);
  }
  EXPECT_TRUE(std::isnan(half_sum({INFINITY}, {0}, 1)));
  EXPECT_EQ(sum({}, {}, -INFINITY), -INFINITY);
}

TEST(EmulatorTensorCoreTest, SubnormalsCount) {
  const float smallest = std::ldexp(1.0F, -24);  // of half
  EXPECT_EQ(sum({smallest}, {smallest}, 0), std::ldexp(1.0F, -48));
  EXPECT_EQ(sum({}, {}, std::ldexp(1.0F, -149)), std::ldexp(1.0F, -149));
  EXPECT_EQ(sum({1}, {1}, -1), 0);
}

TEST(EmulatorTensorCoreTest, InstructionsAddFourOrEightProductsOfTf32AtOnce) {
  const std::vector<std::uint32_t> ones(8, std::bit_cast<std::uint32_t>(1.0F));
  std::vector<std::uint32_t> small;
  for (int i = 0; i < 8; ++i) {
    // One in each half, half a step of 1. The lower 13 bits are not looked at.
    const float value = i % 4 == 1 ? std::ldexp(1.0F, -24) : 0.0F;
    small.push_back(std::bit_cast<std::uint32_t>(value) | 0x1FFFu);
  }
  const auto of = [&](std::size_t at_once) {
    return std::bit_cast<float>(
        sum_of_bits(TensorFormat::kTf32, ones, small, std::bit_cast<std::uint32_t>(1.0F), at_once));
  };
  EXPECT_EQ(of(4), 1);  // cut off twice
  EXPECT_EQ(of(8), 1 + std::ldexp(1.0F, -23));
}

/// Bits of a number with an exponent near 0, or of zero.
std::uint32_t random_input(TensorFormat format, std::mt19937& random) {
  if (random() % 16 == 0) return 0;
  const float fraction = 1 + static_cast<float>(random() % (1 << 23)) / (1 << 23);
  const float value = std::ldexp(fraction, static_cast<int>(random() % 24) - 12);
  const auto bits = std::bit_cast<std::uint32_t>(random() % 2 == 0 ? value : -value);
  return format == TensorFormat::kBfloat16 ? bits >> 16 : bits;
}

TEST(EmulatorTensorCoreTest, LargeAndSmallNumbersAddUpAlike) {
  constexpr int kScale = 55;  // beyond what short sums take
  constexpr std::uint32_t kScaleBits = std::uint32_t{kScale} << 23;
  std::mt19937 random(9);
  for (int run = 0; run < 3000; ++run) {
    const auto format = run % 2 == 0 ? TensorFormat::kBfloat16 : TensorFormat::kTf32;
    const std::size_t depth = format == TensorFormat::kTf32 ? 8 : 16;
    std::vector<std::uint32_t> a, b;
    for (std::size_t i = 0; i < depth; ++i) {
      a.push_back(random_input(format, random));
      b.push_back(random_input(format, random));
    }
    const std::uint32_t c = random_input(TensorFormat::kTf32, random);
    const std::uint32_t sum = sum_of_bits(format, a, b, c, depth);
    for (const bool up : {false, true}) {
      const auto scaled = [&](std::uint32_t bits, std::uint32_t scale) {
        if (bits << 1 == 0) return bits;
        return up ? bits + scale : bits - scale;
      };
      std::vector<std::uint32_t> scaled_a;
      for (const std::uint32_t each : a)
        scaled_a.push_back(
            scaled(each, format == TensorFormat::kBfloat16 ? kScaleBits >> 16 : kScaleBits));
      ASSERT_EQ(sum_of_bits(format, scaled_a, b, scaled(c, kScaleBits), depth),
                scaled(sum, kScaleBits))
          << "run " << run;
    }
  }
}

}  // namespace
}  // namespace ladder::emulator
