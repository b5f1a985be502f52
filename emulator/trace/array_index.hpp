// SPDX-License-Identifier: MIT
/// \file  emulator/trace/array_index.hpp
/// \brief From addresses to traced arrays, however many there are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "emulator/trace/trace.hpp"

namespace ladder::emulator {

/// Instead of the number of an array: none.
inline constexpr std::size_t kNoArray = ~std::size_t{0};

/// \brief The arrays of a trace by address. Where arrays overlap, the one that begins last.
class ArrayIndex {
 public:
  ArrayIndex() = default;
  explicit ArrayIndex(const std::vector<TracedArray>& arrays);

  /// The number of the array that holds all bytes from `begin` to `end`, or kNoArray.
  std::size_t with(std::uint64_t begin, std::uint64_t end) const;
  /// The number of the array that holds the byte, or of the one that is nearest to it; kNoArray if
  /// there are no arrays.
  std::size_t nearest(std::uint64_t address) const;

  /// Of the lowest array; 0 if there is none.
  std::uint64_t begin() const { return places_.empty() ? 0 : places_.front().begin; }
  /// Of the last byte of all, plus 1.
  std::uint64_t end() const { return places_.empty() ? 0 : places_.back().furthest; }

 private:
  struct Place {
    std::uint64_t begin;
    std::uint64_t end;
    std::uint64_t furthest;      ///< end of this and of all before
    std::size_t furthest_array;  ///< that ends there
    std::size_t array;
  };
  std::vector<Place> places_;  ///< by begin
};

}  // namespace ladder::emulator
