// SPDX-License-Identifier: MIT
/// \file  emulator/words/swizzle.hpp
/// \brief Where pieces of 16 bytes go in shared memory, PTX ISA 5.5.7.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ladder::emulator {

/// Of CUtensorMapSwizzle: rows of 32, 64 and 128 bytes have the numbers 1, 2 and 3.
using SwizzleNumber = unsigned;

/// Bytes of a row; 16 without a swizzle.
constexpr std::size_t swizzled_row_bytes(SwizzleNumber swizzle) {
  return std::size_t{16} << swizzle;
}

/// Where a byte is that would be at `address` without a swizzle: bits 4 and up are combined with
/// as many from bit 7 on.
constexpr std::uintptr_t swizzled(std::uintptr_t address, SwizzleNumber swizzle) {
  const std::uintptr_t pieces = (std::uintptr_t{1} << swizzle) - 1;
  return address ^ (address >> 7 & pieces) << 4;
}

}  // namespace ladder::emulator
