// SPDX-License-Identifier: MIT
/// \file  tests/bench/benchmark/benchmark_shapes_test.cpp
/// \brief The benchmark's shapes: what the sets hold, how lists are read, how long all of them
///        take.
#include "bench/benchmark/shapes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <stdexcept>
#include <string>

#include "bench/benchmark/plan.hpp"
#include "common/verify.hpp"

namespace ladder::bench {
namespace {

constexpr Roof kH200 = {.fp32_tflops = 66.9, .dram_gbps = 4814};

TEST(BenchmarkShapesTest, EverySetHoldsWhatItsNameSays) {
  std::map<std::string_view, int> count;
  for (const auto& [set, shape, reason] : known_shapes()) {
    SCOPED_TRACE(std::string(set) + " " + name_of(shape));
    ++count[set];
    const auto [M, N, K] = shape;
    EXPECT_FALSE(reason.empty());
    EXPECT_TRUE(N % 4 == 0 && K % 4 == 0) << "refused by the vectorized rungs";
    if (set == "squares" || set == "off_by_four") {
      EXPECT_TRUE(M == N && N == K);
    }
    if (set == "off_by_four") {
      EXPECT_TRUE((M + 4) % 512 == 0 || (M - 4) % 512 == 0);
    }
    if (set == "tall") {
      EXPECT_GE(M, 32 * N);
    }
    if (set == "wide") {
      EXPECT_GE(N, 32 * M);
    }
    if (set == "deep") {
      EXPECT_TRUE(K >= 32 * M && K >= 32 * N);
    }
    if (set == "llm") {
      EXPECT_TRUE(M == 512 || M == 4096);
    }
    if (set == "small") {
      EXPECT_LT(flops(shape), 1e9);
    }
  }
  EXPECT_EQ(count.size(), 7u);
  for (const auto& [set, shapes] : count)
    EXPECT_GE(shapes, 3) << set;
}

TEST(BenchmarkShapesTest, NoShapeStandsTwice) {
  EXPECT_EQ(parse_shapes("all").size(), known_shapes().size());
  EXPECT_GE(known_shapes().size(), 45u);
}

TEST(BenchmarkShapesTest, DrawnShapesAreLogUniform) {
  const std::vector<Shape> shapes = parse_shapes("drawn");
  ASSERT_EQ(shapes.size(), static_cast<std::size_t>(kDrawnShapes)) << "none is drawn twice";
  int small_m = 0, small_n = 0, small_k = 0;
  for (const auto& [M, N, K] : shapes) {
    EXPECT_TRUE(M >= 1 && M <= 16384 && N >= 4 && N <= 16384 && K >= 4 && K <= 16384);
    EXPECT_TRUE(N % 4 == 0 && K % 4 == 0);
    small_m += M < 128;  // half of the logarithms between 1 and 16384
    small_n += N < 256;
    small_k += K < 256;
  }
  for (const int count : {small_m, small_n, small_k}) {
    EXPECT_NEAR(count, kDrawnShapes / 2, 3 * std::sqrt(kDrawnShapes) / 2);
  }
  EXPECT_EQ(drawn_shapes(1, 5), drawn_shapes(1, 5));
  EXPECT_NE(drawn_shapes(1, 5), drawn_shapes(2, 5));
}

TEST(BenchmarkShapesTest, AnySeedCanBeDrawn) {
  EXPECT_EQ(parse_shapes("drawn:7"), drawn_shapes(7, kDrawnShapes));
  EXPECT_EQ(parse_shapes("drawn:20261125"), parse_shapes("drawn"));
  for (const char* text :
       {"drawn:", "drawn:x", "drawn:7x", "drawn:-1", "drawn:99999999999999999999"}) {
    try {
      parse_shapes(text);
      ADD_FAILURE() << "'" << text << "' was accepted";
    } catch (const std::invalid_argument& error) {
      EXPECT_NE(std::string(error.what()).find("as in drawn:7"), std::string::npos) << error.what();
    }
  }
}

TEST(BenchmarkShapesTest, AllOfThemTakeFourMinutesOnAnH200) {
  const std::vector<Rung> rungs = {find_rung(emulated_rungs(), "07")};
  const Plan plan = make_plan(
      emulated_rungs(),
      {.rungs = rungs, .shapes = parse_shapes("all"), .protocol = {}, .compute_capability = 90});
  EXPECT_TRUE(plan.refusals.empty());
  const double seconds = expected_seconds(plan, kH200, std::size_t{60} << 20, {});
  RecordProperty("expected_seconds", std::to_string(seconds));
  EXPECT_LE(seconds, 250.0);
  EXPECT_GE(seconds, 100.0) << "an estimate that forgets the rests";
}

TEST(BenchmarkShapesTest, TheLargestFitsA40GiBCard) {
  for (const KnownShape& known : known_shapes())
    EXPECT_LT(verification_bytes(known.shape, Format::fp32), 40e9) << name_of(known.shape);
}

TEST(BenchmarkShapesTest, ListsMixSetsAndShapes) {
  const std::vector<Shape> shapes = parse_shapes("100x200x300,deep,100x200x300,128x128x65536");
  ASSERT_EQ(shapes.size(), 4u) << "each shape once";
  EXPECT_EQ(shapes[0], (Shape{100, 200, 300}));
  EXPECT_EQ(shapes[1], (Shape{128, 128, 65536}));
  EXPECT_EQ(name_of(shapes[0]), "100x200x300");
}

TEST(BenchmarkShapesTest, WhatIsNoShapeIsRefused) {
  for (const char* text :
       {"", "square", "4096", "4096x4096", "4096x4096x", "4096x4096x4096x1", "4096x 4096x4096",
        "axbxc", "squares,", "squares,,deep", "1x1x1.5", "4096*4096*4096", "4096x4096xk"}) {
    try {
      parse_shapes(text);
      ADD_FAILURE() << "'" << text << "' was accepted";
    } catch (const std::invalid_argument& error) {
      const std::string said = error.what();
      EXPECT_NE(said.find("is no shape and no set: write MxNxK"), std::string::npos) << said;
      EXPECT_NE(said.find("all, squares, small, off_by_four, tall, wide, deep, llm, drawn"),
                std::string::npos)
          << said;
    }
  }
}

TEST(BenchmarkShapesTest, ExtentsHaveLimits) {
  for (const char* text : {"0x10x10", "10x-1x10", "10x10x0", "1073741825x1x1", "9999999999x1x1"}) {
    try {
      parse_shapes(text);
      ADD_FAILURE() << "'" << text << "' was accepted";
    } catch (const std::invalid_argument& error) {
      EXPECT_EQ(std::string(error.what()),
                "shape '" + std::string(text) + "': M, N and K go from 1 to 1073741824");
    }
  }
  EXPECT_EQ(parse_shapes("1073741824x1x1").size(), 1u);
}

}  // namespace
}  // namespace ladder::bench
