// SPDX-License-Identifier: MIT
/// \file  common/wrong_pattern.hpp
/// \brief From the wrong elements of a matrix, tells what kind of mistake was made.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/gemm.hpp"

namespace ladder {

/// Rows and columns of C that one block computes; {0, 0} if not known.
struct BlockTile {
  int BM = 0;
  int BN = 0;
};

/// A result with at least one wrong element, on the host. All matrices are (M, N) row-major.
struct WrongResult {
  Shape shape;
  BlockTile tile;
  bool initial_was_nan;  ///< C held the NaN fill before the call (beta == 0)
  double tolerance;      ///< relative difference up to which two values count as the same
  std::vector<float> got;
  std::vector<float> initial;  ///< C before the call
  std::vector<double> expected;
  std::vector<std::uint8_t> wrong;  ///< 1 where got is out of bounds
};

/// \brief  The pattern of the wrong elements in words.
/// \return what they hold and where they are, e.g. "never written; all in rows 64 to 76, the last
///         tile row (is the guard in M right?)"
std::string describe_pattern(const WrongResult& result);

}  // namespace ladder
