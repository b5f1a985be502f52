// SPDX-License-Identifier: MIT
/// \file  tests/emulator/emulator_wgmma_test.cpp
/// \brief wgmma against the layouts of the PTX ISA, and what it wants of its callers.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

#include "emulator/run/settings.hpp"
#include "tests/emulator/copy_arrival_name.hpp"
#include "tests/emulator/expect_kernel_error.hpp"
#include "tests/emulator/wgmma_probes.hpp"

namespace ladder::emulator {
namespace {

constexpr char kFile[] = "wgmma_probes.cu";
constexpr int kLines = 64;  // of either factor
constexpr std::size_t kFactorBytes = 16384;

class EmulatorWgmma : public testing::TestWithParam<CopyArrival> {
 protected:
  EmulatorWgmma() { set_copy_arrival(GetParam()); }
  ~EmulatorWgmma() override { set_copy_arrival(CopyArrival::kLate); }
};

INSTANTIATE_TEST_SUITE_P(Arrivals, EmulatorWgmma,
                         testing::Values(CopyArrival::kLate, CopyArrival::kEarly),
                         testing::PrintToStringParamName());

/// A factor of 64 lines and some depth, of small integers: sums are exact.
struct Factor {
  int depth;
  std::vector<float> elements;  // (64, depth)

