// SPDX-License-Identifier: MIT
/// \file  emulator/words/tensor_map.hpp
/// \brief What the emulated tensor memory accelerator knows about a matrix.
#pragma once

namespace ladder::ptx {

/// A row-major matrix of floats in global memory, and the box that one copy brings.
struct TensorMap {
  const float* matrix;
  int rows;
  int columns;
  int box_rows;
  int box_columns;
};

}  // namespace ladder::ptx
