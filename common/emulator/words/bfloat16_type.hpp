// SPDX-License-Identifier: MIT
/// \file  common/emulator/words/bfloat16_type.hpp
/// \brief __nv_bfloat16 and __nv_bfloat162: the upper half of a float, with conversions and
///        arithmetic rounded once to the nearest even value. A NaN result is 0x7FFF, as on a GPU.
///
/// Sum, product and quotient are formed in float and rounded again; with 24 bits for operands of 8
/// the second rounding cannot change the result. A fused multiply-add is formed in double and
/// brought to float with its last bit marking an inexact result, which keeps the rounding single.
#pragma once

#include <cmath>
#include <cstdint>

#include "common/emulator/words/vector_types.hpp"

struct __nv_bfloat16_raw {
  unsigned short x;
};

/// A 16-bit floating-point number: sign, 8 bits of exponent, 7 of fraction.
class alignas(2) __nv_bfloat16 {
 public:
  __nv_bfloat16() = default;
  __nv_bfloat16(float value) : bits_(rounded(value)) {}
  __nv_bfloat16(double value) : bits_(rounded(to_odd(value))) {}
  __nv_bfloat16(int value) : bits_(rounded(to_odd(value))) {}
  __nv_bfloat16(unsigned value) : bits_(rounded(to_odd(value))) {}
  constexpr __nv_bfloat16(__nv_bfloat16_raw raw) : bits_(raw.x) {}

  operator float() const {
    return __builtin_bit_cast(float, static_cast<std::uint32_t>(bits_) << 16);
  }
  constexpr operator __nv_bfloat16_raw() const { return {bits_}; }

  /// The encoding of the number.
  constexpr unsigned short bits() const { return bits_; }

 private:
  static unsigned short rounded(float value) {
    if (value != value) return 0x7FFF;
    const auto word = __builtin_bit_cast(std::uint32_t, value);
    const std::uint32_t half_below_even = 0x7FFFu + (word >> 16 & 1u);
    return static_cast<unsigned short>((word + half_below_even) >> 16);
  }

  /// The float next to value towards zero, with an odd last bit unless it is value itself.
  static float to_odd(double value) {
    float near = static_cast<float>(value);
    if (near != near || static_cast<double>(near) == value) return near;
    auto word = __builtin_bit_cast(std::uint32_t, near);
    if (std::fabs(static_cast<double>(near)) > std::fabs(value)) --word;
    return __builtin_bit_cast(float, word | 1u);
  }

  unsigned short bits_;
};

using nv_bfloat16 = __nv_bfloat16;

/// Two bfloat16 in 4 bytes, copied by one access.
struct alignas(4) __nv_bfloat162 {
  __nv_bfloat16 x, y;

  __nv_bfloat162() = default;
  __nv_bfloat162(__nv_bfloat16 low, __nv_bfloat16 high) : x(low), y(high) {}
  __nv_bfloat162(const __nv_bfloat162& other) { copy(other); }
  __nv_bfloat162& operator=(const __nv_bfloat162& other) {
    copy(other);
    return *this;
  }

 private:
  void copy(const __nv_bfloat162& other) {
    __builtin_memcpy(static_cast<void*>(this), &other, sizeof(*this));
  }
};

using nv_bfloat162 = __nv_bfloat162;

inline __nv_bfloat16 __ushort_as_bfloat16(unsigned short bits) {
  return __nv_bfloat16(__nv_bfloat16_raw{bits});
}
inline unsigned short __bfloat16_as_ushort(__nv_bfloat16 h) {
  return h.bits();
}
inline __nv_bfloat16 __short_as_bfloat16(short bits) {
  return __ushort_as_bfloat16(static_cast<unsigned short>(bits));
}
inline short __bfloat16_as_short(__nv_bfloat16 h) {
  return static_cast<short>(h.bits());
}

