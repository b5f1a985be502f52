// SPDX-License-Identifier: MIT
/// \file  emulator/run/debug_info/shared_arrays.hpp
/// \brief The names and places of a kernel's `__shared__` arrays, from its library's symbols.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "emulator/run/fault.hpp"

namespace ladder::emulator {

/// One `__shared__` array.
struct SharedArray {
  std::string name;
  std::size_t offset = 0;  ///< bytes from the start of the library's shared memory
  std::size_t bytes = 0;
  std::vector<std::size_t> extents = {};  ///< `float s[8][32]`: 8, 32; empty if not known
  std::size_t element_bytes = 4;
  bool is_dynamic = false;  ///< `extern __shared__`: as large as the launch asks for
};

/// \brief  The arrays that the kernel at `kernel` can reach: its own, those of functions and
///         lambdas that it calls, inlined or not, and those outside of functions that they use.
///         Read from the machine code.
/// \param  dynamic_offset  where dynamic shared memory starts; becomes an array of unknown size
///                         with its name in the source
/// \param  dynamic_bytes   0: without it
std::vector<SharedArray> shared_arrays_of(const void* kernel, std::size_t dynamic_offset,
                                          std::size_t dynamic_bytes);

/// \brief The byte that g++ adds to a shared array of a class: it says that the array was
///        constructed. Kernels read it, but on a GPU it does not exist.
std::vector<SharedArray> shared_guards_of(const void* kernel, std::size_t dynamic_offset);

/// \brief Is the instruction in the kernel, or in a function that its code names? False for one
///        that it finds in a table: which arrays that function uses is then not known.
bool reaches(const void* kernel, std::size_t dynamic_offset, std::uintptr_t instruction);

/// Whether the library of the kernel at `kernel` was built with TRACED.
bool is_traced(const void* kernel);

/// The array that the byte at `offset` in shared memory is in or behind; null if there are none.
const SharedArray* array_near(const std::vector<SharedArray>& arrays, std::size_t offset);

/// The element that the byte at `offset` in shared memory belongs to; a plain offset if no array
/// is near.
Element element_at(const std::vector<SharedArray>& arrays, std::size_t offset);

}  // namespace ladder::emulator
