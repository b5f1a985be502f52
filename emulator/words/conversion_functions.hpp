// SPDX-License-Identifier: MIT
/// \file  emulator/words/conversion_functions.hpp
/// \brief CUDA's conversions between numbers, each with its rounding, and between numbers and bits.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "emulator/words/rounded_functions.hpp"

namespace ladder::emulator {

/// A whole number as an integer, as a GPU converts it: what is too large or too small becomes the
/// largest or the smallest integer. NaN becomes 0, and if either type has 64 bits the integer whose
/// highest bit alone is set (PTX, "cvt").
template <class Integer, class Real>
Integer saturated(Real whole) {
  using Limits = std::numeric_limits<Integer>;
  if (whole != whole) {
    const bool is_wide = sizeof(Integer) == 8 || sizeof(Real) == 8;
    return is_wide ? static_cast<Integer>(1ull << (8 * sizeof(Integer) - 1)) : Integer{0};
  }
  if (whole >= std::ldexp(Real{1}, Limits::digits)) return Limits::max();
  if (whole <= static_cast<Real>(Limits::min())) return Limits::min();
  return static_cast<Integer>(whole);
}

}  // namespace ladder::emulator

inline int __float2int_rn(float x) {
  return ladder::emulator::saturated<int>(std::nearbyint(x));
}
inline int __float2int_rz(float x) {
  return ladder::emulator::saturated<int>(std::trunc(x));
}
inline int __float2int_ru(float x) {
  return ladder::emulator::saturated<int>(std::ceil(x));
}
inline int __float2int_rd(float x) {
  return ladder::emulator::saturated<int>(std::floor(x));
}
inline unsigned __float2uint_rn(float x) {
  return ladder::emulator::saturated<unsigned>(std::nearbyint(x));
}
inline unsigned __float2uint_rz(float x) {
  return ladder::emulator::saturated<unsigned>(std::trunc(x));
}
inline unsigned __float2uint_ru(float x) {
  return ladder::emulator::saturated<unsigned>(std::ceil(x));
}
inline unsigned __float2uint_rd(float x) {
  return ladder::emulator::saturated<unsigned>(std::floor(x));
}
inline long long __float2ll_rn(float x) {
  return ladder::emulator::saturated<long long>(std::nearbyint(x));
}
inline long long __float2ll_rz(float x) {
  return ladder::emulator::saturated<long long>(std::trunc(x));
}
inline long long __float2ll_ru(float x) {
  return ladder::emulator::saturated<long long>(std::ceil(x));
}
inline long long __float2ll_rd(float x) {
  return ladder::emulator::saturated<long long>(std::floor(x));
}
inline unsigned long long __float2ull_rn(float x) {
  return ladder::emulator::saturated<unsigned long long>(std::nearbyint(x));
}
inline unsigned long long __float2ull_rz(float x) {
  return ladder::emulator::saturated<unsigned long long>(std::trunc(x));
}
inline unsigned long long __float2ull_ru(float x) {
  return ladder::emulator::saturated<unsigned long long>(std::ceil(x));
}
inline unsigned long long __float2ull_rd(float x) {
  return ladder::emulator::saturated<unsigned long long>(std::floor(x));
}

inline int __double2int_rn(double x) {
  return ladder::emulator::saturated<int>(std::nearbyint(x));
}
inline int __double2int_rz(double x) {
  return ladder::emulator::saturated<int>(std::trunc(x));
}
inline int __double2int_ru(double x) {
  return ladder::emulator::saturated<int>(std::ceil(x));
}
inline int __double2int_rd(double x) {
  return ladder::emulator::saturated<int>(std::floor(x));
}
inline unsigned __double2uint_rn(double x) {
  return ladder::emulator::saturated<unsigned>(std::nearbyint(x));
}
inline unsigned __double2uint_rz(double x) {
  return ladder::emulator::saturated<unsigned>(std::trunc(x));
}
inline unsigned __double2uint_ru(double x) {
  return ladder::emulator::saturated<unsigned>(std::ceil(x));
}
inline unsigned __double2uint_rd(double x) {
  return ladder::emulator::saturated<unsigned>(std::floor(x));
}
inline long long __double2ll_rn(double x) {
  return ladder::emulator::saturated<long long>(std::nearbyint(x));
}
inline long long __double2ll_rz(double x) {
  return ladder::emulator::saturated<long long>(std::trunc(x));
}
inline long long __double2ll_ru(double x) {
  return ladder::emulator::saturated<long long>(std::ceil(x));
}
inline long long __double2ll_rd(double x) {
  return ladder::emulator::saturated<long long>(std::floor(x));
}
inline unsigned long long __double2ull_rn(double x) {
  return ladder::emulator::saturated<unsigned long long>(std::nearbyint(x));
}
inline unsigned long long __double2ull_rz(double x) {
  return ladder::emulator::saturated<unsigned long long>(std::trunc(x));
}
inline unsigned long long __double2ull_ru(double x) {
  return ladder::emulator::saturated<unsigned long long>(std::ceil(x));
}
inline unsigned long long __double2ull_rd(double x) {
  return ladder::emulator::saturated<unsigned long long>(std::floor(x));
}

