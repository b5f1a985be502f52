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

// __float2int_rn(x) and its like: to whole numbers of one type.
#define LADDER_TO_WHOLE(name, Integer, Real)                        \
  inline Integer name##_rn(Real x) {                                \
    return ladder::emulator::saturated<Integer>(std::nearbyint(x)); \
  }                                                                 \
  inline Integer name##_rz(Real x) {                                \
    return ladder::emulator::saturated<Integer>(std::trunc(x));     \
  }                                                                 \
  inline Integer name##_ru(Real x) {                                \
    return ladder::emulator::saturated<Integer>(std::ceil(x));      \
  }                                                                 \
  inline Integer name##_rd(Real x) {                                \
    return ladder::emulator::saturated<Integer>(std::floor(x));     \
  }

LADDER_TO_WHOLE(__float2int, int, float)
LADDER_TO_WHOLE(__float2uint, unsigned, float)
LADDER_TO_WHOLE(__float2ll, long long, float)
LADDER_TO_WHOLE(__float2ull, unsigned long long, float)
LADDER_TO_WHOLE(__double2int, int, double)
LADDER_TO_WHOLE(__double2uint, unsigned, double)
LADDER_TO_WHOLE(__double2ll, long long, double)
LADDER_TO_WHOLE(__double2ull, unsigned long long, double)
#undef LADDER_TO_WHOLE

// __int2float_rn(x) and its like: to real numbers. CUDA rounds an int that becomes a double in no
// way but rn, because each one is a double.
#define LADDER_TO_REAL(name, Real, Number, mode)                        \
  inline Real name(Number x) {                                          \
    return ladder::emulator::rounded<ladder::emulator::Rounding::mode>( \
        [](Number number) { return static_cast<Real>(number); }, x);    \
  }
#define LADDER_TO_REAL_IN_ALL_WAYS(name, Real, Number) \
  LADDER_TO_REAL(name##_rn, Real, Number, kNearest)    \
  LADDER_TO_REAL(name##_rz, Real, Number, kToZero)     \
  LADDER_TO_REAL(name##_ru, Real, Number, kUp)         \
  LADDER_TO_REAL(name##_rd, Real, Number, kDown)

LADDER_TO_REAL_IN_ALL_WAYS(__int2float, float, int)
LADDER_TO_REAL_IN_ALL_WAYS(__uint2float, float, unsigned)
LADDER_TO_REAL_IN_ALL_WAYS(__ll2float, float, long long)
LADDER_TO_REAL_IN_ALL_WAYS(__ull2float, float, unsigned long long)
LADDER_TO_REAL_IN_ALL_WAYS(__ll2double, double, long long)
LADDER_TO_REAL_IN_ALL_WAYS(__ull2double, double, unsigned long long)
LADDER_TO_REAL_IN_ALL_WAYS(__double2float, float, double)
LADDER_TO_REAL(__int2double_rn, double, int, kNearest)
LADDER_TO_REAL(__uint2double_rn, double, unsigned, kNearest)
#undef LADDER_TO_REAL_IN_ALL_WAYS
#undef LADDER_TO_REAL

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
