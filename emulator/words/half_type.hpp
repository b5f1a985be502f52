// SPDX-License-Identifier: MIT
/// \file  emulator/words/half_type.hpp
/// \brief __half and __half2: IEEE binary16, which g++ knows as _Float16. A class around it gives
///        every NaN the encoding that a GPU gives it, 0x7FFF, and has CUDA's conversions.
#pragma once

#include <cmath>

#include "emulator/words/short_floats.hpp"
#include "emulator/words/vector_types.hpp"

struct __half_raw {
  unsigned short x;
};

/// A 16-bit floating-point number: sign, 5 bits of exponent, 10 of fraction.
class __half : public ladder::emulator::ShortFloat<__half> {
 public:
  static constexpr unsigned short kInfinityBits = 0x7C00;

  __half() = default;
  __half(float value) : value_(rounded(value)) {}
  __half(double value) : value_(rounded(value)) {}
  __half(int value) : __half(static_cast<double>(value)) {}
  __half(unsigned value) : __half(static_cast<double>(value)) {}
  constexpr __half(__half_raw raw) : value_(__builtin_bit_cast(_Float16, raw.x)) {}
  static constexpr __half of_bits(unsigned short bits) { return __half_raw{bits}; }

  operator float() const { return static_cast<float>(value_); }
  constexpr operator __half_raw() const { return {bits()}; }

  /// The encoding of the number.
  constexpr unsigned short bits() const { return __builtin_bit_cast(unsigned short, value_); }

 private:
  template <class Real>
  static _Float16 rounded(Real value) {
    return value != value ? __builtin_bit_cast(_Float16, ladder::emulator::kNanBits)
                          : static_cast<_Float16>(value);
  }

  _Float16 value_;
};

/// Two halves.
struct __half2 : ladder::emulator::ShortFloatPair<__half2, __half> {
  using ShortFloatPair::ShortFloatPair;
};

using half = __half;
using half2 = __half2;

inline __half __ushort_as_half(unsigned short bits) {
  return __half::of_bits(bits);
}
inline unsigned short __half_as_ushort(__half h) {
  return h.bits();
}
inline __half __short_as_half(short bits) {
  return __half::of_bits(static_cast<unsigned short>(bits));
}
inline short __half_as_short(__half h) {
  return static_cast<short>(h.bits());
}

inline __half __float2half(float x) {
  return x;
}
inline __half __float2half_rn(float x) {
  return x;
}
inline __half __double2half(double x) {
  return x;
}
inline __half __int2half_rn(int x) {
  return x;
}
inline __half __uint2half_rn(unsigned x) {
  return x;
}
inline float __half2float(__half h) {
  return h;
}
inline int __half2int_rn(__half h) {
  return static_cast<int>(std::nearbyint(static_cast<float>(h)));
}

inline __half2 make_half2(__half x, __half y) {
  return {x, y};
}
inline __half2 __halves2half2(__half x, __half y) {
  return {x, y};
}
inline __half2 __half2half2(__half h) {
  return {h, h};
}
inline __half __low2half(__half2 v) {
  return v.x;
}
inline __half __high2half(__half2 v) {
  return v.y;
}
inline __half2 __float2half2_rn(float x) {
  return {x, x};
}
inline __half2 __floats2half2_rn(float x, float y) {
  return {x, y};
}
inline __half2 __float22half2_rn(float2 v) {
  return {v.x, v.y};
}
inline float2 __half22float2(__half2 v) {
  return {v.x, v.y};
}