  Factor(int deep, std::mt19937& random)
      : depth(deep), elements(static_cast<std::size_t>(kLines * deep)) {
    for (float& element : elements)
      element = static_cast<float>(static_cast<int>(random() % 17) - 8);
  }
  float at(int line, int k) const { return elements[static_cast<std::size_t>(line * depth + k)]; }
};

/// Writes an element into memory as BF16, or as FP16.
void put(std::vector<unsigned char>& memory, std::size_t place, float element,
         bool halves = false) {
  const auto bits = halves
                        ? std::bit_cast<std::uint16_t>(static_cast<_Float16>(element))
                        : static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(element) >> 16);
  std::memcpy(&memory.at(place), &bits, sizeof bits);
}

/// Piece `piece` of row `row` of swizzled rows of up to 128 bytes: from the table of the PTX ISA.
std::size_t piece_place(std::size_t row, std::size_t piece, std::size_t row_bytes) {
  const std::size_t pieces = row_bytes / 16;
  const std::size_t line = row * row_bytes / 128;
  const std::size_t moved = row_bytes > 16 ? piece ^ line % pieces : piece;
  return row * row_bytes + 16 * moved;
}

/// Rows along K: row `line` has the whole depth, which is a row's length.
std::vector<unsigned char> along_k(const Factor& factor, std::size_t row_bytes) {
  std::vector<unsigned char> memory(kFactorBytes);
  for (int line = 0; line < kLines; ++line) {
    for (int k = 0; k < factor.depth; ++k) {
      const auto at = static_cast<std::size_t>(2 * k);
      put(memory, piece_place(static_cast<std::size_t>(line), at / 16, row_bytes) + at % 16,
          factor.at(line, k));
    }
  }
  return memory;
}

/// Rows across K: a box of all K for every row's length of lines, one box behind the other.
std::vector<unsigned char> across_k(const Factor& factor, std::size_t row_bytes,
                                    bool halves = false) {
  std::vector<unsigned char> memory(kFactorBytes);
  const auto in_row = static_cast<int>(row_bytes / 2);
  const std::size_t box_bytes = row_bytes * static_cast<std::size_t>(factor.depth);
  for (int line = 0; line < kLines; ++line) {
    for (int k = 0; k < factor.depth; ++k) {
      const auto at = static_cast<std::size_t>(2 * (line % in_row));
      put(memory,
          static_cast<std::size_t>(line / in_row) * box_bytes +
              piece_place(static_cast<std::size_t>(k), at / 16, row_bytes) + at % 16,
          factor.at(line, k), halves);
    }
  }
  return memory;
}

void expect_product(const Factor& a, const Factor& b, const std::vector<float>& out) {
  for (int thread = 0; thread < 128; ++thread) {
    const int lane = thread % 32;
    for (int i = 0; i < 32; ++i) {
      const int row = 16 * (thread / 32) + lane / 4 + (i % 4 >= 2 ? 8 : 0);
      const int column = 8 * (i / 4) + 2 * (lane % 4) + i % 2;
      float expected = 0;
      for (int k = 0; k < a.depth; ++k)
        expected += a.at(row, k) * b.at(column, k);
      ASSERT_EQ(out[static_cast<std::size_t>(32 * thread + i)], expected)
          << "thread " << thread << ", sum " << i;
    }
  }
}

TEST_P(EmulatorWgmma, FactorsWithRowsAlongK) {
  std::mt19937 random(1);
  for (const auto swizzle :
       {ptx::Swizzle::rows_of_32, ptx::Swizzle::rows_of_64, ptx::Swizzle::rows_of_128}) {
    const unsigned row_bytes = swizzled_row_bytes(swizzle);
    const int depth = static_cast<int>(row_bytes / 2);
    const Factor a(depth, random), b(depth, random);
    const auto memory_a = along_k(a, row_bytes), memory_b = along_k(b, row_bytes);
    std::vector<float> out(4096);
    probes::multiply({memory_a.data(), memory_b.data(), swizzle, false, false, 0, 8 * row_bytes,
                      depth / 16, 32, 32},
                     out.data());
    expect_product(a, b, out);
    if (HasFatalFailure()) return;
  }
}

TEST_P(EmulatorWgmma, FactorsWithRowsAcrossK) {
  std::mt19937 random(2);
  for (const auto swizzle :
       {ptx::Swizzle::rows_of_32, ptx::Swizzle::rows_of_64, ptx::Swizzle::rows_of_128}) {
    const unsigned row_bytes = swizzled_row_bytes(swizzle);
    const int depth = 64;
    const Factor a(depth, random), b(depth, random);
    const auto memory_a = across_k(a, row_bytes), memory_b = across_k(b, row_bytes);
    std::vector<float> out(4096);
    probes::multiply({memory_a.data(), memory_b.data(), swizzle, true, true,
                      row_bytes * static_cast<unsigned>(depth), 8 * row_bytes, depth / 16,
                      16 * row_bytes, 16 * row_bytes},
                     out.data());
    expect_product(a, b, out);
    if (HasFatalFailure()) return;
  }
}

/// FP16 has the same layout, but more bits: 2^-10 is one of 1 + 2^-10, and 2^-24 a number.
TEST_P(EmulatorWgmma, FactorsInFp16) {
  std::mt19937 random(4);
  Factor a(64, random), b(64, random);
  for (float& element : a.elements)
    element = 1 + element * 0x1p-10f;
  for (float& element : b.elements)
    element *= 0x1p-24f;
  const auto memory_a = across_k(a, 128, true), memory_b = across_k(b, 128, true);
  std::vector<float> out(4096);
  probes::multiply({memory_a.data(), memory_b.data(), ptx::Swizzle::rows_of_128, true, true,
                    128 * 64, 1024, 4, 2048, 2048, true},
                   out.data());
  expect_product(a, b, out);
}

/// Without a swizzle, 8 rows of 16 bytes are a tile of 128 bytes that lie together.
TEST_P(EmulatorWgmma, FactorsInTilesWithoutASwizzle) {
  std::mt19937 random(3);
  const Factor a(16, random), b(16, random);
  const auto tiles = [](const Factor& factor) {  // (64 / 8, 16 / 8) tiles
    std::vector<unsigned char> memory(kFactorBytes);
    for (int line = 0; line < kLines; ++line) {
      for (int k = 0; k < 16; ++k) {
        put(memory,
            static_cast<std::size_t>(line / 8 * 256 + k / 8 * 128 + line % 8 * 16 + k % 8 * 2),
            factor.at(line, k));
      }
    }
    return memory;
  };
  const auto memory_a = tiles(a), memory_b = tiles(b);
  std::vector<float> out(4096);
  probes::multiply(
      {memory_a.data(), memory_b.data(), ptx::Swizzle::none, false, false, 128, 256, 1, 0, 0},
      out.data());
  expect_product(a, b, out);
}

/// All elements are 1: each product adds 16.
std::vector<unsigned char> ones() {
  std::vector<unsigned char> memory(kFactorBytes);
  for (std::size_t i = 0; i < kFactorBytes; i += 2)
    put(memory, i, 1);
  return memory;
}

TEST_P(EmulatorWgmma, SumsAreTheProgramsAfterTheWait) {
  float out[4];
  probes::watch_wgmma_groups(ones().data(), ones().data(), out);
  EXPECT_TRUE(std::isnan(out[0])) << out[0];
  EXPECT_EQ(out[1], 16);
  EXPECT_TRUE(std::isnan(out[2])) << out[2];
  EXPECT_EQ(out[3], 16);
}

TEST_P(EmulatorWgmma, AFactorIsReadAsLateAsItMayBe) {
  float sum = -1;
  probes::overwrite_factor_too_early(ones().data(), ones().data(), &sum);
  EXPECT_EQ(sum, GetParam() == CopyArrival::kLate ? 0 : 16);
}

TEST_P(EmulatorWgmma, WhatItWantsOfItsCallers) {
  using enum probes::WgmmaMisuse;
  const auto misuse = [](probes::WgmmaMisuse kind, unsigned threads = 128) {
    SCOPED_TRACE(static_cast<int>(kind));
    return [=] { probes::misuse_wgmma(kind, threads); };
  };
  const char* const line = "by no warpgroup, or not fenced";
  probes::misuse_wgmma(kNone, 256);
  expect_kernel_error(misuse(kNone, 96), {FaultKind::kWgmmaNoWarpgroup, kFile, line});
  expect_kernel_error(misuse(kNoFence), {FaultKind::kWgmmaUnfenced, kFile, line});
  expect_kernel_error(misuse(kNoSecondFence),
                      {FaultKind::kWgmmaUnfenced, kFile, "without a second fence"});
  expect_kernel_error(misuse(kNoWait), {FaultKind::kWgmmaUnfinished, kFile, line});
  expect_kernel_error(misuse(kThreeWarps),
                      {FaultKind::kWgmmaPartial,
                       kFile,
                       line,
                       {},
                       {},
                       {{"warp", 2u}, {"products", 1u}, {"other_products", 0u}}});
  expect_kernel_error(misuse(kHalfAWarp), {FaultKind::kWarpIncomplete, kFile, line});
  const Fault different = expect_kernel_error(misuse(kDifferentFactors),
                                              {FaultKind::kWarpDifferentMatrices, kFile, line});
  EXPECT_EQ(different.fields.word("function"), "wgmma");
  expect_kernel_error(misuse(kFactorOutside), {FaultKind::kOutsideShared, kFile, line});
}

}  // namespace
}  // namespace ladder::emulator
