// SPDX-License-Identifier: MIT
/// \file  common/wrong_pattern.hpp
/// \brief From the wrong elements of a matrix, tells what kind of mistake was made.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/gemm.hpp"
#include "emulator/run/fields.hpp"

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

/// What is wrong with a result. First what the wrong elements hold; then, where that says nothing,
/// where they are; then what was damaged besides.
enum class WrongKind {
  kNeverWritten,  ///< share
  kNan,           ///< share
  kInfinite,      ///< share
  kAllZero,
  kWrongBeta,     ///< factor: off by so many times the C from before the call
  kWrongFactor,   ///< factor: of all values
  kLowPrecision,  ///< log2_error
  kTransposed,
  kShiftedColumns,  ///< shift: right values so many columns too far to the left
  kShiftedRows,     ///< shift: so many rows too far up
  kLastTileRow,
  kLastTileColumn,
  kLastTiles,  ///< of rows and of columns
  kEveryElement,
  kSomeElements,
  kOutsideWritten,  ///< array
  kInputChanged,    ///< array, changed
};

/// "never-written", "last-tile-row", ...: never changes.
std::string_view code_of(WrongKind kind);
/// For people; may change.
std::string_view title_of(WrongKind kind);
/// All of them, in their order.
inline constexpr int kWrongKinds = static_cast<int>(WrongKind::kInputChanged) + 1;

/// Where the wrong elements are along one dimension.
struct WrongRange {
  int first = 0;
  int last = 0;
  bool everywhere = false;  ///< from the first to the last of the matrix
  bool last_tile = false;   ///< all in the last tile, which reaches beyond the matrix
};

struct WrongPlace {
  WrongKind kind = WrongKind::kSomeElements;  ///< one of those that name a place
  WrongRange rows = {};
  WrongRange columns = {};
};

/// The first wrong element.
struct WrongElement {
  int row = 0;
  int column = 0;
  double got = 0;
  double expected = 0;
  std::optional<std::array<int, 2>> block_tile = {};  ///< column and row of its tile
};

/// \brief One thing that is wrong with a result.
struct Wrong {
  WrongKind kind = WrongKind::kSomeElements;
  emulator::Fields fields = {};            ///< see WrongKind
  std::optional<WrongPlace> where = {};    ///< of wrong elements
  std::optional<WrongElement> first = {};  ///< likewise
  std::int64_t wrong_elements = 0;
  std::int64_t elements = 0;
};

/// The pattern of the wrong elements: their kind and where they are.
Wrong pattern_of(const WrongResult& result);

/// \brief  A pattern in words.
/// \return what the elements hold and where they are, e.g. "all of them never written; all in rows
///         64 to 76, the last tile row (is the guard in M right?)"
std::string text_of_pattern(const Wrong& wrong);

/// \brief What is wrong in words: "7 of 16 elements are wrong. The first is ... Pattern: ...".
std::string text_of(const Wrong& wrong);
/// The same of several, one behind the other; empty for none.
std::string text_of(const std::vector<Wrong>& all);

}  // namespace ladder
