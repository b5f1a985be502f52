// SPDX-License-Identifier: MIT
/// \file  tests/emulator/emulator_tensor_core_test.cpp
/// \brief Sums of the tensor core whose last bit shows how it adds; products of wmma_test.py come
///        from a GPU.
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

constexpr TensorFormat kHalf = TensorFormat::kHalf;

std::vector<TensorNumber> halves(std::vector<float> values) {
  values.resize(16);
  std::vector<TensorNumber> numbers;
  for (const float value : values)
    numbers.push_back(tensor_input(kHalf, __half(value).bits()));
  return numbers;
}

float sum(const std::vector<float>& a, const std::vector<float>& b, float c) {
  return std::bit_cast<float>(
      tensor_sum(kHalf, false, halves(a), halves(b), std::bit_cast<std::uint32_t>(c)));
}

float half_sum(const std::vector<float>& a, const std::vector<float>& b, float c) {
  const std::uint32_t bits = tensor_sum(kHalf, true, halves(a), halves(b), __half(c).bits());
  return __half::of_bits(static_cast<unsigned short>(bits));
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

TEST(EmulatorTensorCoreTest, Tf32TakesFourProductsAtOnce) {
  std::vector<TensorNumber> ones, small;
  for (int i = 0; i < 8; ++i) {
    ones.push_back(tensor_input(TensorFormat::kTf32, std::bit_cast<std::uint32_t>(1.0F)));
    // The lower 13 bits are not looked at.
    const float value = i % 4 < 2 ? std::ldexp(1.0F, -25) : 0.0F;
    small.push_back(
        tensor_input(TensorFormat::kTf32, std::bit_cast<std::uint32_t>(value) | 0x1FFFu));
  }
  // Twice half a step of 1, which is cut off.
  EXPECT_EQ(tensor_sum(TensorFormat::kTf32, false, ones, small, std::bit_cast<std::uint32_t>(1.0F)),
            std::bit_cast<std::uint32_t>(1.0F));
}

/// Bits of an input: any at all, most of them with exponents near each other.
std::uint32_t random_input(TensorFormat format, std::mt19937& random) {
  const std::uint32_t any = static_cast<std::uint32_t>(random());
  if (random() % 16 == 0) return 0;
  if (format == TensorFormat::kHalf)
    return random() % 64 == 0 ? any & 0xFFFF : 0x3000u ^ (any & 0x8FFF);
  const float near =
      std::ldexp(1 + static_cast<float>(any % 4096) / 4096, static_cast<int>(random() % 24) - 12);
  const float value = random() % 2 == 0 ? near : -near;
  const auto bits = random() % 64 == 0 ? any : std::bit_cast<std::uint32_t>(value);
  return format == TensorFormat::kBfloat16 ? bits >> 16 : bits;
}

TEST(EmulatorTensorCoreTest, FactorsGiveTheSameSums) {
  std::mt19937 random(9);
  for (int run = 0; run < 3000; ++run) {
    const auto format = std::array{TensorFormat::kHalf, TensorFormat::kBfloat16,
                                   TensorFormat::kTf32}[static_cast<std::size_t>(run) % 3];
    const bool half_sums = format == TensorFormat::kHalf && random() % 2 == 0;
    const std::size_t depth = format == TensorFormat::kTf32 ? 8 : 16;
    TensorFactor a(format, 2, depth), b(format, 3, depth);
    std::vector<TensorNumber> line_a, line_b;
    for (std::size_t i = 0; i < depth; ++i) {
      const std::uint32_t bits_a = random_input(format, random);
      const std::uint32_t bits_b = random_input(format, random);
      a.set(1, i, bits_a);
      b.set(2, i, bits_b);
      line_a.push_back(tensor_input(format, bits_a));
      line_b.push_back(tensor_input(format, bits_b));
    }
    const std::uint32_t c = half_sums ? random_input(TensorFormat::kHalf, random)
                                      : random_input(TensorFormat::kTf32, random);
    ASSERT_EQ(tensor_product(a, 1, b, 2, half_sums, c),
              tensor_sum(format, half_sums, line_a, line_b, c))
        << "run " << run;
  }
}

}  // namespace
}  // namespace ladder::emulator
