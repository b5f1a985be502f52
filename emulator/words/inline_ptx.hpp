// SPDX-License-Identifier: MIT
/// \file  emulator/words/inline_ptx.hpp
/// \brief What the PTX of an asm statement does, instruction by instruction: the calls that
///        glassbox/inline_ptx.cpp writes in its place. They end in the functions behind common/ptx.
/// \source PTX ISA 9.0
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <source_location>
#include <type_traits>

#include "emulator/words/address_functions.hpp"
#include "emulator/words/async_functions.hpp"
#include "emulator/words/atomic_functions.hpp"
#include "emulator/words/barrier_functions.hpp"
#include "emulator/words/bfloat16_type.hpp"
#include "emulator/words/half_type.hpp"
#include "emulator/words/integer_functions.hpp"
#include "emulator/words/scoped_atomics.hpp"
#include "emulator/words/thread_context.hpp"
#include "emulator/words/tile_functions.hpp"
#include "emulator/words/warp_functions.hpp"

namespace ladder::emulator {

int multiprocessors();  // of the card: emulator/run/multiprocessors.hpp

}  // namespace ladder::emulator

namespace ladder::emulator::inline_ptx {

using namespace ladder::emulator;  // for names that stand behind this one's

inline unsigned warp_index() {
  const uint3 thread = unpack(packed_thread_index()), block = unpack(packed_block_extent());
  return (thread.x + block.x * (thread.y + block.y * thread.z)) / 32;
}
inline int threads_of_block() {
  const uint3 block = unpack(packed_block_extent());
  return static_cast<int>(block.x * block.y * block.z);
}

/// The SM that a block runs on, if they take turns; a GPU promises no order.
inline unsigned multiprocessor() {
  const uint3 block = unpack(packed_block_index()), grid = unpack(packed_grid_extent());
  return (block.x + grid.x * (block.y + grid.y * block.z)) % multiprocessors();
}

// -- Registers, which have a size and no type -----------------------------------------------------

/// The value of a register, or of an operand of the statement, as an instruction takes it.
template <class T, class Register>
[[gnu::always_inline, gnu::no_sanitize("thread")]] inline T in(const Register& value) {
  if constexpr (std::is_pointer_v<Register>) {
    return static_cast<T>(reinterpret_cast<std::uintptr_t>(value));
  } else if constexpr (std::is_same_v<Register, bool> || std::is_enum_v<Register>) {
    return static_cast<T>(value);
  } else if constexpr (sizeof(T) == sizeof(Register)) {
    return __builtin_bit_cast(T, value);
  } else if constexpr (std::is_integral_v<T> && std::is_integral_v<Register>) {
    return static_cast<T>(value);
  } else {
    T result = {};
    __builtin_memcpy(&result, &value, sizeof(T) < sizeof(Register) ? sizeof(T) : sizeof(Register));
    return result;
  }
}

/// A result goes into a register that is at least as wide; narrower ones are extended.
template <class Register, class T>
[[gnu::always_inline, gnu::no_sanitize("thread")]] inline void out(Register& target, T value) {
  if constexpr (std::is_pointer_v<Register>) {
    target = reinterpret_cast<Register>(static_cast<std::uintptr_t>(value));
  } else if constexpr (std::is_same_v<Register, bool>) {
    target = value != T{};
  } else if constexpr (sizeof(T) == sizeof(Register)) {
    target = __builtin_bit_cast(Register, value);
  } else if constexpr (std::is_integral_v<T> && std::is_integral_v<Register>) {
    target = static_cast<Register>(value);
  } else {
    __builtin_memcpy(&target, &value, sizeof(T) < sizeof(Register) ? sizeof(T) : sizeof(Register));
  }
}

/// Into `_`.
struct Nowhere {};
template <class T>
void out(const Nowhere&, T) {}

// -- Arithmetic -----------------------------------------------------------------------------------

template <class T>
using Wide = std::conditional_t<
    sizeof(T) == 2, std::conditional_t<std::is_signed_v<T>, std::int32_t, std::uint32_t>,
    std::conditional_t<sizeof(T) == 4,
                       std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>,
                       std::conditional_t<std::is_signed_v<T>, __int128, unsigned __int128>>>;

template <class T>
constexpr auto wide_product(T a, T b) {
  return static_cast<Wide<T>>(static_cast<Wide<T>>(a) * static_cast<Wide<T>>(b));
}
template <class T>
constexpr T high_product(T a, T b) {
  return static_cast<T>(wide_product(a, b) >> (8 * sizeof(T)));
}
/// Without a fault where a signed sum overflows.
template <class T>
constexpr T sum(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    using U = std::make_unsigned_t<T>;
    return static_cast<T>(static_cast<U>(a) + static_cast<U>(b));
  } else {
    return a + b;
  }
}
template <class T>
constexpr T difference(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    using U = std::make_unsigned_t<T>;
    return static_cast<T>(static_cast<U>(a) - static_cast<U>(b));
  } else {
    return a - b;
  }
}
template <class T>
constexpr T product(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(wide_product(a, b));
  } else {
    return a * b;
  }
}
template <class T>
T smaller(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) return std::fmin(a, b);
  return b < a ? b : a;
}
template <class T>
T larger(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) return std::fmax(a, b);
  return a < b ? b : a;
}
/// With carries: `carry` is what .cc writes and addc and subc read.
template <class T>
T sum_with(T a, T b, bool carry_in, bool& carry) {
  T result;
  const bool first = __builtin_add_overflow(a, b, &result);
  const bool second = __builtin_add_overflow(result, static_cast<T>(carry_in), &result);
  carry = first || second;
  return result;
}
template <class T>
T difference_with(T a, T b, bool borrow_in, bool& borrow) {
  T result;
  const bool first = __builtin_sub_overflow(a, b, &result);
  const bool second = __builtin_sub_overflow(result, static_cast<T>(borrow_in), &result);
  borrow = first || second;
  return result;
}
/// Shifts by the width or more give what is shifted in.
template <class T>
constexpr T shifted_left(T a, std::uint32_t by) {
  using U = std::make_unsigned_t<T>;
  return by >= 8 * sizeof(T) ? T{0} : static_cast<T>(static_cast<U>(a) << by);
}
template <class T>
constexpr T shifted_right(T a, std::uint32_t by) {
  constexpr std::uint32_t kMost = 8 * sizeof(T) - 1;
  if (by > kMost) return std::is_signed_v<T> ? static_cast<T>(a >> kMost) : T{0};
  return static_cast<T>(a >> by);
}
template <class T>
constexpr std::uint32_t leading_zeros(T a) {
  if (a == 0) return 8 * sizeof(T);
  return static_cast<std::uint32_t>(sizeof(T) == 4 ? __builtin_clz(static_cast<unsigned>(a))
                                                   : __builtin_clzll(a));
}
/// bfe: `length` bits from `position` on, extended.
template <class T>
constexpr T field(T a, std::uint32_t position, std::uint32_t length) {
  constexpr std::uint32_t kBits = 8 * sizeof(T);
  using U = std::make_unsigned_t<T>;
  position &= 0xFF;
  length &= 0xFF;
  const U bits = shifted_right(static_cast<U>(a), position);
  if (length == 0) return 0;
  const U kept = length >= kBits ? bits : static_cast<U>(bits & ((U{1} << length) - 1));
  if (!std::is_signed_v<T>) return static_cast<T>(kept);
  const std::uint32_t top = position + length - 1 < kBits ? position + length - 1 : kBits - 1;
  const bool negative = (static_cast<U>(a) >> top & 1) != 0;
  return static_cast<T>(negative && length < kBits ? kept | (~U{0} << length) : kept);
}
/// bfi: `length` bits of a, put into b from `position` on.
template <class T>
constexpr T with_field(T a, T b, std::uint32_t position, std::uint32_t length) {
  position &= 0xFF;
  length &= 0xFF;
  const T ones = length >= 8 * sizeof(T) ? ~T{0} : static_cast<T>((T{1} << length) - 1);
  const T mask = shifted_left(ones, position);
  return (b & ~mask) | (shifted_left(a, position) & mask);
}
/// lop3: bit i of `table` is the answer to the bits of i, those of `a` first.
constexpr std::uint32_t by_table(std::uint32_t a, std::uint32_t b, std::uint32_t c,
                                 std::uint32_t table) {
  std::uint32_t result = 0;
  for (unsigned i = 0; i < 8; ++i) {
    if ((table >> i & 1) == 0) continue;
    result |= ((i & 4) != 0 ? a : ~a) & ((i & 2) != 0 ? b : ~b) & ((i & 1) != 0 ? c : ~c);
  }
  return result;
}
/// The sum and the numbers of type T that lie in a word.
template <class T>
constexpr std::uint32_t with_parts(std::uint32_t sum, std::uint32_t parts) {
  for (unsigned at = 0; at < 32; at += 8 * sizeof(T))
    sum += static_cast<std::uint32_t>(static_cast<T>(parts >> at));
  return sum;
}
/// Of a float, as cvt rounds it to a whole number: to the nearest number that T has, NaN to 0.
template <class T, class Real>
T to_whole(Real x, Real rounded) {
  if (x != x) return 0;
  constexpr T kLow = std::is_signed_v<T> ? T(T{1} << (8 * sizeof(T) - 1)) : T{0};
  constexpr T kHigh = static_cast<T>(~kLow);
  if (rounded <= static_cast<Real>(kLow)) return kLow;
  if (rounded >= static_cast<Real>(kHigh)) return kHigh;
  return static_cast<T>(rounded);
}

