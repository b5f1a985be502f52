// SPDX-License-Identifier: MIT
/// \file  common/emulator/words/short_floats.hpp
/// \brief What CUDA offers for both __half and __nv_bfloat16: arithmetic that rounds once to
///        the nearest even value, comparisons, and pairs.
///
/// Sum, product and quotient are formed in float and rounded again; with 24 bits for operands of 11
/// or 8 the second rounding cannot change the result. A fused multiply-add is formed in double.
#pragma once

#include <cmath>
#include <compare>

namespace ladder::emulator {

inline constexpr unsigned short kNanBits = 0x7FFF;  ///< every NaN that a GPU computes

/// Arithmetic and comparisons of a 16-bit number.
/// \tparam T  the number, which derives from this. It converts from and to float, and has bits()
///            and kInfinityBits
template <class T>
struct ShortFloat {
  friend T __hadd(T a, T b) { return T(float(a) + float(b)); }
  friend T __hsub(T a, T b) { return T(float(a) - float(b)); }
  friend T __hmul(T a, T b) { return T(float(a) * float(b)); }
  friend T __hdiv(T a, T b) { return T(float(a) / float(b)); }
  friend T __hfma(T a, T b, T c) {
    return T(std::fma(double(float(a)), double(float(b)), double(float(c))));
  }
  friend T __hneg(T h) { return T::of_bits(static_cast<unsigned short>(h.bits() ^ 0x8000u)); }
  friend T __habs(T h) { return T::of_bits(static_cast<unsigned short>(h.bits() & 0x7FFFu)); }
  friend T hsqrt(T h) { return T(std::sqrt(float(h))); }
  friend T __hmax(T a, T b) { return T(std::fmax(float(a), float(b))); }
  friend T __hmin(T a, T b) { return T(std::fmin(float(a), float(b))); }
  friend bool __hisnan(T h) { return float(h) != float(h); }
  friend int __hisinf(T h) {
    if ((h.bits() & 0x7FFFu) != T::kInfinityBits) return 0;
    return h.bits() & 0x8000u ? -1 : 1;
  }

  friend bool __heq(T a, T b) { return float(a) == float(b); }
  friend bool __hne(T a, T b) { return float(a) < float(b) || float(a) > float(b); }
  friend bool __hlt(T a, T b) { return float(a) < float(b); }
  friend bool __hle(T a, T b) { return float(a) <= float(b); }
  friend bool __hgt(T a, T b) { return float(a) > float(b); }
  friend bool __hge(T a, T b) { return float(a) >= float(b); }

  friend T operator+(T a, T b) { return __hadd(a, b); }
  friend T operator-(T a, T b) { return __hsub(a, b); }
  friend T operator*(T a, T b) { return __hmul(a, b); }
  friend T operator/(T a, T b) { return __hdiv(a, b); }
  friend T operator-(T h) { return __hneg(h); }
  friend T operator+(T h) { return h; }
  friend T& operator+=(T& a, T b) { return a = a + b; }
  friend T& operator-=(T& a, T b) { return a = a - b; }
  friend T& operator*=(T& a, T b) { return a = a * b; }
  friend T& operator/=(T& a, T b) { return a = a / b; }
  friend bool operator==(T a, T b) { return __heq(a, b); }
  friend std::partial_ordering operator<=>(T a, T b) { return float(a) <=> float(b); }
};

/// \brief Two numbers in 4 bytes, copied by one access.
/// \tparam Pair  derives from this
template <class Pair, class T>
struct alignas(4) ShortFloatPair {
  T x, y;

  ShortFloatPair() = default;
  ShortFloatPair(T low, T high) : x(low), y(high) {}
  ShortFloatPair(const ShortFloatPair& other) { copy(other); }
  ShortFloatPair& operator=(const ShortFloatPair& other) {
    copy(other);
    return *this;
  }

  friend float __low2float(Pair v) { return v.x; }
  friend float __high2float(Pair v) { return v.y; }
  friend Pair __hadd2(Pair a, Pair b) { return {a.x + b.x, a.y + b.y}; }
  friend Pair __hsub2(Pair a, Pair b) { return {a.x - b.x, a.y - b.y}; }
  friend Pair __hmul2(Pair a, Pair b) { return {a.x * b.x, a.y * b.y}; }
  friend Pair __hfma2(Pair a, Pair b, Pair c) {
    return {__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)};
  }
  friend Pair operator+(Pair a, Pair b) { return __hadd2(a, b); }
  friend Pair operator-(Pair a, Pair b) { return __hsub2(a, b); }
  friend Pair operator*(Pair a, Pair b) { return __hmul2(a, b); }

 private:
  void copy(const ShortFloatPair& other) {
    __builtin_memcpy(static_cast<void*>(this), &other, sizeof(*this));
  }
};

}  // namespace ladder::emulator
