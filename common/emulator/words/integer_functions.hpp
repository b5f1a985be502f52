// SPDX-License-Identifier: MIT
/// \file  common/emulator/words/integer_functions.hpp
/// \brief CUDA's integer functions beside those that math_functions.hpp has: 24-bit and 64-bit
///        products, absolute differences, shifts of pairs.
#pragma once

#include <cstdint>

inline unsigned umin(unsigned x, unsigned y) {
  return y < x ? y : x;
}
inline unsigned umax(unsigned x, unsigned y) {
  return x < y ? y : x;
}

/// The product of the low 24 bits.
inline unsigned __umul24(unsigned x, unsigned y) {
  return (x & 0xFFFFFFu) * (y & 0xFFFFFFu);
}
/// The upper 64 bits of the product.
inline long long __mul64hi(long long x, long long y) {
  return static_cast<long long>((static_cast<__int128>(x) * y) >> 64);
}
inline unsigned long long __umul64hi(unsigned long long x, unsigned long long y) {
  return static_cast<unsigned long long>((static_cast<unsigned __int128>(x) * y) >> 64);
}

/// |x - y| + z.
inline unsigned __sad(int x, int y, unsigned z) {
  const auto a = static_cast<unsigned>(x);
  const auto b = static_cast<unsigned>(y);
  return (x < y ? b - a : a - b) + z;
}
inline unsigned __usad(unsigned x, unsigned y, unsigned z) {
  return (x < y ? y - x : x - y) + z;
}

/// The upper 32 bits of (high:low) << shift, and the lower ones of (high:low) >> shift. The shift
/// counts modulo 32.
inline unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift) {
  return static_cast<unsigned>(((std::uint64_t{high} << 32 | low) << (shift & 31)) >> 32);
}
inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift) {
  return static_cast<unsigned>((std::uint64_t{high} << 32 | low) >> (shift & 31));
}
