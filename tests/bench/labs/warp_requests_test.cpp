// SPDX-License-Identifier: MIT
/// \file  tests/bench/labs/warp_requests_test.cpp
/// \brief Sectors, lines and passes that a warp's addresses cost, done by hand.
#include "bench/labs/analysis/warp_requests.hpp"

#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <vector>

namespace ladder::labs {
namespace {

std::vector<std::uint64_t> addresses(const std::function<std::uint64_t(std::uint64_t)>& of_lane) {
  std::vector<std::uint64_t> found;
  for (std::uint64_t lane = 0; lane < 32; ++lane)
    found.push_back(of_lane(lane));
  return found;
}

TEST(TouchedMemoryTest, StridesFillSectorsThenLines) {
  const std::vector<std::array<unsigned, 3>> rows = {
      {1, 4, 1}, {2, 8, 2}, {4, 16, 4}, {8, 32, 8}, {16, 32, 16}, {31, 32, 31}, {32, 32, 32}};
  for (const auto& [stride, sectors, lines] : rows) {
    const auto places = addresses([&](std::uint64_t lane) { return 4 * stride * lane; });
    const TouchedMemory touched = touched_memory(places, 4);
    EXPECT_EQ(touched.sectors, sectors) << "stride " << stride;
    EXPECT_EQ(touched.lines, lines) << "stride " << stride;
  }
}

TEST(TouchedMemoryTest, BytesBeyondTheBoundaryCount) {
  const auto shifted = addresses([](std::uint64_t lane) { return 4 + 4 * lane; });
  EXPECT_EQ(touched_memory(shifted, 4).sectors, 5u);
  EXPECT_EQ(touched_memory(shifted, 4).lines, 2u);
  const std::vector<std::uint64_t> one = {30};
  EXPECT_EQ(touched_memory(one, 2).sectors, 1u);
  EXPECT_EQ(touched_memory(one, 3).sectors, 2u);
}

TEST(RecordTest, RandomRecordsTouchTheirMeanOverAllPlaces) {
  EXPECT_DOUBLE_EQ(sectors_of_a_record(4), 1.0);
  EXPECT_DOUBLE_EQ(sectors_of_a_record(12), 1.25);
  EXPECT_DOUBLE_EQ(sectors_of_a_record(20), 1.5);
  EXPECT_DOUBLE_EQ(sectors_of_a_record(32), 1.0);
  EXPECT_DOUBLE_EQ(sectors_of_a_record(36), 2.0);
}

TEST(TextbookTest, DifferentWordsOfABankTakeTurns) {
  EXPECT_EQ(textbook_wavefronts(addresses([](std::uint64_t lane) { return 4 * lane; }), 4), 1u);
  EXPECT_EQ(textbook_wavefronts(addresses([](std::uint64_t) { return 64; }), 4), 1u);
  EXPECT_EQ(textbook_wavefronts(addresses([](std::uint64_t lane) { return 128 * lane; }), 4), 32u);
  EXPECT_EQ(textbook_wavefronts(addresses([](std::uint64_t lane) { return 4 * 33 * lane; }), 4),
            1u);
}

TEST(TextbookTest, WideAccessesComeInParts) {
  EXPECT_EQ(textbook_wavefronts(addresses([](std::uint64_t lane) { return 8 * lane; }), 8), 2u);
  EXPECT_EQ(textbook_wavefronts(addresses([](std::uint64_t lane) { return 16 * lane; }), 16), 4u);
  EXPECT_EQ(textbook_wavefronts(addresses([](std::uint64_t lane) { return 32 * lane; }), 16), 8u);
  EXPECT_EQ(textbook_wavefronts(addresses([](std::uint64_t) { return 0; }), 16), 4u);
}

}  // namespace
}  // namespace ladder::labs
