// SPDX-License-Identifier: MIT
/// \file  emulator/words/warp_reductions.hpp
/// \brief __match_all_sync and the __reduce_..._sync functions of compute capability 8.0.
#pragma once

#include "emulator/words/warp_functions.hpp"

namespace ladder::emulator {

template <class T>
struct AddValues {
  static T apply(T a, T b) {
    return static_cast<T>(static_cast<unsigned>(a) + static_cast<unsigned>(b));
  }
};

template <class T>
struct SmallerValue {
  static T apply(T a, T b) { return b < a ? b : a; }
};

template <class T>
struct LargerValue {
  static T apply(T a, T b) { return a < b ? b : a; }
};

struct AndBits {
  static unsigned apply(unsigned a, unsigned b) { return a & b; }
};

struct OrBits {
  static unsigned apply(unsigned a, unsigned b) { return a | b; }
};

struct XorBits {
  static unsigned apply(unsigned a, unsigned b) { return a ^ b; }
};

/// The mask when all values have the same bytes, else 0.
template <class T>
struct MaskIfAllEqual {
  static unsigned combine(unsigned mask, const std::array<T, 32>& values) {
    const T& first = values[static_cast<unsigned>(__builtin_ctz(mask))];
    unsigned equal = 0;
    for_each_lane(mask, [&](unsigned lane) {
      if (std::memcmp(&values[lane], &first, sizeof(T)) == 0) equal |= 1u << lane;
    });
    return equal == mask ? mask : 0;
  }
};

template <class T>
concept ReducedInteger = std::is_same_v<T, int> || std::is_same_v<T, unsigned>;

}  // namespace ladder::emulator

template <class T>
unsigned __match_all_sync(unsigned mask, T value, int* all_equal,
                          std::source_location where = std::source_location::current()) {
  using Combine = ladder::emulator::MaskIfAllEqual<T>;
  using Request = ladder::emulator::CombineRequest<T, unsigned, Combine>;
  const unsigned equal =
      ladder::emulator::ask_warp("__match_all_sync", mask, Request{value, 0}, where);
  *all_equal = equal != 0;
  return equal;
}

template <ladder::emulator::ReducedInteger T>
T __reduce_add_sync(unsigned mask, T value,
                    std::source_location where = std::source_location::current()) {
  using Operation = ladder::emulator::AddValues<T>;
  return ladder::emulator::reduce<T, Operation>("__reduce_add_sync", mask, value, where);
}

template <ladder::emulator::ReducedInteger T>
T __reduce_min_sync(unsigned mask, T value,
                    std::source_location where = std::source_location::current()) {
  using Operation = ladder::emulator::SmallerValue<T>;
  return ladder::emulator::reduce<T, Operation>("__reduce_min_sync", mask, value, where);
}

template <ladder::emulator::ReducedInteger T>
T __reduce_max_sync(unsigned mask, T value,
                    std::source_location where = std::source_location::current()) {
  using Operation = ladder::emulator::LargerValue<T>;
  return ladder::emulator::reduce<T, Operation>("__reduce_max_sync", mask, value, where);
}

inline unsigned __reduce_and_sync(unsigned mask, unsigned value,
                                  std::source_location where = std::source_location::current()) {
  using Operation = ladder::emulator::AndBits;
  return ladder::emulator::reduce<unsigned, Operation>("__reduce_and_sync", mask, value, where);
}

inline unsigned __reduce_or_sync(unsigned mask, unsigned value,
                                 std::source_location where = std::source_location::current()) {
  using Operation = ladder::emulator::OrBits;
  return ladder::emulator::reduce<unsigned, Operation>("__reduce_or_sync", mask, value, where);
}

inline unsigned __reduce_xor_sync(unsigned mask, unsigned value,
                                  std::source_location where = std::source_location::current()) {
  using Operation = ladder::emulator::XorBits;
  return ladder::emulator::reduce<unsigned, Operation>("__reduce_xor_sync", mask, value, where);
}
