// SPDX-License-Identifier: MIT
/// \file  tests/common/side_aware/parity_mask_test.cpp
/// \brief The mask of a parity comes out of labelled addresses, some labels wrong; or nothing does.
#include <gtest/gtest.h>

#include <bit>
#include <random>
#include <stdexcept>

#include "common/side_aware/two_sides.hpp"
#include "tests/bench/labs/made_up_curves.hpp"

namespace ladder::side_aware {
namespace {

using labs::draws;

constexpr int kLowest = 7;
constexpr int kHighest = 20;

struct Labelled {
  std::vector<std::uint64_t> addresses;
  std::vector<int> sides;
};

/// Random lines of a page of 2 MiB; some labels are wrong.
Labelled labelled(std::uint64_t mask, int constant, std::size_t count, double wrong,
                  std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> uniform;
  Labelled made;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t address = random() % (1 << 21) & ~std::uint64_t{127};
    made.addresses.push_back(address);
    const int side = (std::popcount(address & mask) & 1) ^ constant;
    made.sides.push_back(side ^ (uniform(random) < wrong ? 1 : 0));
  }
  return made;
}

TEST(ParityMask, PublishedMasksAreFound) {
  // H100, GH200 and GB200, as github.com/ademeure/cuda-side-boost reports them.
  for (const std::uint64_t mask : {0xB3000u, 0xAB000u, 0x1EF000u}) {
    const Labelled made = labelled(mask, 1, 256, 0.02, mask);
    const auto found = fit_parity(made.addresses, made.sides, kLowest, kHighest, 1);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->mask, mask);
    EXPECT_EQ(found->constant, 1);
    EXPECT_GT(found->agreement, 0.95);
  }
}

TEST(ParityMask, RandomMasksAreFoundWithWrongLabels) {
  std::mt19937_64 random(7);
  for (int seed = 0; seed < draws(); ++seed) {
    const std::uint64_t mask = (1 + random() % ((1 << 14) - 1)) << kLowest;
    const Labelled made = labelled(mask, seed % 2, 400, 0.015, static_cast<std::uint64_t>(seed));
    const auto found =
        fit_parity(made.addresses, made.sides, kLowest, kHighest, static_cast<std::uint64_t>(seed));
    ASSERT_TRUE(found) << "seed " << seed;
    EXPECT_EQ(found->mask, mask) << "seed " << seed;
    EXPECT_EQ(found->constant, seed % 2) << "seed " << seed;
  }
}

TEST(ParityMask, LabelsThatNoParityExplainsGiveNone) {
  for (int seed = 0; seed < draws(); ++seed) {
    Labelled made = labelled(0, 0, 256, 0.5, static_cast<std::uint64_t>(seed));
    EXPECT_FALSE(fit_parity(made.addresses, made.sides, kLowest, kHighest, 1)) << "seed " << seed;
  }
}

TEST(ParityMask, AnAndOfBitsIsNoParity) {
  Labelled made = labelled(0, 0, 512, 0, 3);
  for (std::size_t i = 0; i < made.sides.size(); ++i) {
    made.sides[i] = (made.addresses[i] >> 12 & 1) & (made.addresses[i] >> 13 & 1);
  }
  EXPECT_FALSE(fit_parity(made.addresses, made.sides, kLowest, kHighest, 1));
}

TEST(ParityMask, TheSideOfAnAddressIsItsParity) {
  const ParityMask mask{.mask = 0x3000, .constant = 1};
  EXPECT_EQ(mask.side_of(0), 1);
  EXPECT_EQ(mask.side_of(0x1000), 0);
  EXPECT_EQ(mask.side_of(0x3fff), 1);
}

TEST(ParityMask, NeedsEnoughAddresses) {
  const Labelled made = labelled(0x1000, 0, 20, 0, 1);
  EXPECT_THROW(fit_parity(made.addresses, made.sides, kLowest, kHighest, 1), std::invalid_argument);
  const std::vector<int> sides(10);
  EXPECT_THROW(fit_parity(made.addresses, sides, 12, 13, 1), std::invalid_argument);
  EXPECT_THROW(fit_parity(made.addresses, made.sides, 13, 12, 1), std::invalid_argument);
}

}  // namespace
}  // namespace ladder::side_aware
