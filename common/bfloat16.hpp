// SPDX-License-Identifier: MIT
/// \file  common/bfloat16.hpp
/// \brief The number that BF16 matrices hold, for host code: the upper half of a float.
#pragma once

#include <bit>
#include <cstdint>

namespace ladder {

/// \brief A 16-bit number: sign, 8 bits of exponent, 7 of fraction.
///
/// CUDA's own type would give a function that takes it one mangled name under nvcc and another
/// under g++. The launch.cu of a BF16 rung casts pointers to `__nv_bfloat16`, which has the same
/// bits.
class bfloat16 {
 public:
  bfloat16() = default;
  /// Rounds to nearest, ties to even. Every NaN becomes the one that a GPU computes.
  explicit constexpr bfloat16(float value)
      : bits_(value == value ? rounded(std::bit_cast<std::uint32_t>(value)) : kNanBits) {}

  constexpr operator float() const {
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits_) << 16);
  }

 private:
  static constexpr std::uint16_t kNanBits = 0x7fff;

  static constexpr std::uint16_t rounded(std::uint32_t word) {
    const std::uint32_t half_below_even = 0x7fff + (word >> 16 & 1);
    return static_cast<std::uint16_t>((word + half_below_even) >> 16);
  }

  std::uint16_t bits_;
};

static_assert(sizeof(bfloat16) == 2);

}  // namespace ladder
