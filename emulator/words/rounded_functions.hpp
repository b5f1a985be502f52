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

inline float __fadd_rn(float x, float y) {
  using ladder::emulator::rounded;
  return rounded<ladder::emulator::Rounding::kNearest>(ladder::emulator::kSum, x, y);
}
inline float __fsub_rn(float x, float y) {
  using ladder::emulator::rounded;
  return rounded<ladder::emulator::Rounding::kNearest>(ladder::emulator::kDifference, x, y);
}
inline float __fmul_rn(float x, float y) {
  using ladder::emulator::rounded;
  return rounded<ladder::emulator::Rounding::kNearest>(ladder::emulator::kProduct, x, y);
}
inline float __fdiv_rn(float x, float y) {
  using ladder::emulator::rounded;
  return rounded<ladder::emulator::Rounding::kNearest>(ladder::emulator::kQuotient, x, y);
}
inline float __fmaf_rn(float x, float y, float z) {
  using ladder::emulator::rounded;
  return rounded<ladder::emulator::Rounding::kNearest>(ladder::emulator::kFused, x, y, z);
}
inline float __frcp_rn(float x) {
  using ladder::emulator::rounded;
  return rounded<ladder::emulator::Rounding::kNearest>(ladder::emulator::kQuotient, 1.0f, x);
}
inline float __fsqrt_rn(float x) {
  using ladder::emulator::rounded;
  return rounded<ladder::emulator::Rounding::kNearest>(ladder::emulator::kRoot, x);
}
inline float __fadd_rz(float x, float y) {
  using ladder::emulator::rounded;
  return rounded<ladder::emulator::Rounding::kToZero>(ladder::emulator::kSum, x, y);
}
inline float __fsub_rz(float x, float y) {
  using ladder::emulator::rounded;
  return rounded<ladder::emulator::Rounding::kToZero>(ladder::emulator::kDifference, x, y);
}
inline float __fmul_rz(float x, float y) {
  using ladder::emulator::rounded;
  return rounded<ladder::emulator::Rounding::kToZero>(ladder::emulator::kProduct, x, y);
}
inline float __fdiv_rz(float x, float y) {
  using ladder::emulator::rounded;
  return rounded<ladder::emulator::Rounding::kToZero>(ladder::emulator::kQuotient, x, y);
}
inline float __fmaf_rz(float x, float y, float z) {
  using ladder::emulator::rounded;
  return rounded<ladder::emulator::Rounding::kToZero>(ladder::emulator::kFused, x, y, z);
}
inline float __frcp_rz(float x) {
  using ladder::emulator::rounded;
  return rounded<ladder::emulator::Rounding::kToZero>(ladder::emulator::kQuotient, 1.0f, x);
}
inline float __fsqrt_rz(float x) {
  using ladder::emulator::rounded;
  return rounded<ladder::emulator::Rounding::kToZero>(ladder::emulator::kRoot, x);
}
inline float __fadd_ru(float x, float y) {
  using ladder::emulator::rounded;
  return rounded<ladder::emulator::Rounding::kUp>(ladder::emulator::kSum, x, y);
}
inline float __fsub_ru(float x, float y) {
  using ladder::emulator::rounded;
  return rounded<ladder::emulator::Rounding::kUp>(ladder::emulator::kDifference, x, y);
}
inline float __fmul_ru(float x, float y) {
  using ladder::emulator::rounded;
  return rounded<ladder::emulator::Rounding::kUp>(ladder::emulator::kProduct, x, y);
}
inline float __fdiv_ru(float x, float y) {
  using ladder::emulator::rounded;
  return rounded<ladder::emulator::Rounding::kUp>(ladder::emulator::kQuotient, x, y);
}
inline float __fmaf_ru(float x, float y, float z) {
  using ladder::emulator::rounded;
  return rounded<ladder::emulator::Rounding::kUp>(ladder::emulator::kFused, x, y, z);
}
inline float __frcp_ru(float x) {
  using ladder::emulator::rounded;
  return rounded<ladder::emulator::Rounding::kUp>(ladder::emulator::kQuotient, 1.0f, x);
}
inline float __fsqrt_ru(float x) {
  using ladder::emulator::rounded;
  return rounded<ladder::emulator::Rounding::kUp>(ladder::emulator::kRoot, x);
}
inline float __fadd_rd(float x, float y) {
  using ladder::emulator::rounded;
  return rounded<ladder::emulator::Rounding::kDown>(ladder::emulator::kSum, x, y);
}
inline float __fsub_rd(float x, float y) {
  using ladder::emulator::rounded;
  return rounded<ladder::emulator::Rounding::kDown>(ladder::emulator::kDifference, x, y);
}
inline float __fmul_rd(float x, float y) {
  using ladder::emulator::rounded;
  return rounded<ladder::emulator::Rounding::kDown>(ladder::emulator::kProduct, x, y);
}
inline float __fdiv_rd(float x, float y) {
  using ladder::emulator::rounded;
  return rounded<ladder::emulator::Rounding::kDown>(ladder::emulator::kQuotient, x, y);
}
inline float __fmaf_rd(float x, float y, float z) {
  using ladder::emulator::rounded;
  return rounded<ladder::emulator::Rounding::kDown>(ladder::emulator::kFused, x, y, z);
}
inline float __frcp_rd(float x) {
  using ladder::emulator::rounded;
  return rounded<ladder::emulator::Rounding::kDown>(ladder::emulator::kQuotient, 1.0f, x);
}
inline float __fsqrt_rd(float x) {
  using ladder::emulator::rounded;
  return rounded<ladder::emulator::Rounding::kDown>(ladder::emulator::kRoot, x);
}

