// SPDX-License-Identifier: MIT
/// \file  tests/common/side_aware/work_split_test.cpp
/// \brief All slots together work on each vector exactly once, and on the side that they should.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>

#include "common/side_aware/error.hpp"
#include "common/side_aware/host_walk.hpp"
#include "common/side_aware/kernels/work_split.hpp"

namespace ladder::side_aware {
namespace {

constexpr OperationShape kCopy = {.element_bytes = 4,
                                  .leads_with_output = 1,
                                  .output_alignment = {16},
                                  .input_alignment = {16},
                                  .sum_bytes = 0};
constexpr Address kBlock = std::uint64_t{12} << 30;
constexpr std::uint64_t kMasks[] = {0xAB000, 0xB3000, 0x1EF000, 0x1000};

/// A launch as random as it may be.
struct Draw {
  explicit Draw(unsigned seed) : random(seed) {}

  LaunchPlan plan() {
    mask = kMasks[random() % std::size(kMasks)];
    assignment = static_cast<Assignment>(random() % 4);
    const std::size_t pages = 1 + random() % 4;
    rule = {.block = kBlock, .bytes = pages * kPageBytes};
    if (random() % 2 == 0) {
      for (std::size_t page = 0; page < pages; ++page)
        rule.off_rule.push_back(random() % 2 == 0);
    }
    const std::uint64_t offset = random() % 3 == 0 ? 0 : random() % (pages * kPageBytes / 16) * 16;
    const std::uint64_t room = (pages * kPageBytes - offset) / 4;
    elements = random() % 4 == 0 ? random() % 40 % (room + 1) : random() % (room + 1);
    first = kBlock + offset;
    GpuSides sides = {.mask = mask, .of_sm = {}};
    const std::size_t sms = 1 + random() % 9;
    for (std::size_t sm = 0; sm < sms; ++sm)
      sides.of_sm.push_back(static_cast<int>(random() % 2));
    return plan_launch(
        kCopy, {.outputs = {first}, .inputs = {std::uint64_t{1} << 40}, .elements = elements}, rule,
        sides, assignment, 1 + random() % 3);
  }

