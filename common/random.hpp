// SPDX-License-Identifier: MIT
/// \file  common/random.hpp
/// \brief Random inputs that every machine can make, and check, element by element.
#pragma once

#include <cstdint>

namespace ladder {

/// What the elements of an array are.
enum class Numbers : std::uint8_t {
  normal,          ///< nearly normal, mean 0 and standard deviation 1; at most kLargestNormal
  small_integers,  ///< 1 to 4 with either sign: products and short sums of them are exact
  wide_integers,   ///< the same, but for a quarter of them: odd and of 12 bits, one more than TF32
                   ///< has
};

/// Bound on the magnitude of Numbers::normal: 2 * sqrt(3).
inline constexpr double kLargestNormal = 3.4642;

/// Names an endless array of random floats: the same seed and array number give the same values on
/// every machine, because only integer arithmetic and one rounding are involved.
struct RandomArray {
  std::uint64_t seed = 1;
  std::uint64_t array = 0;  ///< distinguishes A, B and C of one problem
  Numbers numbers = Numbers::normal;

  /// \brief  Element `index`.
  /// \source four 16-bit uniforms from one SplitMix64 output (Steele, Lea, Flood 2014), added up
  ///         (Irwin-Hall) and scaled by sqrt(12/4)
  constexpr float operator[](std::uint64_t index) const {
    // Arrays are far-apart stretches of one sequence: this factor is not the step along it.
    std::uint64_t x = (seed * 0xd1342543de82ef95u + array) * 0xda942042e4dd58b5u;
    x += (index + 1) * 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    x ^= x >> 31;
    if (numbers != Numbers::normal) {
      const bool wide = numbers == Numbers::wide_integers && (x >> 8) % 4 == 0;
      const int size = wide ? 2049 + 2 * static_cast<int>((x >> 16) % 1024)  //
                            : 1 + static_cast<int>(x % 4);
      return static_cast<float>((x >> 4) % 2 == 0 ? size : -size);
    }
    const int sum =
        static_cast<int>((x & 0xffff) + ((x >> 16) & 0xffff) + ((x >> 32) & 0xffff) + (x >> 48));
    constexpr int kTwiceMean = 4 * 0xffff;
    constexpr float kScale = 1.7320508f / 65536 / 2;
    return static_cast<float>(2 * sum - kTwiceMean) * kScale;
  }
};

}  // namespace ladder
