// SPDX-License-Identifier: MIT
/// \file  tests/emulator/small_float_reference.hpp
/// \brief 16-bit floating-point formats by their definition, in double arithmetic.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

namespace ladder::emulator {

/// \tparam kExponentBits,kFractionBits  fields of the encoding below the sign
template <int kExponentBits, int kFractionBits>
struct SmallFloat {
  static constexpr int kBias = (1 << (kExponentBits - 1)) - 1;
  static constexpr int kLargestExponent = (1 << kExponentBits) - 1;
  static constexpr unsigned kInfinity = kLargestExponent << kFractionBits;

  /// The number that an encoding stands for.
  static double decode(unsigned bits) {
    const int exponent = static_cast<int>(bits >> kFractionBits) & kLargestExponent;
    const int fraction = static_cast<int>(bits) & ((1 << kFractionBits) - 1);
    const double sign = bits & 0x8000u ? -1.0 : 1.0;
    if (exponent == kLargestExponent) {
      return fraction != 0 ? std::numeric_limits<double>::quiet_NaN()
                           : sign * std::numeric_limits<double>::infinity();
    }
    if (exponent == 0) return sign * std::ldexp(fraction, 1 - kBias - kFractionBits);
    return sign * std::ldexp(fraction + (1 << kFractionBits), exponent - kBias - kFractionBits);
  }

  /// The nearest encoding, the even one of two; 0x7FFF for NaN. Found by bisection over the
  /// encodings, which are in the order of their values.
  static unsigned encode(double value) {
    if (std::isnan(value)) return 0x7FFF;
    const unsigned sign = std::signbit(value) ? 0x8000u : 0u;
    const double size = std::fabs(value);
    unsigned below = 0;
    unsigned above = kInfinity;
    if (std::isinf(size)) return sign | kInfinity;
    while (above - below > 1) {
      const unsigned middle = (below + above) / 2;
      (decode(middle) <= size ? below : above) = middle;
    }
    // Infinity stands where the next number would be.
    const double step_above =
        above == kInfinity ? 2 * decode(below) - decode(below - 1) : decode(above);
    const double low = size - decode(below);
    const double high = step_above - size;
    if (low < high) return sign | below;
    if (high < low) return sign | above;
    return sign | (below % 2 == 0 ? below : above);
  }
};

}  // namespace ladder::emulator