inline __nv_bfloat16 __float2bfloat16(float x) {
  return __nv_bfloat16(x);
}
inline __nv_bfloat16 __float2bfloat16_rn(float x) {
  return __nv_bfloat16(x);
}
inline __nv_bfloat16 __double2bfloat16(double x) {
  return __nv_bfloat16(x);
}
inline __nv_bfloat16 __int2bfloat16_rn(int x) {
  return __nv_bfloat16(x);
}
inline __nv_bfloat16 __uint2bfloat16_rn(unsigned x) {
  return __nv_bfloat16(x);
}
inline float __bfloat162float(__nv_bfloat16 h) {
  return h;
}
inline int __bfloat162int_rn(__nv_bfloat16 h) {
  return static_cast<int>(std::nearbyint(static_cast<float>(h)));
}

inline __nv_bfloat16 __hadd(__nv_bfloat16 a, __nv_bfloat16 b) {
  return __nv_bfloat16(float(a) + float(b));
}
inline __nv_bfloat16 __hsub(__nv_bfloat16 a, __nv_bfloat16 b) {
  return __nv_bfloat16(float(a) - float(b));
}
inline __nv_bfloat16 __hmul(__nv_bfloat16 a, __nv_bfloat16 b) {
  return __nv_bfloat16(float(a) * float(b));
}
inline __nv_bfloat16 __hdiv(__nv_bfloat16 a, __nv_bfloat16 b) {
  return __nv_bfloat16(float(a) / float(b));
}
inline __nv_bfloat16 __hfma(__nv_bfloat16 a, __nv_bfloat16 b, __nv_bfloat16 c) {
  return __nv_bfloat16(std::fma(double(float(a)), double(float(b)), double(float(c))));
}
inline __nv_bfloat16 __hneg(__nv_bfloat16 h) {
  return __ushort_as_bfloat16(static_cast<unsigned short>(h.bits() ^ 0x8000u));
}
inline __nv_bfloat16 __habs(__nv_bfloat16 h) {
  return __ushort_as_bfloat16(static_cast<unsigned short>(h.bits() & 0x7FFFu));
}
inline __nv_bfloat16 hsqrt(__nv_bfloat16 h) {
  return __nv_bfloat16(std::sqrt(float(h)));
}
inline __nv_bfloat16 __hmax(__nv_bfloat16 a, __nv_bfloat16 b) {
  return __nv_bfloat16(std::fmax(float(a), float(b)));
}
inline __nv_bfloat16 __hmin(__nv_bfloat16 a, __nv_bfloat16 b) {
  return __nv_bfloat16(std::fmin(float(a), float(b)));
}
inline bool __hisnan(__nv_bfloat16 h) {
  return float(h) != float(h);
}
inline int __hisinf(__nv_bfloat16 h) {
  if ((h.bits() & 0x7FFFu) != 0x7F80u) return 0;
  return h.bits() & 0x8000u ? -1 : 1;
}

inline bool __heq(__nv_bfloat16 a, __nv_bfloat16 b) {
  return float(a) == float(b);
}
inline bool __hne(__nv_bfloat16 a, __nv_bfloat16 b) {
  return float(a) < float(b) || float(a) > float(b);
}
inline bool __hlt(__nv_bfloat16 a, __nv_bfloat16 b) {
  return float(a) < float(b);
}
inline bool __hle(__nv_bfloat16 a, __nv_bfloat16 b) {
  return float(a) <= float(b);
}
inline bool __hgt(__nv_bfloat16 a, __nv_bfloat16 b) {
  return float(a) > float(b);
}
inline bool __hge(__nv_bfloat16 a, __nv_bfloat16 b) {
  return float(a) >= float(b);
}