inline double __dadd_rn(double x, double y) {
  using ladder::emulator::rounded;
  return rounded<ladder::emulator::Rounding::kNearest>(ladder::emulator::kSum, x, y);
}
inline double __dsub_rn(double x, double y) {
  using ladder::emulator::rounded;
  return rounded<ladder::emulator::Rounding::kNearest>(ladder::emulator::kDifference, x, y);
}
inline double __dmul_rn(double x, double y) {
  using ladder::emulator::rounded;
  return rounded<ladder::emulator::Rounding::kNearest>(ladder::emulator::kProduct, x, y);
}
inline double __ddiv_rn(double x, double y) {
  using ladder::emulator::rounded;
  return rounded<ladder::emulator::Rounding::kNearest>(ladder::emulator::kQuotient, x, y);
}
inline double __fma_rn(double x, double y, double z) {
  using ladder::emulator::rounded;
  return rounded<ladder::emulator::Rounding::kNearest>(ladder::emulator::kFused, x, y, z);
}
inline double __drcp_rn(double x) {
  using ladder::emulator::rounded;
  return rounded<ladder::emulator::Rounding::kNearest>(ladder::emulator::kQuotient, 1.0, x);
}
inline double __dsqrt_rn(double x) {
  using ladder::emulator::rounded;
  return rounded<ladder::emulator::Rounding::kNearest>(ladder::emulator::kRoot, x);
}
inline double __dadd_rz(double x, double y) {
  using ladder::emulator::rounded;
  return rounded<ladder::emulator::Rounding::kToZero>(ladder::emulator::kSum, x, y);
}
inline double __dsub_rz(double x, double y) {
  using ladder::emulator::rounded;
  return rounded<ladder::emulator::Rounding::kToZero>(ladder::emulator::kDifference, x, y);
}
inline double __dmul_rz(double x, double y) {
  using ladder::emulator::rounded;
  return rounded<ladder::emulator::Rounding::kToZero>(ladder::emulator::kProduct, x, y);
}
inline double __ddiv_rz(double x, double y) {
  using ladder::emulator::rounded;
  return rounded<ladder::emulator::Rounding::kToZero>(ladder::emulator::kQuotient, x, y);
}
inline double __fma_rz(double x, double y, double z) {
  using ladder::emulator::rounded;
  return rounded<ladder::emulator::Rounding::kToZero>(ladder::emulator::kFused, x, y, z);
}
inline double __drcp_rz(double x) {
  using ladder::emulator::rounded;
  return rounded<ladder::emulator::Rounding::kToZero>(ladder::emulator::kQuotient, 1.0, x);
}
inline double __dsqrt_rz(double x) {
  using ladder::emulator::rounded;
  return rounded<ladder::emulator::Rounding::kToZero>(ladder::emulator::kRoot, x);
}
inline double __dadd_ru(double x, double y) {
  using ladder::emulator::rounded;
  return rounded<ladder::emulator::Rounding::kUp>(ladder::emulator::kSum, x, y);
}
inline double __dsub_ru(double x, double y) {
  using ladder::emulator::rounded;
  return rounded<ladder::emulator::Rounding::kUp>(ladder::emulator::kDifference, x, y);
}
inline double __dmul_ru(double x, double y) {
  using ladder::emulator::rounded;
  return rounded<ladder::emulator::Rounding::kUp>(ladder::emulator::kProduct, x, y);
}
inline double __ddiv_ru(double x, double y) {
  using ladder::emulator::rounded;
  return rounded<ladder::emulator::Rounding::kUp>(ladder::emulator::kQuotient, x, y);
}
inline double __fma_ru(double x, double y, double z) {
  using ladder::emulator::rounded;
  return rounded<ladder::emulator::Rounding::kUp>(ladder::emulator::kFused, x, y, z);
}
inline double __drcp_ru(double x) {
  using ladder::emulator::rounded;
  return rounded<ladder::emulator::Rounding::kUp>(ladder::emulator::kQuotient, 1.0, x);
}
inline double __dsqrt_ru(double x) {
  using ladder::emulator::rounded;
  return rounded<ladder::emulator::Rounding::kUp>(ladder::emulator::kRoot, x);
}
inline double __dadd_rd(double x, double y) {
  using ladder::emulator::rounded;
  return rounded<ladder::emulator::Rounding::kDown>(ladder::emulator::kSum, x, y);
}
inline double __dsub_rd(double x, double y) {
  using ladder::emulator::rounded;
  return rounded<ladder::emulator::Rounding::kDown>(ladder::emulator::kDifference, x, y);
}
inline double __dmul_rd(double x, double y) {
  using ladder::emulator::rounded;
  return rounded<ladder::emulator::Rounding::kDown>(ladder::emulator::kProduct, x, y);
}
inline double __ddiv_rd(double x, double y) {
  using ladder::emulator::rounded;
  return rounded<ladder::emulator::Rounding::kDown>(ladder::emulator::kQuotient, x, y);
}
inline double __fma_rd(double x, double y, double z) {
  using ladder::emulator::rounded;
  return rounded<ladder::emulator::Rounding::kDown>(ladder::emulator::kFused, x, y, z);
}
inline double __drcp_rd(double x) {
  using ladder::emulator::rounded;
  return rounded<ladder::emulator::Rounding::kDown>(ladder::emulator::kQuotient, 1.0, x);
}
inline double __dsqrt_rd(double x) {
  using ladder::emulator::rounded;
  return rounded<ladder::emulator::Rounding::kDown>(ladder::emulator::kRoot, x);
}
