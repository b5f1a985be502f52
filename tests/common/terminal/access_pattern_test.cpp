// SPDX-License-Identifier: MIT
/// \file  tests/common/terminal/access_pattern_test.cpp
/// \brief Where a request's threads look follows from their addresses.
#include <gtest/gtest.h>

#include <functional>

#include "common/terminal/access_verdict.hpp"

namespace ladder {
namespace {

using Kind = AccessPatternKind;

constexpr std::size_t kRow = 1024;  // bytes of a row

/// Of a load in which lane l asks for `bytes` at offset(l), or for nothing.
AccessPattern pattern(unsigned bytes, const std::function<int(int)>& offset,
                      std::uint32_t lanes = ~0u) {
  emulator::LineCounts line;
  line.operation = emulator::Operation::kGlobalLoad;
  line.access_bytes = bytes;
  line.example.lanes = lanes;
  for (int lane = 0; lane < 32; ++lane)
    line.example.addresses[lane] = offset(lane);
  return pattern_of(line, kRow).value();
}

TEST(AccessPattern, Kinds) {
  EXPECT_EQ(pattern(4, [](int l) { return 4 * l; }).kind, Kind::kNeighbours);
  EXPECT_EQ(pattern(16, [](int l) { return 16 * l; }).kind, Kind::kNeighbours);
  EXPECT_EQ(pattern(4, [](int l) { return 4 * (l ^ 1); }).kind, Kind::kOneRun);
  EXPECT_EQ(pattern(4, [](int l) { return 4 * (l / 2); }).kind, Kind::kOneRun);
  EXPECT_EQ(pattern(4, [](int) { return 64; }).kind, Kind::kSamePlace);
  EXPECT_EQ(pattern(
                4, [](int l) { return 4 * l; }, 1u << 7)
                .kind,
            Kind::kSingleThread);
  EXPECT_EQ(pattern(4, [](int l) { return 1024 * l; }).kind, Kind::kRows);
  EXPECT_EQ(pattern(4, [](int l) { return 8 * l; }).kind, Kind::kStrided);
  EXPECT_EQ(pattern(4, [](int l) { return l * l * 64; }).kind, Kind::kScattered);
  EXPECT_EQ(pattern(4, [](int l) { return l / 8 * 1024 + l % 8 * 4; }).kind, Kind::kRuns);
}

TEST(AccessPattern, Figures) {
  const AccessPattern runs = pattern(4, [](int l) { return l / 8 * 1024 + l % 8 * 4; });
  EXPECT_EQ(runs.lanes, 32u);
  EXPECT_EQ(runs.places, 32u);
  EXPECT_EQ(runs.runs, 4u);
  EXPECT_EQ(runs.step_bytes, 0);
  EXPECT_EQ(pattern(4, [](int l) { return -8 * l; }).step_bytes, -8);
}

TEST(AccessPattern, ABoxAndALineWithoutAnExampleHaveNone) {
  emulator::LineCounts line;
  line.operation = emulator::Operation::kBoxCopy;
  line.example.lanes = ~0u;
  EXPECT_FALSE(pattern_of(line, kRow));
  line.operation = emulator::Operation::kGlobalLoad;
  line.example.lanes = 0;
  EXPECT_FALSE(pattern_of(line, kRow));
}

}  // namespace
}  // namespace ladder
