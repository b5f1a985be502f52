// SPDX-License-Identifier: MIT
/// \file  emulator/words/bfloat16_type.hpp
/// \brief __nv_bfloat16 and __nv_bfloat162: the upper half of a float. The type is our own because
///        g++ 12 cannot compute with its __bf16, nor convert it.
#pragma once

#include <cmath>
#include <cstdint>

#include "emulator/words/short_floats.hpp"
#include "emulator/words/vector_types.hpp"

struct __nv_bfloat16_raw {
  unsigned short x;
};

/// \brief A 16-bit floating-point number: sign, 8 bits of exponent, 7 of fraction. A double is
///        converted to float with a last bit that marks an inexact result, so that it is rounded
///        only once.
class __nv_bfloat16 : public ladder::emulator::ShortFloat<__nv_bfloat16> {
 public:
  static constexpr unsigned short kInfinityBits = 0x7F80;

  __nv_bfloat16() = default;
  __nv_bfloat16(float value) : bits_(rounded(value)) {}
  __nv_bfloat16(double value) : bits_(rounded(to_odd(value))) {}
  __nv_bfloat16(int value) : bits_(rounded(to_odd(value))) {}
  __nv_bfloat16(unsigned value) : bits_(rounded(to_odd(value))) {}
  constexpr __nv_bfloat16(__nv_bfloat16_raw raw) : bits_(raw.x) {}
  static constexpr __nv_bfloat16 of_bits(unsigned short bits) { return __nv_bfloat16_raw{bits}; }

  operator float() const {
    return __builtin_bit_cast(float, static_cast<std::uint32_t>(bits_) << 16);
  }
  constexpr operator __nv_bfloat16_raw() const { return {bits_}; }

  /// The encoding of the number.
  constexpr unsigned short bits() const { return bits_; }

 private:
  static unsigned short rounded(float value) {
    if (value != value) return ladder::emulator::kNanBits;
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

/// Two bfloat16.
struct __nv_bfloat162 : ladder::emulator::ShortFloatPair<__nv_bfloat162, __nv_bfloat16> {
  using ShortFloatPair::ShortFloatPair;
};

using nv_bfloat16 = __nv_bfloat16;
using nv_bfloat162 = __nv_bfloat162;

inline __nv_bfloat16 __ushort_as_bfloat16(unsigned short bits) {
  return __nv_bfloat16::of_bits(bits);
}
inline unsigned short __bfloat16_as_ushort(__nv_bfloat16 h) {
  return h.bits();
}
inline __nv_bfloat16 __short_as_bfloat16(short bits) {
  return __nv_bfloat16::of_bits(static_cast<unsigned short>(bits));
}
inline short __bfloat16_as_short(__nv_bfloat16 h) {
  return static_cast<short>(h.bits());
}

inline __nv_bfloat16 __float2bfloat16(float x) {
  return x;
}
inline __nv_bfloat16 __float2bfloat16_rn(float x) {
  return x;
}
inline __nv_bfloat16 __double2bfloat16(double x) {
  return x;
}
inline __nv_bfloat16 __int2bfloat16_rn(int x) {
  return x;
}
inline __nv_bfloat16 __uint2bfloat16_rn(unsigned x) {
  return x;
}
inline float __bfloat162float(__nv_bfloat16 h) {
  return h;
}
inline int __bfloat162int_rn(__nv_bfloat16 h) {
  return static_cast<int>(std::nearbyint(static_cast<float>(h)));
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
inline __nv_bfloat162 __float2bfloat162_rn(float x) {
  return {x, x};
}
inline __nv_bfloat162 __floats2bfloat162_rn(float x, float y) {
  return {x, y};
}
inline __nv_bfloat162 __float22bfloat162_rn(float2 v) {
  return {v.x, v.y};
}
inline float2 __bfloat1622float2(__nv_bfloat162 v) {
  return {v.x, v.y};
}
