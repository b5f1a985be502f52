// SPDX-License-Identifier: MIT
/// \file  emulator/run/block/tensor_core.hpp
/// \brief How a tensor core adds up products.
///
/// It multiplies exactly and does not round each sum. It takes the largest exponent of all products
/// and of C, cuts every summand off behind the 25th fractional bit below, adds them up exactly, and
/// cuts the result off to FP32, or rounds it to the nearest half. An H100 does this for 16 products
/// of 16 bits at once, or for 4 of TF32.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

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

/// \brief The lines of a factor: rows of the first, columns of the second. Significands and
///        exponents lie apart, so that a CPU multiplies and shifts eight at once.
class TensorFactor {
 public:
  /// \param lines  how many there will be
  /// \param depth  elements of a line
  TensorFactor(TensorFormat format, std::size_t lines, std::size_t depth);

  void set(std::size_t line, std::size_t element, std::uint32_t bits);

  /// \brief  C plus the products of a line of each factor, which have the same format and depth.
  /// \return bits, as tensor_sum() does
  friend std::uint32_t tensor_product(const TensorFactor& a, std::size_t line_a,
                                      const TensorFactor& b, std::size_t line_b, bool half_sums,
                                      std::uint32_t c);

 private:
  TensorFormat format_;
  std::size_t depth_;
  std::vector<TensorNumber> numbers_;       // (lines, depth)
  std::vector<std::int32_t> significands_;  // (lines, depth)
  std::vector<std::int32_t> exponents_;     // (lines, depth); of a zero below all others
  std::vector<std::uint8_t> is_finite_;     // (lines)
};

}  // namespace ladder::emulator
