// SPDX-License-Identifier: MIT
/// \file  emulator/words/simd_functions.hpp
/// \brief CUDA's functions on two 16-bit or four 8-bit numbers in one word.
/// \source CUDA 13.0, Math API, SIMD Intrinsics
#pragma once

#include <climits>
#include <cstdint>
#include <cstdlib>
#include <type_traits>

namespace ladder::emulator {

/// operation(x, y) of all pairs of numbers of type T, each in the place of its operands.
template <class T, class Operation>
constexpr unsigned for_each_part(unsigned a, unsigned b, Operation operation) {
  constexpr unsigned kBits = 8 * sizeof(T);
  constexpr unsigned kMask = (1u << kBits) - 1;
  unsigned result = 0;
  for (unsigned at = 0; at < 32; at += kBits) {
    const int x = static_cast<T>(a >> at), y = static_cast<T>(b >> at);
    result |= (static_cast<unsigned>(operation(x, y)) & kMask) << at;
  }
  return result;
}

/// The nearest value that T has.
template <class T>
constexpr int saturated(int x) {
  constexpr int kLow = std::is_signed_v<T> ? -(1 << (8 * sizeof(T) - 1)) : 0;
  constexpr int kHigh = kLow + (1 << 8 * sizeof(T)) - 1;
  return x < kLow ? kLow : x > kHigh ? kHigh : x;
}

}  // namespace ladder::emulator

// Words of two: __vadd2 and the like; of four: __vadd4. S is signed, U unsigned.
#define LADDER_SIMD_ONE(name, T, expression)                                                \
  constexpr unsigned name(unsigned a) {                                                     \
    return ladder::emulator::for_each_part<T>(a, 0, [](int x, int) { return expression; }); \
  }
#define LADDER_SIMD_TWO(name, T, expression)                                                  \
  constexpr unsigned name(unsigned a, unsigned b) {                                           \
    return ladder::emulator::for_each_part<T>(a, b, [](int x, int y) { return expression; }); \
  }
/// All ones where it holds, and 1 where it holds.
#define LADDER_SIMD_COMPARE(name, n, T, expression)          \
  LADDER_SIMD_TWO(__vcmp##name##n, T, (expression) ? -1 : 0) \
  LADDER_SIMD_TWO(__vset##name##n, T, (expression) ? 1 : 0)
#define LADDER_SIMD_FUNCTIONS(n, S, U)                                            \
  LADDER_SIMD_TWO(__vadd##n, U, x + y)                                            \
  LADDER_SIMD_TWO(__vaddss##n, S, ladder::emulator::saturated<S>(x + y))          \
  LADDER_SIMD_TWO(__vaddus##n, U, ladder::emulator::saturated<U>(x + y))          \
  LADDER_SIMD_TWO(__vsub##n, U, x - y)                                            \
  LADDER_SIMD_TWO(__vsubss##n, S, ladder::emulator::saturated<S>(x - y))          \
  LADDER_SIMD_TWO(__vsubus##n, U, ladder::emulator::saturated<U>(x - y))          \
  LADDER_SIMD_TWO(__vabsdiffs##n, S, x < y ? y - x : x - y)                       \
  LADDER_SIMD_TWO(__vabsdiffu##n, U, x < y ? y - x : x - y)                       \
  LADDER_SIMD_TWO(__vavgs##n, S, (x + y + (x + y >= 0)) >> 1)                     \
  LADDER_SIMD_TWO(__vavgu##n, U, (x + y + 1) >> 1)                                \
  LADDER_SIMD_TWO(__vhaddu##n, U, (x + y) >> 1)                                   \
  LADDER_SIMD_TWO(__vmaxs##n, S, x < y ? y : x)                                   \
  LADDER_SIMD_TWO(__vmaxu##n, U, x < y ? y : x)                                   \
  LADDER_SIMD_TWO(__vmins##n, S, y < x ? y : x)                                   \
  LADDER_SIMD_TWO(__vminu##n, U, y < x ? y : x)                                   \
  LADDER_SIMD_ONE(__vabs##n, S, x < 0 ? -x : x)                                   \
  LADDER_SIMD_ONE(__vabsss##n, S, ladder::emulator::saturated<S>(x < 0 ? -x : x)) \
  LADDER_SIMD_ONE(__vneg##n, S, -x)                                               \
  LADDER_SIMD_ONE(__vnegss##n, S, ladder::emulator::saturated<S>(-x))             \
  LADDER_SIMD_COMPARE(eq, n, U, x == y)                                           \
  LADDER_SIMD_COMPARE(ne, n, U, x != y)                                           \
  LADDER_SIMD_COMPARE(ges, n, S, x >= y)                                          \
  LADDER_SIMD_COMPARE(geu, n, U, x >= y)                                          \
  LADDER_SIMD_COMPARE(gts, n, S, x > y)                                           \
  LADDER_SIMD_COMPARE(gtu, n, U, x > y)                                           \
  LADDER_SIMD_COMPARE(les, n, S, x <= y)                                          \
  LADDER_SIMD_COMPARE(leu, n, U, x <= y)                                          \
  LADDER_SIMD_COMPARE(lts, n, S, x < y)                                           \
  LADDER_SIMD_COMPARE(ltu, n, U, x < y)
LADDER_SIMD_FUNCTIONS(2, std::int16_t, std::uint16_t)
LADDER_SIMD_FUNCTIONS(4, std::int8_t, std::uint8_t)
#undef LADDER_SIMD_FUNCTIONS
#undef LADDER_SIMD_COMPARE
#undef LADDER_SIMD_TWO
#undef LADDER_SIMD_ONE

/// The sum of the distances.
#define LADDER_SIMD_SUM(name, differences, U)           \
  constexpr unsigned name(unsigned a, unsigned b) {     \
    unsigned sum = 0, parts = differences(a, b);        \
    for (unsigned at = 0; at < 32; at += 8 * sizeof(U)) \
      sum += static_cast<U>(parts >> at);               \
    return sum;                                         \
  }
LADDER_SIMD_SUM(__vsads2, __vabsdiffs2, std::uint16_t)
LADDER_SIMD_SUM(__vsadu2, __vabsdiffu2, std::uint16_t)
LADDER_SIMD_SUM(__vsads4, __vabsdiffs4, std::uint8_t)
LADDER_SIMD_SUM(__vsadu4, __vabsdiffu4, std::uint8_t)
#undef LADDER_SIMD_SUM
