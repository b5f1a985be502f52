// SPDX-License-Identifier: MIT
/// \file  bench/benchmark/shapes.hpp
/// \brief The shapes that the benchmark knows by the name of their set.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/gemm.hpp"

namespace ladder::bench {

/// One shape of a set, and what it is an example of.
struct KnownShape {
  std::string_view set;  ///< "llm"
  Shape shape;
  std::string_view reason;
};

/// All sets that were chosen by hand, in the order in which they are measured.
std::span<const KnownShape> known_shapes();

/// The size of the set "drawn": enough shapes for a claim about all shapes.
inline constexpr int kDrawnShapes = 200;
inline constexpr std::uint64_t kDrawnSeed = 20261125;

/// \brief  Shapes drawn at random: M log-uniform from 1 to 16384, N and K from 4 to 16384 in steps
///         of 4. The same seed gives the same shapes everywhere.
std::vector<Shape> drawn_shapes(std::uint64_t seed, int count);

/// \brief  Shapes from a list of sets and shapes: "squares,4096x4096x512"; "all" is every set that
///         was chosen by hand, "drawn" and "drawn:SEED" are kDrawnShapes of drawn_shapes().
/// \return each shape once, in the order of the list
/// \throws std::invalid_argument for an unknown set, a malformed shape or an extent out of range
std::vector<Shape> parse_shapes(std::string_view list);

/// "4096x4096x512": M, N, K
std::string name_of(const Shape& shape);

}  // namespace ladder::bench
