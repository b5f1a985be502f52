// SPDX-License-Identifier: MIT
/// \file  bench/labs/simulator/hash.hpp
/// \brief A number that looks random for each number: what a simulated memory holds, and where.
#pragma once

#include <cstdint>

namespace ladder::labs {

/// \source the finaliser of SplitMix64 (Steele, Lea, Flood 2014)
constexpr std::uint64_t hash_of(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

}  // namespace ladder::labs
