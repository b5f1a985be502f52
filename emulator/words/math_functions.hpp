// SPDX-License-Identifier: MIT
/// \file  emulator/words/math_functions.hpp
/// \brief Functions that CUDA device code calls without std:: and that the C library lacks.
///
/// What a GPU computes approximately (rsqrtf, __expf, ...) is computed here to the last bit or so.
#pragma once

#include <cmath>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <type_traits>

template <class A, class B>
requires std::is_arithmetic_v<A> && std::is_arithmetic_v<B>
constexpr std::common_type_t<A, B> min(A a, B b) {
  using T = std::common_type_t<A, B>;
  if constexpr (std::is_floating_point_v<T>) return std::fmin(T(a), T(b));
  return T(b) < T(a) ? T(b) : T(a);
}

template <class A, class B>
requires std::is_arithmetic_v<A> && std::is_arithmetic_v<B>
constexpr std::common_type_t<A, B> max(A a, B b) {
  using T = std::common_type_t<A, B>;
  if constexpr (std::is_floating_point_v<T>) return std::fmax(T(a), T(b));
  return T(a) < T(b) ? T(b) : T(a);
}

// Templates, so that a program which brings its own for g++ may have them.

template <std::floating_point T>
constexpr bool isnan(T x) {
  return std::isnan(x);
}
template <std::floating_point T>
constexpr bool isinf(T x) {
  return std::isinf(x);
}
template <std::floating_point T>
constexpr bool isfinite(T x) {
  return std::isfinite(x);
}
template <std::floating_point T>
constexpr bool signbit(T x) {
  return std::signbit(x);
}

template <class T>
requires std::is_arithmetic_v<T>
float rsqrtf(T x) {
  return static_cast<float>(1.0 / std::sqrt(static_cast<double>(static_cast<float>(x))));
}
inline double rsqrt(double x) {
  return 1.0 / std::sqrt(x);
}
inline float __expf(float x) {
  return std::exp(x);
}
inline float __exp10f(float x) {
  return static_cast<float>(std::pow(10.0, x));
}
inline float __logf(float x) {
  return std::log(x);
}
inline float __log2f(float x) {
  return std::log2(x);
}
inline float __powf(float x, float y) {
  return std::pow(x, y);
}
inline float __sinf(float x) {
  return std::sin(x);
}
inline float __cosf(float x) {
  return std::cos(x);
}
inline float __fdividef(float x, float y) {
  return x / y;
}
inline float __saturatef(float x) {
  return std::fmin(std::fmax(x, 0.0f), 1.0f);
}

inline int __popc(unsigned x) {
  return __builtin_popcount(x);
}
inline int __popcll(unsigned long long x) {
  return __builtin_popcountll(x);
}
inline int __clz(int x) {
  return x == 0 ? 32 : __builtin_clz(static_cast<unsigned>(x));
}
inline int __clzll(long long x) {
  return x == 0 ? 64 : __builtin_clzll(static_cast<unsigned long long>(x));
}
inline int __ffs(int x) {
  return __builtin_ffs(x);
}
inline int __ffsll(long long x) {
  return __builtin_ffsll(x);
}
inline unsigned __brev(unsigned x) {
  x = (x >> 1 & 0x55555555u) | (x & 0x55555555u) << 1;
  x = (x >> 2 & 0x33333333u) | (x & 0x33333333u) << 2;
  x = (x >> 4 & 0x0F0F0F0Fu) | (x & 0x0F0F0F0Fu) << 4;
  return __builtin_bswap32(x);
}
inline int __mul24(int x, int y) {
  return (x << 8 >> 8) * (y << 8 >> 8);
}
inline int __mulhi(int x, int y) {
  return static_cast<int>((std::int64_t{x} * y) >> 32);
}
inline unsigned __umulhi(unsigned x, unsigned y) {
  return static_cast<unsigned>((std::uint64_t{x} * y) >> 32);
}

/// Bytes of the pair (y:x) picked by the four nibbles of selector.
inline unsigned __byte_perm(unsigned x, unsigned y, unsigned selector) {
  const std::uint64_t bytes = std::uint64_t{y} << 32 | x;
  unsigned result = 0;
  for (int i = 0; i < 4; ++i) {
    const unsigned pick = selector >> (4 * i);
    unsigned byte = static_cast<unsigned>(bytes >> (8 * (pick & 7))) & 0xFFu;
    if (pick & 8) byte = byte & 0x80u ? 0xFFu : 0u;
    result |= byte << (8 * i);
  }
  return result;
}

[[noreturn]] inline void __trap() {
  __builtin_trap();
}

namespace ladder::emulator {

/// What other SMs have stored is there, as with a volatile variable: programs poll flags by it.
template <class T>
T load_past_l1(const T* address) {
  if constexpr (std::is_scalar_v<T>) return *static_cast<const volatile T*>(address);
  return *address;
}
template <class T>
void store_past_l1(T* address, T value) {
  if constexpr (std::is_scalar_v<T>) {
    *static_cast<volatile T*>(address) = value;
  } else {
    *address = value;
  }
}

}  // namespace ladder::emulator

/// Loads and stores with a cache hint, which a CPU does not need.
template <class T>
T __ldg(const T* address) {
  return *address;
}
template <class T>
T __ldca(const T* address) {
  return *address;
}
template <class T>
T __ldcg(const T* address) {
  return ladder::emulator::load_past_l1(address);
}
template <class T>
T __ldcs(const T* address) {
  return *address;
}
template <class T>
T __ldlu(const T* address) {
  return *address;
}
template <class T>
T __ldcv(const T* address) {
  return ladder::emulator::load_past_l1(address);
}
template <class T>
void __stwb(T* address, std::type_identity_t<T> value) {
  *address = value;
}
template <class T>
void __stcg(T* address, std::type_identity_t<T> value) {
  ladder::emulator::store_past_l1(address, value);
}
template <class T>
void __stcs(T* address, std::type_identity_t<T> value) {
  *address = value;
}
template <class T>
void __stwt(T* address, std::type_identity_t<T> value) {
  ladder::emulator::store_past_l1(address, value);
}
