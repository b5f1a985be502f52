// SPDX-License-Identifier: MIT
/// \file  tests/ladder/rung_shapes.hpp
/// \brief Shapes and factors that every rung is tested with.
#pragma once

#include <utility>
#include <vector>

#include "common/gemm.hpp"

namespace ladder {

/// alpha and beta
using Factors = std::vector<std::pair<float, float>>;

inline constexpr float kRoot = 1.7320508f;

/// Factors that tell every product and every sum of the epilogue from the others. A beta of -0 is
/// equal to 0: C is not read.
inline const Factors kAllFactors = {{0.0f, 0.0f},   {0.0f, 1.0f},   {0.0f, -0.75f},
                                    {1.0f, 0.0f},   {1.0f, -0.0f},  {1.0f, 1.0f},
                                    {-0.5f, kRoot}, {kRoot, -0.5f}, {kRoot, 0.0f}};
inline const Factors kTwoFactors = {{1.0f, 0.0f}, {-0.5f, kRoot}};

/// Around tiles of 32 x 32 and 128 x 128.
inline const std::vector<Shape> kShapesAtEdges = {
    {1, 1, 1},                                        // the smallest
    {7, 13, 31},    {127, 131, 137},                  // primes
    {31, 31, 31},   {32, 32, 32},    {33, 33, 33},    // around the tile of 32
    {127, 127, 7},  {128, 128, 8},   {129, 129, 9},   // around the tile of 128 x 128 x 8
    {1, 1, 300},    {64, 96, 1},                      // long and short sums
    {1, 300, 40},   {300, 1, 40},                     // one row, one column
    {1000, 3, 5},   {3, 1000, 5},                     // tall, wide
    {1, 4, 4},      {5, 132, 4},     {127, 124, 4},   // the same for rungs that want fours
    {128, 128, 16}, {129, 132, 12},  {131, 260, 68},  //
    {517, 4, 12},   {3, 1004, 8},    {2, 4, 2000},    //
    {2177, 260, 4}, {4225, 132, 4},                   // more tile rows than a band holds
};

/// Around tiles of 128 x 256 and 64 x 64, and the stages of pipelines.
inline const std::vector<Shape> kShapesOfPipelines = {
    {64, 64, 64},    {63, 60, 60},   {65, 68, 68},                     // a tile of 64 x 64 x 64
    {128, 256, 8},   {127, 252, 4},  {129, 260, 12},                   // of 128 x 256
    {128, 256, 16},  {127, 252, 20}, {130, 256, 24},                   // two and three stages
    {64, 256, 64},   {64, 128, 60},  {192, 128, 68},                   // and of 64
    {128, 128, 128}, {64, 512, 124}, {256, 64, 132},                   // as deep as the buffers
    {8, 8, 1024},    {256, 512, 4},  {385, 516, 36}, {2052, 256, 16},  // few tiles and many
};

/// M and N beyond 2048, together and alone: more tiles than any group of them has.
inline const std::vector<Shape> kLargeShapes = {
    {2180, 2308, 4}, {2049, 2052, 8}, {3, 4356, 20}, {4357, 8, 20}, {130, 8196, 4}};

/// Every multiple of 4 along K, past the stages of all rungs: a barrier may be missing for some.
inline std::vector<Shape> shapes_of_every_k() {
  std::vector<Shape> shapes;
  for (int K = 4; K <= 148; K += 4)
    shapes.push_back({9, 12, K});
  for (const int K : {196, 260, 324, 516, 1036, 2052})
    shapes.push_back({9, 12, K});
  return shapes;
}

}  // namespace ladder
