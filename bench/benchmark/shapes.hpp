// SPDX-License-Identifier: MIT
/// \file  bench/benchmark/shapes.hpp
/// \brief The shapes that the benchmark knows by the name of their set.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/gemm.hpp"

namespace ladder::bench {

/// One shape of a set, and what it stands for.
struct KnownShape {
  std::string_view set;  ///< "llm"
  Shape shape;
  std::string_view reason;
};

/// All sets, in the order in which they are measured.
std::span<const KnownShape> known_shapes();

/// \brief  Shapes from a list of sets and shapes: "squares,4096x4096x512"; "all" is every set.
/// \return each shape once, in the order of the list
/// \throws std::invalid_argument for an unknown set, a malformed shape or an extent out of range
std::vector<Shape> parse_shapes(std::string_view list);

/// "4096x4096x512": M, N, K
std::string name_of(const Shape& shape);

}  // namespace ladder::bench
