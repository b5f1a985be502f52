// SPDX-License-Identifier: MIT
/// \file  common/ptx/tensor_map.hpp
/// \brief What the tensor memory accelerator knows about a matrix: a kernel parameter that the
///        host makes.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

#include "common/bfloat16.hpp"
#include "common/ptx/swizzle.hpp"

#ifdef __CUDACC__
#include <cuda.h>
#else
#include "emulator/words/tensor_map.hpp"
#endif

namespace ladder::ptx {

#ifdef __CUDACC__
/// A row-major matrix in global memory, and the box that one copy brings.
using TensorMap = CUtensorMap;
#endif

/// \brief  Describes a packed matrix and a box.
/// \tparam T            float or bfloat16
/// \param  matrix       (rows, columns) row-major; it and its rows are 16-byte aligned
/// \param  box_rows     1 to 256
/// \param  box_columns  1 to 256, a multiple of 16 bytes; with a swizzle, a row of it
/// \throws std::invalid_argument  names the argument that breaks a rule
/// \throws GpuError  the driver refuses, or is too old for tensor maps (GPU)
template <class T>
TensorMap make_tensor_map(const T* matrix, int rows, int columns, int box_rows, int box_columns,
                          Swizzle swizzle = Swizzle::none);

/// \brief  The rules for the arguments of make_tensor_map(), on either machine.
/// \throws std::invalid_argument  names the argument that breaks a rule
template <class T>
void check_tensor_map(const T* matrix, int rows, int columns, int box_rows, int box_columns,
                      Swizzle swizzle) {
  constexpr int kPiece = 16 / sizeof(T);  // elements
  const auto require = [](bool kept, const std::string& rule) {
    if (!kept) throw std::invalid_argument("make_tensor_map: " + rule);
  };
  const auto is = [](const char* name, int value) {
    return std::string(name) + " is " + std::to_string(value) + ", but must be ";
  };
  const std::string pieces = std::to_string(kPiece);
  require(matrix != nullptr && reinterpret_cast<std::uintptr_t>(matrix) % 16 == 0,
          "the matrix must start at an address that is a multiple of 16 bytes");
  require(rows >= 1, is("rows", rows) + "at least 1");
  require(
      columns >= 1 && columns % kPiece == 0,
      is("columns", columns) + "a positive multiple of " + pieces + ": rows are 16-byte aligned");
  require(box_rows >= 1 && box_rows <= 256, is("box_rows", box_rows) + "1 to 256");
  require(box_columns >= 1 && box_columns <= 256 && box_columns % kPiece == 0,
          is("box_columns", box_columns) + pieces + " to 256 and a multiple of " + pieces);
  const auto of_row = static_cast<int>(swizzled_row_bytes(swizzle) / sizeof(T));
  require(swizzle == Swizzle::none || box_columns == of_row,
          is("box_columns", box_columns) + std::to_string(of_row) + ", the swizzle's row");
}

#ifndef __CUDACC__
// Inside of each emulated library: the function for GPUs has the same name.
template <class T>
[[gnu::visibility("hidden")]] TensorMap make_tensor_map(const T* matrix, int rows, int columns,
                                                        int box_rows, int box_columns,
                                                        Swizzle swizzle) {
  check_tensor_map(matrix, rows, columns, box_rows, box_columns, swizzle);
  return {
      reinterpret_cast<const std::byte*>(matrix),   sizeof(T), rows, columns, box_rows, box_columns,
      static_cast<emulator::SwizzleNumber>(swizzle)};
}
#endif

}  // namespace ladder::ptx