  std::mt19937 random;
  std::uint64_t mask = 0;
  Assignment assignment = Assignment::off;
  SideRule rule;
  std::uint64_t elements = 0;
  Address first = 0;
};

TEST(WorkSplit, EachVectorOnceAndOnTheRightSide) {
  for (unsigned seed = 1; seed <= 400; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Draw draw(seed);
    const LaunchPlan plan = draw.plan();
    const unsigned pairs = 1u << draw.random() % 4;
    // One more than the whole vectors: the last elements.
    const auto vectors = static_cast<std::int64_t>(plan.arguments.vectors) + 1;
    std::vector<int> visits(static_cast<std::size_t>(vectors));
    std::uint64_t near = 0;
    for (unsigned side = 0; side < 2; ++side) {
      for (unsigned slot = 0; slot < plan.arguments.slots[side]; ++slot) {
        visit_granules(plan, side, slot, pairs, [&](std::int64_t granule) {
          for (std::int64_t vector = granule; vector < granule + kGranuleVectors; ++vector) {
            if (vector < 0 || vector >= vectors) continue;
            ++visits[static_cast<std::size_t>(vector)];
            const Address at = draw.first + static_cast<std::uint64_t>(vector) * kVectorBytes;
            if (vector + 1 == vectors) continue;  // may lie behind the block
            near += side_of(at, draw.rule, draw.mask) == static_cast<int>(side) ? 1 : 0;
          }
        });
      }
    }
    EXPECT_EQ(std::ranges::count(visits, 1), vectors);
    if (draw.assignment == Assignment::right) {
      EXPECT_EQ(near, plan.arguments.vectors);
    }
    if (draw.assignment == Assignment::wrong) {
      EXPECT_EQ(near, 0u);
    }
  }
}

TEST(WorkSplit, RandomIsNearForHalf) {
  for (const std::uint64_t mask : kMasks) {
    for (const Assignment assignment : {Assignment::random, Assignment::off}) {
      const SideRule rule = {.block = kBlock, .bytes = 16 * kPageBytes};
      const LaunchPlan plan =
          plan_launch(kCopy, {.outputs = {kBlock}, .inputs = {16}, .elements = rule.bytes / 4},
                      rule, {.mask = mask, .of_sm = {0, 0, 1}}, assignment, 4);
      std::uint64_t near = 0;
      for (unsigned side = 0; side < 2; ++side) {
        for (unsigned slot = 0; slot < plan.arguments.slots[side]; ++slot) {
          visit_granules(plan, side, slot, 4, [&](std::int64_t granule) {
            const Address at = kBlock + static_cast<std::uint64_t>(granule) * kVectorBytes;
            if (at < kBlock + rule.bytes && side_of(at, rule, mask) == static_cast<int>(side))
              ++near;
          });
        }
      }
      EXPECT_EQ(near, rule.bytes / kGranuleBytes / 2) << name_of(assignment) << " " << mask;
    }
  }
}

TEST(WorkSplit, SomebodyWorksForASideWithoutSms) {
  EXPECT_EQ(slots_of({0, 0, 0, 0}, 2), (std::array<unsigned, 2>{4, 4}));
  EXPECT_EQ(slots_of({1, 1, 1}, 1), (std::array<unsigned, 2>{1, 2}));
  EXPECT_EQ(slots_of({0}, 1), (std::array<unsigned, 2>{1, 1}));
  EXPECT_EQ(slots_of({0, 1, 1}, 2), (std::array<unsigned, 2>{2, 4}));
}

TEST(WorkSplit, TheShortWayIsForWholePagesThatFollowTheRule) {
  const GpuSides sides = {.mask = 0xAB000, .of_sm = {0, 1}};
  SideRule rule = {.block = kBlock, .bytes = 4 * kPageBytes};
  const auto aligned = [&](std::uint64_t offset, std::uint64_t elements, Assignment assignment) {
    return plan_launch(kCopy, {.outputs = {kBlock + offset}, .inputs = {16}, .elements = elements},
                       rule, sides, assignment, 1)
        .aligned;
  };
  EXPECT_TRUE(aligned(0, 1000, Assignment::right));
  EXPECT_TRUE(aligned(kPageBytes, 1000, Assignment::wrong));
  EXPECT_FALSE(aligned(16, 1000, Assignment::right));
  EXPECT_FALSE(aligned(0, std::uint64_t{4} << 31, Assignment::right));
  rule.off_rule = {false, true, false, false};
  EXPECT_FALSE(aligned(0, 1000, Assignment::right));
  EXPECT_TRUE(aligned(0, 1000, Assignment::off));
}

TEST(WorkSplit, OtherMemoryIsWorkedOnInOrder) {
  const LaunchPlan plan = plan_launch(kCopy, {.outputs = {kBlock}, .inputs = {16}, .elements = 100},
                                      {}, {.mask = 0xAB000, .of_sm = {0, 1}}, Assignment::right, 1);
  EXPECT_EQ(plan.arguments.mask, 0u);
}

TEST(WorkSplit, ArraysThatDoNotFitAreNamed) {
  const auto message_of = [](const Arrays& arrays) -> std::string {
    try {
      plan_launch(kCopy, arrays, {}, {.mask = 0, .of_sm = {0}}, Assignment::off, 1);
    } catch (const SideAwareError& error) {
      return error.what();
    }
    return "no error";
  };
  EXPECT_NE(message_of({.outputs = {32}, .inputs = {}, .elements = 1}).find("input 0"),
            std::string::npos);
  EXPECT_NE(message_of({.outputs = {32}, .inputs = {20}, .elements = 1}).find("16 bytes"),
            std::string::npos);
  EXPECT_NE(message_of({.outputs = {32, 32}, .inputs = {32}, .elements = 1}).find("no output 1"),
            std::string::npos);
  EXPECT_EQ(message_of({.outputs = {32}, .inputs = {32}, .elements = 1}), "no error");
}

}  // namespace
}  // namespace ladder::side_aware
