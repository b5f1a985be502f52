// SPDX-License-Identifier: MIT
/// \file  emulator/words/tensor_map.hpp
/// \brief What the emulated tensor memory accelerator knows about a matrix.
#pragma once

#include <cstddef>
#include <cstdint>

#include "emulator/words/swizzle.hpp"

namespace ladder::emulator {

inline constexpr unsigned kBoxAlignment = 128;  ///< bytes, in shared memory

}  // namespace ladder::emulator

namespace ladder::ptx {

/// A row-major matrix in global memory, and the box that one copy brings.
struct TensorMap {
  const std::byte* matrix;
  int element_bytes;
  int rows;
  int columns;
  int box_rows;
  int box_columns;
  emulator::SwizzleNumber swizzle;

  std::int64_t row_bytes() const { return std::int64_t{columns} * element_bytes; }
  std::int64_t box_row_bytes() const { return std::int64_t{box_columns} * element_bytes; }
  std::int64_t box_bytes() const { return box_rows * box_row_bytes(); }
  /// Of an element of the matrix, or outside of it.
  std::int64_t offset(std::int64_t row, std::int64_t column) const {
    return row * row_bytes() + column * element_bytes;
  }
};

}  // namespace ladder::ptx
