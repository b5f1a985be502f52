// SPDX-License-Identifier: MIT
/// \file  tests/emulator/emulator_tensor_core_test.cpp
/// \brief Sums of the tensor core whose last bit shows how it adds; products of wmma_test.py come
///        from a GPU.
#include "emulator/run/block/tensor_core.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
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

}  // namespace
}  // namespace ladder::emulator