inline float __int2float_rn(int x) {
  using ladder::emulator::rounded;
  return rounded<ladder::emulator::Rounding::kNearest>(
      [](int whole) { return static_cast<float>(whole); }, x);
}
inline float __int2float_rz(int x) {
  using ladder::emulator::rounded;
  return rounded<ladder::emulator::Rounding::kToZero>(
      [](int whole) { return static_cast<float>(whole); }, x);
}
inline float __int2float_ru(int x) {
  using ladder::emulator::rounded;
  return rounded<ladder::emulator::Rounding::kUp>(
      [](int whole) { return static_cast<float>(whole); }, x);
}
inline float __int2float_rd(int x) {
  using ladder::emulator::rounded;
  return rounded<ladder::emulator::Rounding::kDown>(
      [](int whole) { return static_cast<float>(whole); }, x);
}
inline float __uint2float_rn(unsigned x) {
  using ladder::emulator::rounded;
  return rounded<ladder::emulator::Rounding::kNearest>(
      [](unsigned whole) { return static_cast<float>(whole); }, x);
}
inline float __uint2float_rz(unsigned x) {
  using ladder::emulator::rounded;
  return rounded<ladder::emulator::Rounding::kToZero>(
      [](unsigned whole) { return static_cast<float>(whole); }, x);
}
inline float __uint2float_ru(unsigned x) {
  using ladder::emulator::rounded;
  return rounded<ladder::emulator::Rounding::kUp>(
      [](unsigned whole) { return static_cast<float>(whole); }, x);
}
inline float __uint2float_rd(unsigned x) {
  using ladder::emulator::rounded;
  return rounded<ladder::emulator::Rounding::kDown>(
      [](unsigned whole) { return static_cast<float>(whole); }, x);
}
inline float __ll2float_rn(long long x) {
  using ladder::emulator::rounded;
  return rounded<ladder::emulator::Rounding::kNearest>(
      [](long long whole) { return static_cast<float>(whole); }, x);
}
inline float __ll2float_rz(long long x) {
  using ladder::emulator::rounded;
  return rounded<ladder::emulator::Rounding::kToZero>(
      [](long long whole) { return static_cast<float>(whole); }, x);
}
inline float __ll2float_ru(long long x) {
  using ladder::emulator::rounded;
  return rounded<ladder::emulator::Rounding::kUp>(
      [](long long whole) { return static_cast<float>(whole); }, x);
}
inline float __ll2float_rd(long long x) {
  using ladder::emulator::rounded;
  return rounded<ladder::emulator::Rounding::kDown>(
      [](long long whole) { return static_cast<float>(whole); }, x);
}
inline float __ull2float_rn(unsigned long long x) {
  using ladder::emulator::rounded;
  return rounded<ladder::emulator::Rounding::kNearest>(
      [](unsigned long long whole) { return static_cast<float>(whole); }, x);
}
inline float __ull2float_rz(unsigned long long x) {
  using ladder::emulator::rounded;
  return rounded<ladder::emulator::Rounding::kToZero>(
      [](unsigned long long whole) { return static_cast<float>(whole); }, x);
}
inline float __ull2float_ru(unsigned long long x) {
  using ladder::emulator::rounded;
  return rounded<ladder::emulator::Rounding::kUp>(
      [](unsigned long long whole) { return static_cast<float>(whole); }, x);
}
inline float __ull2float_rd(unsigned long long x) {
  using ladder::emulator::rounded;
  return rounded<ladder::emulator::Rounding::kDown>(
      [](unsigned long long whole) { return static_cast<float>(whole); }, x);
}

