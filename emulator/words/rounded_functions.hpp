// SPDX-License-Identifier: MIT
/// \file  emulator/words/rounded_functions.hpp
/// \brief CUDA's arithmetic with a rounding of its own: __fadd_rd, __dmul_ru, __fmaf_rz, ... The
///        CPU rounds in the same four ways, so each result is the one that a GPU computes.
///
/// The last letters say where a result goes that no number of the type represents: rn to the
/// nearest (of two equally near, the even one), rz towards zero, ru up and rd down.
#pragma once

#include <cmath>
#include <concepts>

namespace ladder::emulator {

/// The bits of the CPU's control register MXCSR that choose the rounding.
enum class Rounding : unsigned { kNearest = 0, kDown = 0x2000, kUp = 0x4000, kToZero = 0x6000 };
inline constexpr unsigned kRoundingBits = 0x6000;

/// Hides a value from the compiler, so that no operation with it moves across this place.
template <class T>
void hide(T& value) {
  if constexpr (std::floating_point<T>) {
    __asm__ volatile("" : "+x"(value));
  } else {
    __asm__ volatile("" : "+r"(value));
  }
}

/// What an operation on numbers returns if the CPU rounds in this way. The compiler fuses it with
/// nothing around it.
template <Rounding kMode, class Operation, class... Numbers>
auto rounded(Operation operation, Numbers... numbers) {
  const unsigned before = __builtin_ia32_stmxcsr();
  __builtin_ia32_ldmxcsr((before & ~kRoundingBits) | static_cast<unsigned>(kMode));
  (hide(numbers), ...);
  auto result = operation(numbers...);
  hide(result);
  __builtin_ia32_ldmxcsr(before);
  return result;
}

inline constexpr auto kSum = [](auto x, auto y) { return x + y; };
inline constexpr auto kDifference = [](auto x, auto y) { return x - y; };
inline constexpr auto kProduct = [](auto x, auto y) { return x * y; };
inline constexpr auto kQuotient = [](auto x, auto y) { return x / y; };
inline constexpr auto kFused = [](auto x, auto y, auto z) { return std::fma(x, y, z); };
inline constexpr auto kRoot = [](auto x) { return std::sqrt(x); };

}  // namespace ladder::emulator

// __fadd_rn(x, y) and its like, in one rounding.
#define LADDER_ROUNDED(ending, mode)                                              \
  inline float __fadd_##ending(float x, float y) {                                \
    return ladder::emulator::rounded<mode>(ladder::emulator::kSum, x, y);         \
  }                                                                               \
  inline float __fsub_##ending(float x, float y) {                                \
    return ladder::emulator::rounded<mode>(ladder::emulator::kDifference, x, y);  \
  }                                                                               \
  inline float __fmul_##ending(float x, float y) {                                \
    return ladder::emulator::rounded<mode>(ladder::emulator::kProduct, x, y);     \
  }                                                                               \
  inline float __fdiv_##ending(float x, float y) {                                \
    return ladder::emulator::rounded<mode>(ladder::emulator::kQuotient, x, y);    \
  }                                                                               \
  inline float __fmaf_##ending(float x, float y, float z) {                       \
    return ladder::emulator::rounded<mode>(ladder::emulator::kFused, x, y, z);    \
  }                                                                               \
  inline float __frcp_##ending(float x) {                                         \
    return ladder::emulator::rounded<mode>(ladder::emulator::kQuotient, 1.0f, x); \
  }                                                                               \
  inline float __fsqrt_##ending(float x) {                                        \
    return ladder::emulator::rounded<mode>(ladder::emulator::kRoot, x);           \
  }                                                                               \
  inline double __dadd_##ending(double x, double y) {                             \
    return ladder::emulator::rounded<mode>(ladder::emulator::kSum, x, y);         \
  }                                                                               \
  inline double __dsub_##ending(double x, double y) {                             \
    return ladder::emulator::rounded<mode>(ladder::emulator::kDifference, x, y);  \
  }                                                                               \
  inline double __dmul_##ending(double x, double y) {                             \
    return ladder::emulator::rounded<mode>(ladder::emulator::kProduct, x, y);     \
  }                                                                               \
  inline double __ddiv_##ending(double x, double y) {                             \
    return ladder::emulator::rounded<mode>(ladder::emulator::kQuotient, x, y);    \
  }                                                                               \
  inline double __fma_##ending(double x, double y, double z) {                    \
    return ladder::emulator::rounded<mode>(ladder::emulator::kFused, x, y, z);    \
  }                                                                               \
  inline double __drcp_##ending(double x) {                                       \
    return ladder::emulator::rounded<mode>(ladder::emulator::kQuotient, 1.0, x);  \
  }                                                                               \
  inline double __dsqrt_##ending(double x) {                                      \
    return ladder::emulator::rounded<mode>(ladder::emulator::kRoot, x);           \
  }

LADDER_ROUNDED(rn, ladder::emulator::Rounding::kNearest)
LADDER_ROUNDED(rz, ladder::emulator::Rounding::kToZero)
LADDER_ROUNDED(ru, ladder::emulator::Rounding::kUp)
LADDER_ROUNDED(rd, ladder::emulator::Rounding::kDown)
#undef LADDER_ROUNDED