// -- Memory ---------------------------------------------------------------------------------------

/// Several elements that move in one access.
template <class T, int n>
struct Several {
  typedef T Type __attribute__((vector_size(n * sizeof(T)), may_alias));
};

/// An address of the state space `.shared`, which is a number, or a generic one.
template <bool shared, class Register>
[[gnu::always_inline]] inline void* pointer(const Register& address, std::int64_t offset) {
  const auto number = in<std::uint64_t>(address) + static_cast<std::uint64_t>(offset);
  if constexpr (shared) return pointer_to_shared(number);
  return reinterpret_cast<void*>(number);  // NOLINT(performance-no-int-to-ptr)
}

template <class T>
[[gnu::always_inline]] inline T load(const void* address) {
  typedef T Aliased __attribute__((may_alias));
  return *static_cast<const Aliased*>(address);
}
template <class T>
[[gnu::always_inline]] inline void store(void* address, T value) {
  typedef T Aliased __attribute__((may_alias));
  *static_cast<Aliased*>(address) = value;
}
template <class T>
[[gnu::always_inline]] inline T load_volatile(const void* address) {
  return *static_cast<const volatile T*>(address);
}
template <class T>
[[gnu::always_inline]] inline void store_volatile(void* address, T value) {
  *static_cast<volatile T*>(address) = value;
}

/// What g++ can load and store as one step.
template <class T>
using FlagBits = std::conditional_t<
    sizeof(T) == 8, std::uint64_t,
    std::conditional_t<sizeof(T) == 4, std::uint32_t,
                       std::conditional_t<sizeof(T) == 2, std::uint16_t, std::uint8_t>>>;

/// ld.relaxed and st.relaxed: a fence beside them makes them ld.acquire and st.release. To a trace,
/// a relaxed load of g++ would be the guess of an update.
template <class T>
[[gnu::always_inline]] inline T load_flag(const void* address) {
  return __builtin_bit_cast(
      T, __atomic_load_n(static_cast<const FlagBits<T>*>(address), __ATOMIC_ACQUIRE));
}
template <class T>
[[gnu::always_inline]] inline void store_flag(void* address, T value) {
  __atomic_store_n(static_cast<FlagBits<T>*>(address), __builtin_bit_cast(FlagBits<T>, value),
                   __ATOMIC_RELAXED);
}

}  // namespace ladder::emulator::inline_ptx