inline __nv_bfloat16 operator+(__nv_bfloat16 a, __nv_bfloat16 b) {
  return __hadd(a, b);
}
inline __nv_bfloat16 operator-(__nv_bfloat16 a, __nv_bfloat16 b) {
  return __hsub(a, b);
}
inline __nv_bfloat16 operator*(__nv_bfloat16 a, __nv_bfloat16 b) {
  return __hmul(a, b);
}
inline __nv_bfloat16 operator/(__nv_bfloat16 a, __nv_bfloat16 b) {
  return __hdiv(a, b);
}
inline __nv_bfloat16 operator-(__nv_bfloat16 h) {
  return __hneg(h);
}
inline __nv_bfloat16 operator+(__nv_bfloat16 h) {
  return h;
}
inline __nv_bfloat16& operator+=(__nv_bfloat16& a, __nv_bfloat16 b) {
  return a = a + b;
}
inline __nv_bfloat16& operator-=(__nv_bfloat16& a, __nv_bfloat16 b) {
  return a = a - b;
}
inline __nv_bfloat16& operator*=(__nv_bfloat16& a, __nv_bfloat16 b) {
  return a = a * b;
}
inline __nv_bfloat16& operator/=(__nv_bfloat16& a, __nv_bfloat16 b) {
  return a = a / b;
}
inline bool operator==(__nv_bfloat16 a, __nv_bfloat16 b) {
  return __heq(a, b);
}
inline bool operator!=(__nv_bfloat16 a, __nv_bfloat16 b) {
  return !__heq(a, b);
}
inline bool operator<(__nv_bfloat16 a, __nv_bfloat16 b) {
  return __hlt(a, b);
}
inline bool operator<=(__nv_bfloat16 a, __nv_bfloat16 b) {
  return __hle(a, b);
}
inline bool operator>(__nv_bfloat16 a, __nv_bfloat16 b) {
  return __hgt(a, b);
}
inline bool operator>=(__nv_bfloat16 a, __nv_bfloat16 b) {
  return __hge(a, b);
}

inline __nv_bfloat162 make_bfloat162(__nv_bfloat16 x, __nv_bfloat16 y) {
  return {x, y};
}
inline __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 x, __nv_bfloat16 y) {
  return {x, y};
}
inline __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 h) {
  return {h, h};
}
inline __nv_bfloat16 __low2bfloat16(__nv_bfloat162 v) {
  return v.x;
}
inline __nv_bfloat16 __high2bfloat16(__nv_bfloat162 v) {
  return v.y;
}
inline float __low2float(__nv_bfloat162 v) {
  return v.x;
}
inline float __high2float(__nv_bfloat162 v) {
  return v.y;
}
inline __nv_bfloat162 __float2bfloat162_rn(float x) {
  return {__nv_bfloat16(x), __nv_bfloat16(x)};
}
inline __nv_bfloat162 __floats2bfloat162_rn(float x, float y) {
  return {__nv_bfloat16(x), __nv_bfloat16(y)};
}
inline __nv_bfloat162 __float22bfloat162_rn(float2 v) {
  return {__nv_bfloat16(v.x), __nv_bfloat16(v.y)};
}
inline float2 __bfloat1622float2(__nv_bfloat162 v) {
  return {v.x, v.y};
}
inline __nv_bfloat162 __hadd2(__nv_bfloat162 a, __nv_bfloat162 b) {
  return {a.x + b.x, a.y + b.y};
}
inline __nv_bfloat162 __hsub2(__nv_bfloat162 a, __nv_bfloat162 b) {
  return {a.x - b.x, a.y - b.y};
}
inline __nv_bfloat162 __hmul2(__nv_bfloat162 a, __nv_bfloat162 b) {
  return {a.x * b.x, a.y * b.y};
}
inline __nv_bfloat162 __hfma2(__nv_bfloat162 a, __nv_bfloat162 b, __nv_bfloat162 c) {
  return {__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)};
}
inline __nv_bfloat162 operator+(__nv_bfloat162 a, __nv_bfloat162 b) {
  return __hadd2(a, b);
}
inline __nv_bfloat162 operator-(__nv_bfloat162 a, __nv_bfloat162 b) {
  return __hsub2(a, b);
}
inline __nv_bfloat162 operator*(__nv_bfloat162 a, __nv_bfloat162 b) {
  return __hmul2(a, b);
}
