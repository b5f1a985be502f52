// SPDX-License-Identifier: MIT
/// \file  emulator/words/byte_functions.hpp
/// \brief What memcpy(), memmove(), memset() and memcmp() are in traced code; see traced_bytes.hpp.
#pragma once

#include <cstddef>

namespace ladder::emulator {

// In emulator/trace/hooks.cpp: they tell the tracer first.
void* copy_bytes(void* to, const void* from, std::size_t bytes) noexcept;  ///< may overlap
void* fill_bytes(void* to, int value, std::size_t bytes) noexcept;
int compare_bytes(const void* a, const void* b, std::size_t bytes) noexcept;

/// Does g++ make one load and one store of a copy that is known to have this size?
constexpr bool is_one_access(std::size_t bytes) {
  return bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8 || bytes == 16;
}

}  // namespace ladder::emulator
