// SPDX-License-Identifier: MIT
/// \file  tests/emulator/emulator_tile_test.cpp
/// \brief ldmatrix, stmatrix and mma against the tables of the PTX ISA, element by element.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "emulator/words/tensor_functions.hpp"
#include "tests/emulator/expect_kernel_error.hpp"
#include "tests/emulator/tile_probes.hpp"

namespace ladder::emulator {
namespace {

constexpr char kFile[] = "tile_probes.cu";
constexpr int kElements = 8192;

using Random = std::mt19937;

std::vector<unsigned short> different_elements() {
  std::vector<unsigned short> memory(kElements);
  for (int i = 0; i < kElements; ++i)
    memory[static_cast<std::size_t>(i)] = static_cast<unsigned short>(i);
  return memory;
}

/// 32 rows of 8 elements that do not overlap, anywhere.
std::vector<int> random_places(Random& random) {
  std::vector<int> rows(kElements / 8);
  for (std::size_t i = 0; i < rows.size(); ++i)
    rows[i] = static_cast<int>(8 * i);
  std::ranges::shuffle(rows, random);
  rows.resize(32);
  return rows;
}

/// Where the element (row, column) of a tile is in memory.
std::size_t place_of(const std::vector<int>& places, int tile, int row, int column) {
  return static_cast<std::size_t>(places[static_cast<std::size_t>(8 * tile + row)] + column);
}

TEST(EmulatorTile, LdmatrixGivesLanesTheirElements) {
  const std::vector<unsigned short> memory = different_elements();
  Random random(1);
  for (const int tiles : {1, 2, 4}) {
    for (const bool transposed : {false, true}) {
      const std::vector<int> places = random_places(random);
      std::vector<unsigned> out(static_cast<std::size_t>(32 * tiles));
      probes::load_tiles(tiles, transposed, memory.data(), places.data(), out.data());
      for (int lane = 0; lane < 32; ++lane) {
        for (int tile = 0; tile < tiles; ++tile) {
          for (int i = 0; i < 2; ++i) {
            const int line = lane / 4, along = lane % 4 * 2 + i;
            const std::size_t place = transposed ? place_of(places, tile, along, line)
                                                 : place_of(places, tile, line, along);
            const unsigned word = out[static_cast<std::size_t>(tiles * lane + tile)];
            ASSERT_EQ(word >> 16 * i & 0xFFFF, memory[place])
                << tiles << (transposed ? " transposed" : "") << " tiles, lane " << lane
                << ", word " << tile << ", element " << i;
          }
        }
      }
    }
  }
}

TEST(EmulatorTile, StmatrixPutsElementsWhereTheyBelong) {
  Random random(2);
  for (const bool transposed : {false, true}) {
    const std::vector<int> places = random_places(random);
    std::vector<unsigned> in(128);
    for (unsigned i = 0; i < 128; ++i)
      in[i] = (2 * i + 2) << 16 | (2 * i + 1);
    std::vector<unsigned short> memory(kElements, 9);
    probes::store_tiles(transposed, in.data(), places.data(), memory.data());
    std::vector<unsigned short> expected(kElements, 0);
    for (int lane = 0; lane < 32; ++lane) {
      for (int tile = 0; tile < 4; ++tile) {
        for (int i = 0; i < 2; ++i) {
          const int line = lane / 4, along = lane % 4 * 2 + i;
          const std::size_t place = transposed ? place_of(places, tile, along, line)
                                               : place_of(places, tile, line, along);
          expected[place] =
              static_cast<unsigned short>(in[static_cast<std::size_t>(4 * lane + tile)] >> 16 * i);
        }
      }
    }
    EXPECT_EQ(memory, expected) << transposed;
  }
}

/// Matrices of small integers: every sum is exact, in whatever order it is added.
std::vector<float> integers(std::size_t count, Random& random) {
  std::vector<float> values(count);
  for (float& value : values)
    value = static_cast<float>(static_cast<int>(random() % 17) - 8);
  return values;
}

std::uint32_t bf16(float value) {
  return std::bit_cast<std::uint32_t>(value) >> 16;
}

/// C + A B for A (16, depth), B (depth, 8), row by row.
std::vector<float> product(const std::vector<float>& a, const std::vector<float>& b,
                           std::vector<float> c, std::size_t depth) {
  for (std::size_t row = 0; row < 16; ++row) {
    for (std::size_t column = 0; column < 8; ++column) {
      for (std::size_t k = 0; k < depth; ++k)
        c[8 * row + column] += a[depth * row + k] * b[8 * k + column];
    }
  }
  return c;
}

/// The element (row, column) of the sum that register i of a lane holds.
std::size_t sum_place(std::size_t lane, std::size_t i) {
  return 8 * (lane / 4 + i / 2 * 8) + lane % 4 * 2 + i % 2;
}

std::vector<float> to_lanes(const std::vector<float>& sum) {
  std::vector<float> lanes(128);
  for (std::size_t i = 0; i < 128; ++i)
    lanes[i] = sum[sum_place(i / 4, i % 4)];
  return lanes;
}

TEST(EmulatorTile, ProductsOfBf16) {
  Random random(3);
  for (int run = 0; run < 50; ++run) {
    const auto a = integers(16 * 16, random), b = integers(16 * 8, random),
               c = integers(16 * 8, random);
    std::vector<unsigned> lanes_a(128), lanes_b(64);
    for (std::size_t lane = 0; lane < 32; ++lane) {
      const std::size_t r = lane / 4, column = lane % 4 * 2;
      for (std::size_t i = 0; i < 4; ++i) {
        const float* const first = &a[16 * (r + i % 2 * 8) + column + i / 2 * 8];
        lanes_a[4 * lane + i] = bf16(first[1]) << 16 | bf16(first[0]);
      }
      for (std::size_t i = 0; i < 2; ++i) {
        const float* const first = &b[8 * (column + 8 * i) + r];
        lanes_b[2 * lane + i] = bf16(first[8]) << 16 | bf16(first[0]);
      }
    }
    std::vector<float> sums = to_lanes(c);
    probes::multiply_bf16(lanes_a.data(), lanes_b.data(), sums.data());
    ASSERT_EQ(sums, to_lanes(product(a, b, c, 16)));
  }
}

TEST(EmulatorTile, ProductsOfTf32) {
  Random random(4);
  for (int run = 0; run < 50; ++run) {
    const auto a = integers(16 * 8, random), b = integers(8 * 8, random),
               c = integers(16 * 8, random);
    std::vector<float> lanes_a(128), lanes_b(64);
    for (std::size_t lane = 0; lane < 32; ++lane) {
      const std::size_t r = lane / 4, column = lane % 4;
      for (std::size_t i = 0; i < 4; ++i)
        lanes_a[4 * lane + i] = a[8 * (r + i % 2 * 8) + column + i / 2 * 4];
      for (std::size_t i = 0; i < 2; ++i)
        lanes_b[2 * lane + i] = b[8 * (column + 4 * i) + r];
    }
    std::vector<float> sums = to_lanes(c);
    probes::multiply_tf32(lanes_a.data(), lanes_b.data(), sums.data());
    ASSERT_EQ(sums, to_lanes(product(a, b, c, 8)));
  }
}

TEST(EmulatorTile, FloatsAreRoundedToTf32) {
  std::vector<float> a(128, 0), b(64, 0), sums(128, 0);
  a[0] = 1 + 0x1p-11F;   // row 0, column 0: a tie, to the even number below
  a[4] = 1 + 0x3p-11F;   // row 0, column 1: a tie, to the even number above
  a[8] = -1 - 0x5p-13F;  // row 0, column 2: to the nearest, further from zero
  b[0] = 1;              // row 0, column 0
  b[2] = 1;              // row 1, column 0
  b[4] = 1;              // row 2, column 0
  probes::multiply_tf32(a.data(), b.data(), sums.data());
  EXPECT_EQ(sums[0], 1 + (1 + 0x1p-9F) - (1 + 0x1p-10F));
}

TEST(EmulatorTile, WhatIsNotFiniteStaysSo) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const auto bits = [](float x) { return std::bit_cast<float>(round_to_even_tf32(x)); };
  EXPECT_EQ(bits(kInfinity), kInfinity);
  EXPECT_EQ(bits(-kInfinity), -kInfinity);
  for (const std::uint32_t nan : {0x7FFFFFFFu, 0x7F800001u, 0xFFC00000u}) {
    EXPECT_TRUE(std::isnan(bits(std::bit_cast<float>(nan))));
  }
  EXPECT_EQ(bits(std::numeric_limits<float>::max()), kInfinity);
}

TEST(EmulatorTile, RowsThatAreNone) {
  const auto misuse = [](probes::TileMisuse kind) { return [=] { probes::misuse_tiles(kind); }; };
  expect_kernel_error(misuse(probes::TileMisuse::kOddRowLoaded),
                      {FaultKind::kMisalignedArgument, kFile, "8 bytes off"});
  expect_kernel_error(misuse(probes::TileMisuse::kOddRowStored),
                      {FaultKind::kMisalignedArgument, kFile, "stored 8 bytes off"});
  expect_kernel_error(misuse(probes::TileMisuse::kRowOfGlobalMemory),
                      {FaultKind::kOutsideShared, kFile, "not in shared memory"});
}

TEST(EmulatorTile, AProductNeedsTheWholeWarp) {
  expect_kernel_error([] { probes::misuse_tiles(probes::TileMisuse::kHalfAWarp); },
                      {FaultKind::kWarpIncomplete, kFile, "by 16 lanes"});
}

}  // namespace
}  // namespace ladder::emulator
