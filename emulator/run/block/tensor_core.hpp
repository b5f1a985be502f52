// SPDX-License-Identifier: MIT
/// \file  emulator/run/block/tensor_core.hpp
/// \brief How a tensor core adds up products.
///
/// It multiplies exactly and does not round each sum. It takes the largest exponent of all products
/// and of C, cuts every summand off behind the 25th fractional bit below, adds them up exactly, and
/// cuts the result off to FP32, or rounds it to the nearest half. An H100 does this for 16 products
/// of 16 bits at once, or for 4 of TF32.
#pragma once

#include <cstdint>
#include <span>

#include "emulator/words/tensor_functions.hpp"

namespace ladder::emulator {

/// A number as a whole significand and an exponent. Those of a format share the place of the point.
struct TensorNumber {
  enum class Kind : std::uint8_t { kFinite, kInfinite, kNan };

  std::int32_t significand = 0;  ///< with its sign
  std::int32_t exponent = 0;     ///< of the bit in front of the point
  Kind kind = Kind::kFinite;
  bool negative = false;
};

TensorNumber tensor_input(TensorFormat format, std::uint32_t bits);

/// \brief  C plus the products of two lines of the same length.
/// \param c  bits of a float, or of a half
/// \return such bits
std::uint32_t tensor_sum(TensorFormat format, bool half_sums, std::span<const TensorNumber> a,
                         std::span<const TensorNumber> b, std::uint32_t c);

}  // namespace ladder::emulator
