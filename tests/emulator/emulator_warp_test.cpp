// SPDX-License-Identifier: MIT
/// \file  tests/emulator/emulator_warp_test.cpp
/// \brief Shuffles, votes, matches and reductions against their definitions, lane by lane.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <random>
#include <vector>

#include "tests/emulator/probes.hpp"

namespace ladder::probes {
namespace {

constexpr unsigned kAll = 0xFFFFFFFFu;
const unsigned kMasks[] = {kAll, 0x0000FFFFu, 0xFFFF0000u, 0x55555555u, 0x80000001u, 0x00000400u};

std::vector<int> random_values(std::size_t count, int distinct) {
  std::mt19937 random(42);
  std::vector<int> values(count);
  for (int& value : values)
    value = static_cast<int>(random() % distinct) - distinct / 2;
  return values;
}

/// The lane that PTX's shfl reads, from its definition with a clamp value; itself if out of range.
int source_lane(int kind, int lane, int operand, int width) {
  const int first = lane / width * width;
  const int last = first + width - 1;
  int source = 0;
  if (kind == 0) return first + operand % width;
  if (kind == 1) source = lane - operand >= first ? lane - operand : lane;
  if (kind == 2) source = lane + operand <= last ? lane + operand : lane;
  if (kind == 3) source = (lane ^ operand) <= last ? lane ^ operand : lane;
  return source;
}

TEST(EmulatorWarp, ShufflesReadTheLaneOfTheirDefinition) {
  const std::vector<int> in = random_values(64, 1 << 30);
  for (const unsigned mask : kMasks) {
    for (const int width : {1, 2, 4, 8, 16, 32}) {
      for (const int operand : {0, 1, 3, 16, 31}) {
        std::vector<int> out(64 * 4, 7777);
        shuffle_ints(64, mask, width, operand, in.data(), out.data());
        for (int thread = 0; thread < 64; ++thread) {
          const int lane = thread % 32;
          for (int kind = 0; kind < 4; ++kind) {
            const int source = source_lane(kind, lane, operand, width);
            int expected = mask >> source & 1u ? in[thread - lane + source] : -1;
            if (!(mask >> lane & 1u)) expected = 7777;
            ASSERT_EQ(out[4 * thread + kind], expected)
                << "mask " << mask << " width " << width << " operand " << operand << " thread "
                << thread << " kind " << kind;
          }
        }
      }
    }
  }
}

TEST(EmulatorWarp, ShufflesMoveAllTypes) {
  std::vector<double> doubles(32);
  std::vector<long long> longs(32);
  std::vector<float> halves(32);
  shuffle_types(kAll, doubles.data(), longs.data(), halves.data());
  for (int lane = 0; lane < 32; ++lane) {
    EXPECT_EQ(doubles[lane], 1.0 / ((lane ^ 1) + 1));
    EXPECT_EQ(longs[lane], 10000000000LL * (lane ^ 1));
    EXPECT_EQ(halves[lane], 0.5f * (lane ^ 1));
  }
}

TEST(EmulatorWarp, VotesCountTheLanesOfTheMask) {
  for (const unsigned mask : kMasks) {
    for (const unsigned wanted : {0u, kAll, 0x12345678u, mask}) {
      std::vector<int> predicates(32);
      for (int lane = 0; lane < 32; ++lane)
        predicates[lane] = wanted >> lane & 1u ? lane + 5 : 0;
      std::vector<unsigned> out(96, 99);
      vote(32, mask, predicates.data(), out.data());
      for (int lane = 0; lane < 32; ++lane) {
        const bool in = mask >> lane & 1u;
        EXPECT_EQ(out[3 * lane], in ? mask & wanted : 99u);
        EXPECT_EQ(out[3 * lane + 1], in ? (mask & wanted) != 0 : 99u);
        EXPECT_EQ(out[3 * lane + 2], in ? (mask & ~wanted) == 0 : 99u);
      }
    }
  }
}

TEST(EmulatorWarp, MatchFindsEqualValues) {
  for (const unsigned mask : kMasks) {
    for (const int distinct : {1, 3, 1000}) {
      const std::vector<int> in = random_values(32, distinct);
      std::vector<unsigned> any(32, 99);
      std::vector<unsigned> all(32, 99);
      std::vector<int> equal(32, 99);
      match(mask, in.data(), any.data(), all.data(), equal.data());
      for (int lane = 0; lane < 32; ++lane) {
        if (!(mask >> lane & 1u)) continue;
        unsigned same = 0;
        for (int other = 0; other < 32; ++other) {
          same |= ((mask >> other & 1u) && in[other] == in[lane] ? 1u : 0u) << other;
        }
        EXPECT_EQ(any[lane], same);
        EXPECT_EQ(all[lane], same == mask ? mask : 0u);
        EXPECT_EQ(equal[lane], same == mask);
      }
    }
  }
}

TEST(EmulatorWarp, ReductionsFoldTheLanesOfTheMask) {
  const std::vector<int> in = random_values(32, 1 << 20);
  for (const unsigned mask : kMasks) {
    unsigned sum = 0;
    unsigned bits[3] = {kAll, 0, 0};
    std::vector<int> part;
    for (int lane = 0; lane < 32; ++lane) {
      if (!(mask >> lane & 1u)) continue;
      const auto value = static_cast<unsigned>(in[lane]);
      sum += value;
      bits[0] &= value;
      bits[1] |= value;
      bits[2] ^= value;
      part.push_back(in[lane]);
    }
    const std::vector<unsigned> unsigned_part(part.begin(), part.end());
    std::vector<int> out(96);
    std::vector<unsigned> out_bits(160);
    reduce(mask, in.data(), out.data(), out_bits.data());
    const int lane = std::countr_zero(mask);
    EXPECT_EQ(static_cast<unsigned>(out[3 * lane]), sum);
    EXPECT_EQ(out[3 * lane + 1], *std::min_element(part.begin(), part.end()));
    EXPECT_EQ(out[3 * lane + 2], *std::max_element(part.begin(), part.end()));
    for (int i = 0; i < 3; ++i)
      EXPECT_EQ(out_bits[5 * lane + i], bits[i]);
    EXPECT_EQ(out_bits[5 * lane + 3],
              *std::min_element(unsigned_part.begin(), unsigned_part.end()));
    EXPECT_EQ(out_bits[5 * lane + 4],
              *std::max_element(unsigned_part.begin(), unsigned_part.end()));
  }
}

TEST(EmulatorWarp, HalvesOfAWarpGoTheirOwnWays) {
  std::vector<int> out(32);
  halves_of_a_warp(out.data());
  for (int lane = 0; lane < 32; ++lane)
    EXPECT_EQ(out[lane], 1000 + (lane < 16 ? 120 : 961));
}

TEST(EmulatorWarp, ALaneMayMeetOthersFirst) {
  std::vector<int> out(32);
  chain_of_masks(out.data());
  EXPECT_EQ(out[0], 1);
  EXPECT_EQ(out[1], 2 + 10 * 3 + 100 * 3);
  EXPECT_EQ(out[2], 3 + 100 * (2 + 10 * 3));
  EXPECT_EQ(out[3], 4 + 10 * 1);
}

TEST(EmulatorWarp, ActiveMaskHoldsTheLanesOfTheBranch) {
  std::vector<unsigned> out(64, 99);
  active_mask(out.data());
  for (unsigned lane = 0; lane < 32; ++lane) {
    EXPECT_EQ(out[lane], kAll);
    const unsigned expected = lane % 4 == 0 ? 0x11111111u : lane < 8 ? 0xEEu : 0u;
    EXPECT_EQ(out[32 + lane], expected) << lane;
  }
}

TEST(EmulatorWarp, LanesThatDoNotExistAreNotWaitedFor) {
  std::vector<float> out(32);
  sum_of_partial_warp(32, out.data());
  EXPECT_EQ(out[0], 32.0f);
  sum_of_partial_warp(20, out.data());
  EXPECT_TRUE(std::isnan(out[0])) << "a lane that does not exist was read";
}

}  // namespace
}  // namespace ladder::probes
