// SPDX-License-Identifier: MIT
/// \file  emulator/words/short_float_atomics.hpp
/// \brief atomicAdd() of __half and __nv_bfloat16, single and in pairs. A pair is added as one
///        step.
#pragma once

#include <concepts>
#include <cstring>
#include <type_traits>

#include "emulator/words/atomic_functions.hpp"
#include "emulator/words/bfloat16_type.hpp"
#include "emulator/words/half_type.hpp"

namespace ladder::emulator {

template <class T>
concept ShortFloatOrPair = std::same_as<T, __half> || std::same_as<T, __half2> ||
    std::same_as<T, __nv_bfloat16> || std::same_as<T, __nv_bfloat162>;

/// The bits of a number as another type of the same size; pairs have constructors of their own.
template <class To, class From>
To copied_bits(const From& from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  std::memcpy(static_cast<void*>(&to), &from, sizeof to);
  return to;
}

}  // namespace ladder::emulator

template <ladder::emulator::ShortFloatOrPair T>
T atomicAdd(T* address, std::type_identity_t<T> value) {
  using ladder::emulator::copied_bits;
  using Bits = std::conditional_t<sizeof(T) == 4, unsigned, unsigned short>;
  const Bits old = ladder::emulator::update_atomically(
      reinterpret_cast<Bits*>(address),
      [&](Bits bits) { return copied_bits<Bits>(T(copied_bits<T>(bits) + value)); });
  return copied_bits<T>(old);
}
