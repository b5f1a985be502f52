// SPDX-License-Identifier: MIT
/// \file  emulator/words/short_floats.hpp
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
  friend T __hfma_relu(T a, T b, T c) { return __hmax(__hfma(a, b, c), T(0.0f)); }
  friend T __hfma_sat(T a, T b, T c) {
    return clamped(std::fma(double(float(a)), double(float(b)), double(float(c))));
  }
  friend T __hadd_sat(T a, T b) { return clamped(float(a) + float(b)); }
  friend T __hsub_sat(T a, T b) { return clamped(float(a) - float(b)); }
  friend T __hmul_sat(T a, T b) { return clamped(float(a) * float(b)); }
  friend T __hadd_rn(T a, T b) { return __hadd(a, b); }
  friend T __hsub_rn(T a, T b) { return __hsub(a, b); }
  friend T __hmul_rn(T a, T b) { return __hmul(a, b); }
  friend T hexp(T h) {
    const double x = float(h);
    return T(std::exp(x));
  }
  friend T hexp2(T h) {
    const double x = float(h);
    return T(std::exp2(x));
  }
  friend T hexp10(T h) {
    const double x = float(h);
    return T(std::pow(10.0, x));
  }
  friend T hlog(T h) {
    const double x = float(h);
    return T(std::log(x));
  }
  friend T hlog2(T h) {
    const double x = float(h);
    return T(std::log2(x));
  }
  friend T hlog10(T h) {
    const double x = float(h);
    return T(std::log10(x));
  }
  friend T hsin(T h) {
    const double x = float(h);
    return T(std::sin(x));
  }
  friend T hcos(T h) {
    const double x = float(h);
    return T(std::cos(x));
  }
  friend T htanh(T h) {
    const double x = float(h);
    return T(std::tanh(x));
  }
  friend T hrcp(T h) {
    const double x = float(h);
    return T(1 / x);
  }
  friend T hrsqrt(T h) {
    const double x = float(h);
    return T(1 / std::sqrt(x));
  }
  friend T hfloor(T h) {
    const double x = float(h);
    return T(std::floor(x));
  }
  friend T hceil(T h) {
    const double x = float(h);
    return T(std::ceil(x));
  }
  friend T htrunc(T h) {
    const double x = float(h);
    return T(std::trunc(x));
  }
  friend T hrint(T h) {
    const double x = float(h);
    return T(std::nearbyint(x));
  }
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

 private:
  /// Rounded, and between 0 and 1; NaN becomes 0.
  template <class Real>
  static T clamped(Real x) {
    return T(x > Real{0} ? std::fmin(x, Real{1}) : Real{0});
  }
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
  friend Pair __h2div(Pair a, Pair b) { return {__hdiv(a.x, b.x), __hdiv(a.y, b.y)}; }
  friend Pair __hmax2(Pair a, Pair b) { return {__hmax(a.x, b.x), __hmax(a.y, b.y)}; }
  friend Pair __hmin2(Pair a, Pair b) { return {__hmin(a.x, b.x), __hmin(a.y, b.y)}; }
  friend Pair __hadd2_rn(Pair a, Pair b) { return __hadd2(a, b); }
  friend Pair __hadd2_sat(Pair a, Pair b) { return {__hadd_sat(a.x, b.x), __hadd_sat(a.y, b.y)}; }
  friend Pair __hsub2_rn(Pair a, Pair b) { return __hsub2(a, b); }
  friend Pair __hsub2_sat(Pair a, Pair b) { return {__hsub_sat(a.x, b.x), __hsub_sat(a.y, b.y)}; }
  friend Pair __hmul2_rn(Pair a, Pair b) { return __hmul2(a, b); }
  friend Pair __hmul2_sat(Pair a, Pair b) { return {__hmul_sat(a.x, b.x), __hmul_sat(a.y, b.y)}; }
  friend Pair __hfma2_sat(Pair a, Pair b, Pair c) {
    return {__hfma_sat(a.x, b.x, c.x), __hfma_sat(a.y, b.y, c.y)};
  }
  friend Pair __hfma2_relu(Pair a, Pair b, Pair c) {
    return {__hfma_relu(a.x, b.x, c.x), __hfma_relu(a.y, b.y, c.y)};
  }
  friend Pair __hneg2(Pair v) { return {__hneg(v.x), __hneg(v.y)}; }
  friend Pair __habs2(Pair v) { return {__habs(v.x), __habs(v.y)}; }
  friend Pair h2exp(Pair v) { return {hexp(v.x), hexp(v.y)}; }
  friend Pair h2exp2(Pair v) { return {hexp2(v.x), hexp2(v.y)}; }
  friend Pair h2exp10(Pair v) { return {hexp10(v.x), hexp10(v.y)}; }
  friend Pair h2log(Pair v) { return {hlog(v.x), hlog(v.y)}; }
  friend Pair h2log2(Pair v) { return {hlog2(v.x), hlog2(v.y)}; }
  friend Pair h2log10(Pair v) { return {hlog10(v.x), hlog10(v.y)}; }
  friend Pair h2sin(Pair v) { return {hsin(v.x), hsin(v.y)}; }
  friend Pair h2cos(Pair v) { return {hcos(v.x), hcos(v.y)}; }
  friend Pair h2tanh(Pair v) { return {htanh(v.x), htanh(v.y)}; }
  friend Pair h2rcp(Pair v) { return {hrcp(v.x), hrcp(v.y)}; }
  friend Pair h2rsqrt(Pair v) { return {hrsqrt(v.x), hrsqrt(v.y)}; }
  friend Pair h2sqrt(Pair v) { return {hsqrt(v.x), hsqrt(v.y)}; }
  friend Pair h2floor(Pair v) { return {hfloor(v.x), hfloor(v.y)}; }
  friend Pair h2ceil(Pair v) { return {hceil(v.x), hceil(v.y)}; }
  friend Pair h2trunc(Pair v) { return {htrunc(v.x), htrunc(v.y)}; }
  friend Pair h2rint(Pair v) { return {hrint(v.x), hrint(v.y)}; }

  // Comparisons: 1 or 0 for each, and true if both hold.
  friend Pair __heq2(Pair a, Pair b) {
    return {T(float(__heq(a.x, b.x))), T(float(__heq(a.y, b.y)))};
  }
  friend bool __hbeq2(Pair a, Pair b) { return __heq(a.x, b.x) && __heq(a.y, b.y); }
  friend Pair __hne2(Pair a, Pair b) {
    return {T(float(__hne(a.x, b.x))), T(float(__hne(a.y, b.y)))};
  }
  friend bool __hbne2(Pair a, Pair b) { return __hne(a.x, b.x) && __hne(a.y, b.y); }
  friend Pair __hlt2(Pair a, Pair b) {
    return {T(float(__hlt(a.x, b.x))), T(float(__hlt(a.y, b.y)))};
  }
  friend bool __hblt2(Pair a, Pair b) { return __hlt(a.x, b.x) && __hlt(a.y, b.y); }
  friend Pair __hle2(Pair a, Pair b) {
    return {T(float(__hle(a.x, b.x))), T(float(__hle(a.y, b.y)))};
  }
  friend bool __hble2(Pair a, Pair b) { return __hle(a.x, b.x) && __hle(a.y, b.y); }
  friend Pair __hgt2(Pair a, Pair b) {
    return {T(float(__hgt(a.x, b.x))), T(float(__hgt(a.y, b.y)))};
  }
  friend bool __hbgt2(Pair a, Pair b) { return __hgt(a.x, b.x) && __hgt(a.y, b.y); }
  friend Pair __hge2(Pair a, Pair b) {
    return {T(float(__hge(a.x, b.x))), T(float(__hge(a.y, b.y)))};
  }
  friend bool __hbge2(Pair a, Pair b) { return __hge(a.x, b.x) && __hge(a.y, b.y); }
  friend Pair __hisnan2(Pair v) { return {T(float(__hisnan(v.x))), T(float(__hisnan(v.y)))}; }

  // Pairs of halves of pairs.
  friend Pair __lowhigh2highlow(Pair v) { return {v.y, v.x}; }
  friend Pair __lows2half2(Pair a, Pair b) { return {a.x, b.x}; }
  friend Pair __highs2half2(Pair a, Pair b) { return {a.y, b.y}; }
  friend Pair __low2half2(Pair v) { return {v.x, v.x}; }
  friend Pair __high2half2(Pair v) { return {v.y, v.y}; }
  friend Pair operator/(Pair a, Pair b) { return __h2div(a, b); }
  friend Pair operator-(Pair v) { return __hneg2(v); }
  friend Pair& operator+=(Pair& a, Pair b) { return a = a + b; }
  friend Pair& operator-=(Pair& a, Pair b) { return a = a - b; }
  friend Pair& operator*=(Pair& a, Pair b) { return a = a * b; }
  friend Pair operator+(Pair a, Pair b) { return __hadd2(a, b); }
  friend Pair operator-(Pair a, Pair b) { return __hsub2(a, b); }
  friend Pair operator*(Pair a, Pair b) { return __hmul2(a, b); }

 private:
  void copy(const ShortFloatPair& other) {
    __builtin_memcpy(static_cast<void*>(this), &other, sizeof(*this));
  }
};

}  // namespace ladder::emulator
