// SPDX-License-Identifier: MIT
/// \file  emulator/words/tensor_functions.hpp
/// \brief Matrices in the registers of a warp, and their product on the tensor cores: what wmma,
///        ldmatrix and mma are made of.
///
/// Which lane has which element is not for programs to know. It is as on a Hopper GPU, so that the
/// lanes ask memory for what they ask for there: a matrix is cut into tiles of 8 lines, and of each
/// line four neighbouring lanes have two elements each (of TF32, one).
#pragma once

#include <array>
#include <cstdint>
#include <source_location>

namespace ladder::emulator {

/// \brief The registers of a matrix. A line is a row of the first factor and of the sum, but a
///        column of the second factor; if the sum has 8 rows, the factors change places.
struct TileShape {
  int lines;
  int elements;      ///< of a line
  int per_lane;      ///< of a tile, 2 or 1
  bool along_lines;  ///< the second tile is along the line, not below

  constexpr int width() const { return 4 * per_lane; }
  constexpr int tiles() const { return lines / 8 * (elements / width()); }
  /// First line of a tile. Tiles come in blocks of 16 lines.
  constexpr int line(int tile) const {
    if (along_lines) return 8 * (tile / across());
    return tile / per_block() * 16 + (lines > 8 ? 8 * (tile % 2) : 0);
  }
  /// Its first element along the line.
  constexpr int element(int tile) const {
    if (along_lines) return width() * (tile % across());
    return width() * (tile % per_block() / (lines > 8 ? 2 : 1));
  }

 private:
  constexpr int across() const { return elements / width(); }
  constexpr int per_block() const { return (lines > 8 ? 2 : 1) * across(); }
};

/// What lanes have loaded of tiles with elements of 16 bits, or are to store: words of two.
struct TileWords {
  int tiles;
  bool turned;           ///< memory has lines as columns
  bool in_rows = false;  ///< a lane has a whole row of a tile: lane 8 that of the second tile
  bool as_rows = false;  ///< a lane gets a whole row of a tile
  std::array<std::uint32_t, 8> words = {};
  std::array<std::uint32_t, 8> turned_words = {};
};

/// \brief  All lanes of the warp hand in words and get those of the elements that they have, or
///         the other way round.
/// \throws KernelError  not all 32 lanes are here
void turn_tiles(const char* function, TileWords& words, std::source_location where);

/// \brief  A lane is about to read or write a row of a tile.
/// \param  argument  "ldmatrix-row", "stmatrix-row"
/// \throws KernelError  it is not in shared memory, or at no multiple of 16 bytes
void require_tile_row(const char* argument, const void* row, std::source_location where);

/// What the inputs of a product are.
enum class TensorFormat { kHalf, kBfloat16, kTf32 };

/// A lane's part of D = A B + C: the bits of its elements.
struct TensorCall {
  TensorFormat format;
  int at_once;  ///< products that a machine instruction adds, see tensor_core.hpp
  bool half_sums;
  TileShape shape_a, shape_b, shape_c;
  std::array<std::uint32_t, 16> a = {}, b = {};
  std::array<std::uint32_t, 8> c = {};  ///< then D
};

/// \brief The product as the tensor cores of an H100 compute it, bit for bit; see tensor_core.hpp.
void multiply_in_warp(const char* function, TensorCall& call, std::source_location where);

/// Rounded to the nearest number with 10 bits of fraction; of two, to the one away from zero.
constexpr std::uint32_t round_to_tf32(float x) {
  const auto bits = __builtin_bit_cast(std::uint32_t, x);
  const bool is_finite = (bits & 0x7F800000u) != 0x7F800000u;
  return is_finite ? (bits + 0x1000u) & ~0x1FFFu : bits;
}

/// As round_to_tf32(); of two, to the one whose last bit is zero. Every NaN becomes the one that a
/// GPU computes.
constexpr std::uint32_t round_to_even_tf32(float x) {
  if (x != x) return 0x7FFFFFFFu;
  const auto bits = __builtin_bit_cast(std::uint32_t, x);
  const std::uint32_t half_below_even = 0x0FFFu + (bits >> 13 & 1);
  return (bits + half_below_even) & ~0x1FFFu;
}

/// \brief  All lanes of the warp are about to load or to store a matrix.
/// \throws KernelError  it cannot be here, not all lanes name the same, or not all 32 are here
void require_matrix(const char* function, const void* first, unsigned ldm, unsigned element_bytes,
                    std::source_location where);

}  // namespace ladder::emulator
