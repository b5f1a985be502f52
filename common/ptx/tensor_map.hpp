// SPDX-License-Identifier: MIT
/// \file  common/ptx/tensor_map.hpp
/// \brief What the tensor memory accelerator knows about a matrix: a kernel parameter that the
///        host makes.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

#ifdef __CUDACC__
#include <cuda.h>
#else
#include "emulator/words/tensor_map.hpp"
#endif

namespace ladder::ptx {

#ifdef __CUDACC__
/// A row-major matrix of floats in global memory, and the box that one copy brings.
using TensorMap = CUtensorMap;
#endif

/// \brief  Describes a packed matrix and a box.
/// \param  matrix       (rows, columns) row-major, 16-byte aligned, columns a multiple of 4
/// \param  box_rows     1 to 256
/// \param  box_columns  1 to 256, a multiple of 4
/// \throws std::invalid_argument  names the argument that breaks a rule
/// \throws GpuError  the driver refuses, or is too old for tensor maps (GPU)
TensorMap make_tensor_map(const float* matrix, int rows, int columns, int box_rows,
                          int box_columns);

/// \brief  The rules for the arguments of make_tensor_map(), on either machine.
/// \throws std::invalid_argument  names the argument that breaks a rule
inline void check_tensor_map(const float* matrix, int rows, int columns, int box_rows,
                             int box_columns) {
  const auto require = [](bool kept, const std::string& rule) {
    if (!kept) throw std::invalid_argument("make_tensor_map: " + rule);
  };
  const auto is = [](const char* name, int value) {
    return std::string(name) + " is " + std::to_string(value) + ", but must be ";
  };
  require(matrix != nullptr && reinterpret_cast<std::uintptr_t>(matrix) % 16 == 0,
          "the matrix must start at an address that is a multiple of 16 bytes");
  require(rows >= 1, is("rows", rows) + "at least 1");
  require(columns >= 1 && columns % 4 == 0,
          is("columns", columns) + "a positive multiple of 4: rows are 16-byte aligned");
  require(box_rows >= 1 && box_rows <= 256, is("box_rows", box_rows) + "1 to 256");
  require(box_columns >= 1 && box_columns <= 256 && box_columns % 4 == 0,
          is("box_columns", box_columns) + "4 to 256 and a multiple of 4");
}

#ifndef __CUDACC__
// Inside of each emulated library: the function for GPUs has the same name.
[[gnu::visibility("hidden")]] inline TensorMap make_tensor_map(const float* matrix, int rows,
                                                               int columns, int box_rows,
                                                               int box_columns) {
  check_tensor_map(matrix, rows, columns, box_rows, box_columns);
  return {matrix, rows, columns, box_rows, box_columns};
}
#endif

}  // namespace ladder::ptx
