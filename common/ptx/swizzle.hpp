// SPDX-License-Identifier: MIT
/// \file  common/ptx/swizzle.hpp
/// \brief How rows of up to 128 bytes are laid out in shared memory so that a column of pieces of
///        16 bytes is in different banks. The tensor memory accelerator writes a box like this, and
///        wgmma reads it: the number of a piece within its row is combined by XOR with that of its
///        128 bytes.
#pragma once

#include "common/device.cuh"

namespace ladder::ptx {

/// Rows of 32, 64 or 128 bytes, PTX ISA 5.5.7; the numbers are those of CUtensorMapSwizzle.
enum class Swizzle : unsigned { none = 0, rows_of_32 = 1, rows_of_64 = 2, rows_of_128 = 3 };

/// Bytes of a row; 16 without a swizzle.
__host__ __device__ constexpr unsigned swizzled_row_bytes(Swizzle swizzle) {
  return 16u << static_cast<unsigned>(swizzle);
}

}  // namespace ladder::ptx
