// SPDX-License-Identifier: MIT
/// \file  emulator/words/traced_bytes.hpp
/// \brief memcpy() and the like for traced code, included in front of everything else (-include).
///
/// g++ instruments loads and stores, but no call of these functions and nothing that it makes of
/// one: a copy of 12 bytes, whether a program or std::copy asks for it, would be seen by nobody.
/// Here the tracer is told first. Copies of 1, 2, 4, 8 and 16 bytes become a load and a store
/// before g++ instruments anything.
#pragma once

#include <cstring>

#include "emulator/words/byte_functions.hpp"

extern "C" {

[[gnu::always_inline]] constexpr inline void* ladder_traced_memcpy(void* to, const void* from,
                                                                   std::size_t bytes) noexcept {
  if (__builtin_is_constant_evaluated()) return __builtin_memcpy(to, from, bytes);
  if (__builtin_constant_p(bytes) && ladder::emulator::is_one_access(bytes))
    return __builtin_memcpy(to, from, bytes);
  return ladder::emulator::copy_bytes(to, from, bytes);
}

[[gnu::always_inline]] constexpr inline void* ladder_traced_memmove(void* to, const void* from,
                                                                    std::size_t bytes) noexcept {
  if (__builtin_is_constant_evaluated()) return __builtin_memmove(to, from, bytes);
  if (__builtin_constant_p(bytes) && ladder::emulator::is_one_access(bytes))
    return __builtin_memmove(to, from, bytes);
  return ladder::emulator::copy_bytes(to, from, bytes);
}

[[gnu::always_inline]] constexpr inline void* ladder_traced_memset(void* to, int value,
                                                                   std::size_t bytes) noexcept {
  if (__builtin_is_constant_evaluated()) return __builtin_memset(to, value, bytes);
  return ladder::emulator::fill_bytes(to, value, bytes);
}

[[gnu::always_inline]] constexpr inline int ladder_traced_memcmp(const void* a, const void* b,
                                                                 std::size_t bytes) noexcept {
  if (__builtin_is_constant_evaluated()) return __builtin_memcmp(a, b, bytes);
  return ladder::emulator::compare_bytes(a, b, bytes);
}

}  // extern "C"

namespace std {
using ::ladder_traced_memcmp;
using ::ladder_traced_memcpy;
using ::ladder_traced_memmove;
using ::ladder_traced_memset;
}  // namespace std

// Whoever spells them, headers of the system too.
#define memcpy ladder_traced_memcpy
#define memmove ladder_traced_memmove
#define memset ladder_traced_memset
#define memcmp ladder_traced_memcmp
#define __builtin_memcpy ladder_traced_memcpy
#define __builtin_memmove ladder_traced_memmove
#define __builtin_memset ladder_traced_memset
#define __builtin_memcmp ladder_traced_memcmp