inline double __int2double_rn(int x) {
  using ladder::emulator::rounded;
  return rounded<ladder::emulator::Rounding::kNearest>(
      [](int whole) { return static_cast<double>(whole); }, x);
}
inline double __uint2double_rn(unsigned x) {
  using ladder::emulator::rounded;
  return rounded<ladder::emulator::Rounding::kNearest>(
      [](unsigned whole) { return static_cast<double>(whole); }, x);
}
inline double __ll2double_rn(long long x) {
  using ladder::emulator::rounded;
  return rounded<ladder::emulator::Rounding::kNearest>(
      [](long long whole) { return static_cast<double>(whole); }, x);
}
inline double __ll2double_rz(long long x) {
  using ladder::emulator::rounded;
  return rounded<ladder::emulator::Rounding::kToZero>(
      [](long long whole) { return static_cast<double>(whole); }, x);
}
inline double __ll2double_ru(long long x) {
  using ladder::emulator::rounded;
  return rounded<ladder::emulator::Rounding::kUp>(
      [](long long whole) { return static_cast<double>(whole); }, x);
}
inline double __ll2double_rd(long long x) {
  using ladder::emulator::rounded;
  return rounded<ladder::emulator::Rounding::kDown>(
      [](long long whole) { return static_cast<double>(whole); }, x);
}
inline double __ull2double_rn(unsigned long long x) {
  using ladder::emulator::rounded;
  return rounded<ladder::emulator::Rounding::kNearest>(
      [](unsigned long long whole) { return static_cast<double>(whole); }, x);
}
inline double __ull2double_rz(unsigned long long x) {
  using ladder::emulator::rounded;
  return rounded<ladder::emulator::Rounding::kToZero>(
      [](unsigned long long whole) { return static_cast<double>(whole); }, x);
}
inline double __ull2double_ru(unsigned long long x) {
  using ladder::emulator::rounded;
  return rounded<ladder::emulator::Rounding::kUp>(
      [](unsigned long long whole) { return static_cast<double>(whole); }, x);
}
inline double __ull2double_rd(unsigned long long x) {
  using ladder::emulator::rounded;
  return rounded<ladder::emulator::Rounding::kDown>(
      [](unsigned long long whole) { return static_cast<double>(whole); }, x);
}

inline float __double2float_rn(double x) {
  using ladder::emulator::rounded;
  return rounded<ladder::emulator::Rounding::kNearest>(
      [](double wide) { return static_cast<float>(wide); }, x);
}
inline float __double2float_rz(double x) {
  using ladder::emulator::rounded;
  return rounded<ladder::emulator::Rounding::kToZero>(
      [](double wide) { return static_cast<float>(wide); }, x);
}
inline float __double2float_ru(double x) {
  using ladder::emulator::rounded;
  return rounded<ladder::emulator::Rounding::kUp>(
      [](double wide) { return static_cast<float>(wide); }, x);
}
inline float __double2float_rd(double x) {
  using ladder::emulator::rounded;
  return rounded<ladder::emulator::Rounding::kDown>(
      [](double wide) { return static_cast<float>(wide); }, x);
}

/// The bits of x as another type of the same size.
inline unsigned __float_as_uint(float x) {
  return __builtin_bit_cast(unsigned, x);
}
inline int __float_as_int(float x) {
  return __builtin_bit_cast(int, x);
}
inline float __uint_as_float(unsigned x) {
  return __builtin_bit_cast(float, x);
}
inline float __int_as_float(int x) {
  return __builtin_bit_cast(float, x);
}
inline long long __double_as_longlong(double x) {
  return __builtin_bit_cast(long long, x);
}
inline double __longlong_as_double(long long x) {
  return __builtin_bit_cast(double, x);
}

/// The upper and the lower half of a double's bits, and the double that two halves make.
inline int __double2hiint(double x) {
  return static_cast<int>(__double_as_longlong(x) >> 32);
}
inline int __double2loint(double x) {
  return static_cast<int>(__double_as_longlong(x));
}
inline double __hiloint2double(int high, int low) {
  return __longlong_as_double(static_cast<long long>(
      std::uint64_t{static_cast<unsigned>(high)} << 32 | static_cast<unsigned>(low)));
}
