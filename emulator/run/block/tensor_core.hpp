// SPDX-License-Identifier: MIT
/// \file  emulator/run/block/tensor_core.hpp
/// \brief How a tensor core adds up products, as measured on an H100.
///
/// It multiplies exactly and does not round each sum. It takes the largest exponent of all products
/// and of C, cuts every summand off after the 25th fractional bit below, adds them up exactly, and
/// cuts the result off to FP32, or rounds it to the nearest half. The exponent of a product is the
/// sum of its factors' exponents, also where the product is 2 or more.
///
/// Machine instructions differ in how many products they add at once: HMMA.16816 and HGMMA 16 of
/// 16 bits (mma.m16n8k16, wmma, wgmma), HMMA.1688 8 of TF32 (mma.m16n8k8), and HMMA.1684, of which
/// wmma has two, 4.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "emulator/words/tensor_functions.hpp"

namespace ladder::emulator {

/// The lines of a factor: rows of the first, columns of the second.
class TensorFactor {
 public:
  /// \param lines  a multiple of 8
  /// \param depth  elements of a line
  TensorFactor(TensorFormat format, std::size_t lines, std::size_t depth);

  /// \param bits  of a number in the factor's format
  void set(std::size_t line, std::size_t element, std::uint32_t bits);

  /// \brief C += A B.
  /// \param a, b     of the same format and depth
  /// \param at_once  products that an instruction adds: 16, 8 or 4
  /// \param c        bits of halves if half_sums, else of floats: (lines of a, lines of b)
  friend void add_products(const TensorFactor& a, const TensorFactor& b, std::size_t at_once,
                           bool half_sums, std::span<std::uint32_t> c);

 private:
  friend struct LinePair;

  TensorFormat format_;
  std::size_t lines_, depth_;
  std::vector<float> values_;         // (depth, lines)
  std::vector<float> powers_;         // (depth, lines); two to their exponents
  std::vector<std::uint8_t> is_far_;  // (lines); an exponent is too large or small for a short sum
};

}  // namespace ladder::emulator
