// SPDX-License-Identifier: MIT
/// \file  common/random.hpp
/// \brief Random inputs that every machine can make, and check, element by element.
#pragma once

#include <cstdint>

namespace ladder {

/// Names an endless array of random floats: the same seed and array number give the same values on
/// every machine, because only integer arithmetic and one rounding are involved.
struct RandomArray {
  std::uint64_t seed = 1;
  std::uint64_t array = 0;  ///< distinguishes A, B and C of one problem

  /// \brief  Element `index`, near normal with mean 0 and standard deviation 1.
  /// \source four 16-bit uniforms from one SplitMix64 output (Steele, Lea, Flood 2014), added up
  ///         (Irwin-Hall) and scaled by sqrt(12/4)
  constexpr float operator[](std::uint64_t index) const {
    // Arrays are far-apart stretches of one sequence: this factor is not the step along it.
    std::uint64_t x = (seed * 0xd1342543de82ef95u + array) * 0xda942042e4dd58b5u;
    x += (index + 1) * 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    x ^= x >> 31;
    const int sum =
        static_cast<int>((x & 0xffff) + ((x >> 16) & 0xffff) + ((x >> 32) & 0xffff) + (x >> 48));
    constexpr int kTwiceMean = 4 * 0xffff;
    constexpr float kScale = 1.7320508f / 65536 / 2;
    return static_cast<float>(2 * sum - kTwiceMean) * kScale;
  }
};

}  // namespace ladder
