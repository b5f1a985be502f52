// SPDX-License-Identifier: MIT
/// \file  emulator/words/wgmma_functions.hpp
/// \brief What wgmma of common/ptx does on the emulator.
///
/// A product is computed when somebody waits for it, as late as it may be, which reveals operands
/// that are overwritten too early; or at once, which reveals operands that have not arrived (see
/// set_copy_arrival()). In between, the sums in registers are NaN.
#pragma once

#include <cstdint>
#include <source_location>

#include "emulator/words/swizzle.hpp"
#include "emulator/words/tensor_functions.hpp"

namespace ladder::emulator {

/// A lane's part of a product.
struct WgmmaCall {
  float* sums;           ///< (columns / 2)
  int columns;           ///< of B
  TensorFormat format;   ///< of both factors
  std::uint64_t a, b;    ///< descriptors
  bool a_along_rows;     ///< of K, in memory: A is transposed
  bool b_along_columns;  ///< likewise
  bool adds;             ///< to what the sums are, and not to zero
};

std::uint64_t matrix_descriptor(const void* shared, unsigned leading_bytes, unsigned stride_bytes,
                                SwizzleNumber swizzle, std::source_location where);
void fence_wgmma(std::source_location where);
void start_wgmma(const WgmmaCall& call, std::source_location where);
void commit_wgmma(std::source_location where);
void wait_for_wgmma(unsigned newest, std::source_location where);

}  // namespace ladder::emulator
