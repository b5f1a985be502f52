// SPDX-License-Identifier: MIT
/// \file  tests/emulator/emulator_array_index_test.cpp
/// \brief Which array an address lies in, of a few and of many; and how far blocks are apart in
///        them. No kernel runs here.
#include "emulator/trace/array_index.hpp"

#include <gtest/gtest.h>

#include <string>

#include "emulator/trace/block_classes.hpp"

namespace ladder::emulator {
namespace {

/// An array that nobody looks into.
TracedArray array_at(std::uint64_t begin, std::size_t bytes) {
  return {
      .name = std::to_string(begin), .data = reinterpret_cast<const void*>(begin), .bytes = bytes};
}

TEST(EmulatorArrayIndex, FindsTheArrayThatHoldsAllBytes) {
  const ArrayIndex index({array_at(4096, 64), array_at(1024, 256), array_at(2048, 4)});
  EXPECT_EQ(index.with(1024, 1028), 1u);
  EXPECT_EQ(index.with(1276, 1280), 1u);
  EXPECT_EQ(index.with(1276, 1284), kNoArray) << "beyond its end";
  EXPECT_EQ(index.with(1020, 1028), kNoArray) << "begins before it";
  EXPECT_EQ(index.with(2048, 2052), 2u);
  EXPECT_EQ(index.with(4096 + 60, 4096 + 64), 0u);
  EXPECT_EQ(index.begin(), 1024u);
  EXPECT_EQ(index.end(), 4096u + 64);
}

TEST(EmulatorArrayIndex, HasNoArraysAndEmptyOnes) {
  EXPECT_EQ(ArrayIndex().with(0, 4), kNoArray);
  EXPECT_EQ(ArrayIndex().nearest(0), kNoArray);
  const ArrayIndex index({array_at(1024, 0)});
  EXPECT_EQ(index.with(1024, 1028), kNoArray);
  EXPECT_EQ(index.nearest(1028), 0u);
}

TEST(EmulatorArrayIndex, KnowsAnArrayWithin) {
  const ArrayIndex index({array_at(1024, 1024), array_at(1280, 64)});
  EXPECT_EQ(index.with(1280, 1284), 1u);
  EXPECT_EQ(index.with(1400, 1404), 0u);
  EXPECT_EQ(index.nearest(2050), 0u) << "ends last";
}

TEST(EmulatorArrayIndex, FindsTheNearest) {
  const ArrayIndex index({array_at(4096, 64), array_at(1024, 256)});
  EXPECT_EQ(index.nearest(1284), 1u);
  EXPECT_EQ(index.nearest(4000), 0u);
  EXPECT_EQ(index.nearest(8), 1u);
  EXPECT_EQ(index.nearest(9999), 0u);
}

TEST(EmulatorArrayIndex, FindsEachOfTenThousand) {
  constexpr std::uint64_t kArrays = 10'000;
  std::vector<TracedArray> arrays;
  for (std::uint64_t i = 0; i < kArrays; ++i)
    arrays.push_back(array_at(512 * (kArrays - i), 256));
  const ArrayIndex index(arrays);
  for (std::uint64_t i = 0; i < kArrays; ++i) {
    EXPECT_EQ(index.with(512 * (kArrays - i) + 252, 512 * (kArrays - i) + 256), i);
    EXPECT_EQ(index.with(512 * (kArrays - i) + 256, 512 * (kArrays - i) + 260), kNoArray);
  }
}

// -- Blocks that do the same elsewhere -----------------------------------------------------------

BlockStream stream_of(std::initializer_list<std::pair<std::uint32_t, std::int64_t>> accesses) {
  BlockStream stream;
  for (const auto& [array, line] : accesses)
    stream.accesses.push_back({.line = line, .pattern = 0, .array = array, .store = 0});
  stream.slice_ends = {static_cast<std::uint32_t>(stream.accesses.size())};
  return stream;
}

TEST(EmulatorBlockClasses, CompareBlocksInAnyArray) {
  BlockClasses classes(10'000, nullptr);
  classes.start_grid();
  classes.add(0, stream_of({{9'999, 5}, {17, 7}}), true);
  const TracedBlock same = classes.add(1, stream_of({{9'999, 6}, {17, 4}}), true);
  EXPECT_EQ(same.stream, 0u);
  EXPECT_EQ(same.line_shift[9'999], 1);
  EXPECT_EQ(same.line_shift[17], -3);
  EXPECT_EQ(same.line_shift[18], 0);
  EXPECT_EQ(classes.add(2, stream_of({{9'998, 5}, {17, 7}}), true).stream, 1u) << "another array";
  EXPECT_EQ(classes.add(3, stream_of({{9'999, 5}, {9'999, 7}}), true).stream, 2u);
}

TEST(EmulatorBlockClasses, CountShiftsFromTheLowestBlock) {
  BlockClasses classes(20, nullptr);
  classes.start_grid();
  std::vector<TracedBlock> launched(2);
  launched[1] = classes.add(1, stream_of({{3, 10}, {19, 50}}), true);
  launched[0] = classes.add(0, stream_of({{3, 8}, {19, 50}}), true);
  classes.count_shifts_from_representatives(launched);
  EXPECT_EQ(launched[0].line_shift[3], 0);
  EXPECT_EQ(launched[1].line_shift[3], 2);
  EXPECT_EQ(launched[1].line_shift[19], 0);
}

}  // namespace
}  // namespace ladder::emulator
