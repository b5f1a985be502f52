// SPDX-License-Identifier: MIT
/// \file  emulator/words/integer_functions.hpp
/// \brief CUDA's integer functions beside those that math_functions.hpp has: 24-bit and 64-bit
///        products, absolute differences, averages, shifts of pairs, dot products of bytes.
#pragma once

#include <cstdint>
#include <cstring>

#include "emulator/words/math_functions.hpp"
#include "emulator/words/vector_types.hpp"

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

/// Averages of two integers, rounded down or, by the words with an r, up.
inline int __hadd(int x, int y) {
  return static_cast<int>((std::int64_t{x} + y) >> 1);
}
inline int __rhadd(int x, int y) {
  return static_cast<int>((std::int64_t{x} + y + 1) >> 1);
}
inline unsigned __uhadd(unsigned x, unsigned y) {
  return static_cast<unsigned>((std::uint64_t{x} + y) >> 1);
}
inline unsigned __urhadd(unsigned x, unsigned y) {
  return static_cast<unsigned>((std::uint64_t{x} + y + 1) >> 1);
}

/// The shifts above, which count to 32 and treat larger shifts as 32.
inline unsigned __funnelshift_lc(unsigned low, unsigned high, unsigned shift) {
  return shift >= 32 ? low : __funnelshift_l(low, high, shift);
}
inline unsigned __funnelshift_rc(unsigned low, unsigned high, unsigned shift) {
  return shift >= 32 ? high : __funnelshift_r(low, high, shift);
}

inline long long llmin(long long x, long long y) {
  return y < x ? y : x;
}
inline long long llmax(long long x, long long y) {
  return x < y ? y : x;
}
inline unsigned long long ullmin(unsigned long long x, unsigned long long y) {
  return y < x ? y : x;
}
inline unsigned long long ullmax(unsigned long long x, unsigned long long y) {
  return x < y ? y : x;
}

/// The bits in reverse order.
inline unsigned long long __brevll(unsigned long long x) {
  return std::uint64_t{__brev(static_cast<unsigned>(x))} << 32 |
         __brev(static_cast<unsigned>(x >> 32));
}

namespace ladder::emulator {

/// \brief  c plus the products of A's and B's, which lie packed in a and b, the lowest first.
/// \param  first  of b's numbers that are taken
template <class A, class B, class Sum>
Sum dot_of_packed(unsigned a, unsigned b, Sum c, int first = 0) {
  auto sum = static_cast<unsigned>(c);
  for (int i = 0; i < static_cast<int>(sizeof(unsigned) / sizeof(A)); ++i) {
    const auto x = static_cast<A>(a >> (8 * sizeof(A) * i));
    const auto y = static_cast<B>(b >> (8 * sizeof(B) * (first + i)));
    sum += static_cast<unsigned>(static_cast<Sum>(x) * static_cast<Sum>(y));
  }
  return static_cast<Sum>(sum);
}

/// Four bytes as one number.
template <class Number, class Bytes>
Number packed(const Bytes& bytes) {
  Number number;
  static_assert(sizeof(number) == sizeof(bytes));
  std::memcpy(&number, &bytes, sizeof(number));
  return number;
}

}  // namespace ladder::emulator

/// c + the dot product of four pairs of bytes.
inline int __dp4a(int a, int b, int c) {
  return ladder::emulator::dot_of_packed<std::int8_t, std::int8_t>(static_cast<unsigned>(a),
                                                                   static_cast<unsigned>(b), c);
}
inline unsigned __dp4a(unsigned a, unsigned b, unsigned c) {
  return ladder::emulator::dot_of_packed<std::uint8_t, std::uint8_t>(a, b, c);
}
inline int __dp4a(char4 a, char4 b, int c) {
  return __dp4a(ladder::emulator::packed<int>(a), ladder::emulator::packed<int>(b), c);
}
inline unsigned __dp4a(uchar4 a, uchar4 b, unsigned c) {
  return __dp4a(ladder::emulator::packed<unsigned>(a), ladder::emulator::packed<unsigned>(b), c);
}

/// c + the dot product of a's two 16-bit numbers and the lower or the upper two bytes of b.
inline int __dp2a_lo(int a, int b, int c) {
  return ladder::emulator::dot_of_packed<std::int16_t, std::int8_t>(static_cast<unsigned>(a),
                                                                    static_cast<unsigned>(b), c);
}
inline unsigned __dp2a_lo(unsigned a, unsigned b, unsigned c) {
  return ladder::emulator::dot_of_packed<std::uint16_t, std::uint8_t>(a, b, c);
}
inline int __dp2a_hi(int a, int b, int c) {
  return ladder::emulator::dot_of_packed<std::int16_t, std::int8_t>(static_cast<unsigned>(a),
                                                                    static_cast<unsigned>(b), c, 2);
}
inline unsigned __dp2a_hi(unsigned a, unsigned b, unsigned c) {
  return ladder::emulator::dot_of_packed<std::uint16_t, std::uint8_t>(a, b, c, 2);
}
