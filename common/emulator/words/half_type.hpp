// SPDX-License-Identifier: MIT
/// \file  common/emulator/words/half_type.hpp
/// \brief __half and __half2: IEEE binary16, with conversions and arithmetic rounded once to the
///        nearest even value. A NaN result is 0x7FFF, as on a GPU.
///
/// Sum, product and quotient are formed in float and rounded again; with 24 bits for operands of 11
/// the second rounding cannot change the result. A fused multiply-add is formed in double.
#pragma once

#include <cmath>
#include <cstdint>

#include "common/emulator/words/vector_types.hpp"

struct __half_raw {
  unsigned short x;
};

/// A 16-bit floating-point number: sign, 5 bits of exponent, 10 of fraction.
class alignas(2) __half {
 public:
  __half() = default;
  __half(float value) : bits_(rounded(value)) {}
  __half(double value) : bits_(rounded(value)) {}
  __half(int value) : bits_(rounded(static_cast<double>(value))) {}
  __half(unsigned value) : bits_(rounded(static_cast<double>(value))) {}
  constexpr __half(__half_raw raw) : bits_(raw.x) {}

  operator float() const { return static_cast<float>(__builtin_bit_cast(_Float16, bits_)); }
  constexpr operator __half_raw() const { return {bits_}; }

  /// The encoding of the number.
  constexpr unsigned short bits() const { return bits_; }

 private:
  template <class Real>
  static unsigned short rounded(Real value) {
    if (value != value) return 0x7FFF;
    return __builtin_bit_cast(unsigned short, static_cast<_Float16>(value));
  }

  unsigned short bits_;
};

using half = __half;

/// Two halves in 4 bytes, copied by one access.
struct alignas(4) __half2 {
  __half x, y;

  __half2() = default;
  __half2(__half low, __half high) : x(low), y(high) {}
  __half2(const __half2& other) { copy(other); }
  __half2& operator=(const __half2& other) {
    copy(other);
    return *this;
  }

 private:
  void copy(const __half2& other) {
    __builtin_memcpy(static_cast<void*>(this), &other, sizeof(*this));
  }
};

using half2 = __half2;

inline __half __ushort_as_half(unsigned short bits) {
  return __half(__half_raw{bits});
}
inline unsigned short __half_as_ushort(__half h) {
  return h.bits();
}
inline __half __short_as_half(short bits) {
  return __ushort_as_half(static_cast<unsigned short>(bits));
}
inline short __half_as_short(__half h) {
  return static_cast<short>(h.bits());
}

inline __half __float2half(float x) {
  return __half(x);
}
inline __half __float2half_rn(float x) {
  return __half(x);
}
inline __half __double2half(double x) {
  return __half(x);
}
inline __half __int2half_rn(int x) {
  return __half(x);
}
inline __half __uint2half_rn(unsigned x) {
  return __half(x);
}
inline float __half2float(__half h) {
  return h;
}
inline int __half2int_rn(__half h) {
  return static_cast<int>(std::nearbyint(static_cast<float>(h)));
}

inline __half __hadd(__half a, __half b) {
  return __half(float(a) + float(b));
}
inline __half __hsub(__half a, __half b) {
  return __half(float(a) - float(b));
}
inline __half __hmul(__half a, __half b) {
  return __half(float(a) * float(b));
}
inline __half __hdiv(__half a, __half b) {
  return __half(float(a) / float(b));
}
inline __half __hfma(__half a, __half b, __half c) {
  return __half(std::fma(double(float(a)), double(float(b)), double(float(c))));
}
inline __half __hneg(__half h) {
  return __ushort_as_half(static_cast<unsigned short>(h.bits() ^ 0x8000u));
}
inline __half __habs(__half h) {
  return __ushort_as_half(static_cast<unsigned short>(h.bits() & 0x7FFFu));
}
inline __half hsqrt(__half h) {
  return __half(std::sqrt(float(h)));
}
inline __half __hmax(__half a, __half b) {
  return __half(std::fmax(float(a), float(b)));
}
inline __half __hmin(__half a, __half b) {
  return __half(std::fmin(float(a), float(b)));
}
inline bool __hisnan(__half h) {
  return float(h) != float(h);
}
inline int __hisinf(__half h) {
  if ((h.bits() & 0x7FFFu) != 0x7C00u) return 0;
  return h.bits() & 0x8000u ? -1 : 1;
}

inline bool __heq(__half a, __half b) {
  return float(a) == float(b);
}
inline bool __hne(__half a, __half b) {
  return float(a) < float(b) || float(a) > float(b);
}
inline bool __hlt(__half a, __half b) {
  return float(a) < float(b);
}
inline bool __hle(__half a, __half b) {
  return float(a) <= float(b);
}
inline bool __hgt(__half a, __half b) {
  return float(a) > float(b);
}
inline bool __hge(__half a, __half b) {
  return float(a) >= float(b);
}

inline __half operator+(__half a, __half b) {
  return __hadd(a, b);
}
inline __half operator-(__half a, __half b) {
  return __hsub(a, b);
}
inline __half operator*(__half a, __half b) {
  return __hmul(a, b);
}
inline __half operator/(__half a, __half b) {
  return __hdiv(a, b);
}
inline __half operator-(__half h) {
  return __hneg(h);
}
inline __half operator+(__half h) {
  return h;
}
inline __half& operator+=(__half& a, __half b) {
  return a = a + b;
}
inline __half& operator-=(__half& a, __half b) {
  return a = a - b;
}
inline __half& operator*=(__half& a, __half b) {
  return a = a * b;
}
inline __half& operator/=(__half& a, __half b) {
  return a = a / b;
}
inline bool operator==(__half a, __half b) {
  return __heq(a, b);
}
inline bool operator!=(__half a, __half b) {
  return !__heq(a, b);
}
inline bool operator<(__half a, __half b) {
  return __hlt(a, b);
}
inline bool operator<=(__half a, __half b) {
  return __hle(a, b);
}
inline bool operator>(__half a, __half b) {
  return __hgt(a, b);
}
inline bool operator>=(__half a, __half b) {
  return __hge(a, b);
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
inline float __low2float(__half2 v) {
  return v.x;
}
inline float __high2float(__half2 v) {
  return v.y;
}
inline __half2 __float2half2_rn(float x) {
  return {__half(x), __half(x)};
}
inline __half2 __floats2half2_rn(float x, float y) {
  return {__half(x), __half(y)};
}
inline __half2 __float22half2_rn(float2 v) {
  return {__half(v.x), __half(v.y)};
}
inline float2 __half22float2(__half2 v) {
  return {v.x, v.y};
}
inline __half2 __hadd2(__half2 a, __half2 b) {
  return {a.x + b.x, a.y + b.y};
}
inline __half2 __hsub2(__half2 a, __half2 b) {
  return {a.x - b.x, a.y - b.y};
}
inline __half2 __hmul2(__half2 a, __half2 b) {
  return {a.x * b.x, a.y * b.y};
}
inline __half2 __hfma2(__half2 a, __half2 b, __half2 c) {
  return {__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)};
}
inline __half2 operator+(__half2 a, __half2 b) {
  return __hadd2(a, b);
}
inline __half2 operator-(__half2 a, __half2 b) {
  return __hsub2(a, b);
}
inline __half2 operator*(__half2 a, __half2 b) {
  return __hmul2(a, b);
}
