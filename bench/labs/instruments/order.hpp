// SPDX-License-Identifier: MIT
/// \file  bench/labs/instruments/order.hpp
/// \brief Orders of places that GPU and host compute alike, place by place, without a table.
#pragma once

#include <bit>
#include <cstdint>

namespace ladder::labs {

/// A permutation of 0 .. count - 1 that looks random.
class RandomOrder {
 public:
  constexpr RandomOrder(std::uint64_t count, std::uint64_t seed)
      : count_(count), seed_(seed), half_bits_((std::bit_width(count - 1) + 1) / 2) {}

  /// \brief  Place number `index` of the permutation.
  /// \source a Feistel network of four rounds permutes the next power of four; what lies beyond
  ///         `count` is permuted again until it lies within (Black and Rogaway 2002)
  constexpr std::uint64_t operator[](std::uint64_t index) const {
    if (count_ == 1) return 0;
    do {
      index = permuted(index);
    } while (index >= count_);
    return index;
  }

 private:
  constexpr std::uint64_t permuted(std::uint64_t x) const {
    const std::uint64_t mask = (std::uint64_t{1} << half_bits_) - 1;
    std::uint64_t left = x >> half_bits_;
    std::uint64_t right = x & mask;
    for (std::uint64_t round = 0; round < 4; ++round) {
      const std::uint64_t mixed = mix(right ^ (seed_ + round * 0x9e3779b97f4a7c15u));
      const std::uint64_t next = left ^ (mixed & mask);
      left = right;
      right = next;
    }
    return (left << half_bits_) | right;
  }
  /// \source SplitMix64 (Steele, Lea, Flood 2014)
  static constexpr std::uint64_t mix(std::uint64_t x) {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
  }

  std::uint64_t count_;
  std::uint64_t seed_;
  int half_bits_;
};

}  // namespace ladder::labs
