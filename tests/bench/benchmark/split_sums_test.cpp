// SPDX-License-Identifier: MIT
/// \file  tests/bench/benchmark/split_sums_test.cpp
/// \brief How errors of split products grow with K on the emulator's tensor cores.
#include "bench/benchmark/split_sums.hpp"

#include <gtest/gtest.h>

#include <array>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace ladder::bench {
namespace {

/// Errors of normal numbers at K = 512 and at 16 times as much.
class SplitSumsTest : public testing::Test {
 protected:
  static void SetUpTestSuite() { rows = split_sums(std::array{512, 8192}); }
  static double growth(const char* way) { return error(1, way) / error(0, way); }
  static double error(std::size_t row, const char* way) {
    return rows.at(row).at("error").at(way).get<double>();
  }

  inline static nlohmann::json rows;
};

TEST_F(SplitSumsTest, RoundingsGrowLikeTheRootAndCutsLikeK) {
  EXPECT_GT(growth("fp32"), 2.5);
  EXPECT_LT(growth("fp32"), 6.0);
  EXPECT_GT(growth("small_first"), 12.0);
  EXPECT_LT(growth("small_first"), 20.0);
}

TEST_F(SplitSumsTest, ChunksKeepTheErrorOfAChunk) {
  EXPECT_LT(growth("chunk_512"), 1.5);
  EXPECT_LT(error(1, "chunk_512"), error(1, "fp32"));
  EXPECT_EQ(error(0, "chunk_512"), error(0, "apart"));
}

TEST_F(SplitSumsTest, SmallProductsOnALargeSumCostMost) {
  EXPECT_GT(error(1, "large_first"), 3 * error(1, "small_first"));
}

TEST_F(SplitSumsTest, PartsAloneLoseLittle) {
  for (std::size_t row = 0; row < 2; ++row) {
    EXPECT_GT(error(row, "parts"), 0.1);
    EXPECT_LT(error(row, "parts"), 4.0);
  }
}

TEST_F(SplitSumsTest, SumsOfOneSignAreAsLargeAsTheirMagnitudes) {
  const nlohmann::json& positive = rows.at(3);
  EXPECT_TRUE(positive.at("positive").get<bool>());
  EXPECT_GT(positive.at("error").at("chunk_512"), positive.at("error").at("fp32"));
}

TEST(SplitSumsLengthTest, IsAMultipleOf16) {
  for (const int length : {-16, 0, 8, 100})
    EXPECT_THROW(split_sums(std::array{length}), std::invalid_argument) << length;
}

}  // namespace
}  // namespace ladder::bench
