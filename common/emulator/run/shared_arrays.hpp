// SPDX-License-Identifier: MIT
/// \file  common/emulator/run/shared_arrays.hpp
/// \brief The names and places of a kernel's `__shared__` arrays, from its library's symbols.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace ladder::emulator {

/// One `__shared__` array.
struct SharedArray {
  std::string name;
  std::size_t offset = 0;  ///< bytes from the start of the library's shared memory
  std::size_t bytes = 0;
  std::vector<std::size_t> extents = {};  ///< `float s[8][32]`: 8, 32; empty where not known
  std::size_t element_bytes = 4;
};

/// \brief  The arrays of the kernel at `kernel`, and of the functions that it calls.
/// \param  dynamic_offset  where dynamic shared memory starts; becomes an array without a bound of
///                         its own, named as the source names it
std::vector<SharedArray> shared_arrays_of(const void* kernel, std::size_t dynamic_offset,
                                          std::size_t dynamic_bytes);

/// \brief What g++ puts beside shared arrays of a class: a byte that says that it was constructed.
///        Kernels look at it, but a GPU knows no such thing.
std::vector<SharedArray> shared_guards_of(const void* kernel);

/// Was the library of the kernel at `kernel` built with TRACED?
bool is_traced(const void* kernel);

/// "sA[1][0]": the element that the byte at `offset` in shared memory belongs to; a plain offset
/// where no array is near.
std::string element_name(const std::vector<SharedArray>& arrays, std::size_t offset);

}  // namespace ladder::emulator
