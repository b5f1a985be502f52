// SPDX-License-Identifier: MIT
/// \file  glassbox/runtime/access_record.hpp
/// \brief Which bytes of the program's arrays a kernel reads and writes, also when it is not
///        traced.
///
/// All arrays are in one range of addresses. A byte of it has a mark for each sort of access, at
/// a fixed distance, so an access costs a comparison and two stores; after a launch, the marks of
/// the pages that were touched become ranges, and are taken away.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "glassbox/runtime/byte_ranges.hpp"

namespace ladder::glassbox {

/// What a kernel does with a byte.
enum class Touch {
  kLoad,
  kStore,
  kUpdate,  ///< an atomic, or a store to what is volatile: others may do so at the same time
  kLook,    ///< a load of what is volatile or atomic: it may be waiting for another one's update
};
inline constexpr std::size_t kTouches = 4;

/// Addresses of arrays: first of those that are the GPU's alone, then of those that the host may
/// touch, too.
inline constexpr std::uintptr_t kArraysBegin = std::uintptr_t{1} << 44;
inline constexpr std::uintptr_t kSharedBegin = kArraysBegin + (std::uintptr_t{1} << 40);
inline constexpr std::uintptr_t kArraysEnd = kSharedBegin + (std::uintptr_t{1} << 40);

inline constexpr bool is_in_arrays(std::uintptr_t address) {
  return address - kArraysBegin < kArraysEnd - kArraysBegin;
}
inline constexpr bool is_shared_with_host(std::uintptr_t address) {
  return address - kSharedBegin < kArraysEnd - kSharedBegin;
}

/// No arrays are here: the marks are those of the program's own variables, which are elsewhere.
inline constexpr std::uintptr_t kVariablesBegin = kSharedBegin - (std::uintptr_t{1} << 36);

/// \brief  Free addresses for an array and its guards; they are not given out again.
/// \return null where none are left, or marks cannot be had: what is there goes unrecorded
void* addresses_for_array(std::size_t bytes, bool shared_with_host);

/// What one kernel has done.
struct TouchedBytes {
  ByteRanges of[kTouches];
  bool has_fenced = false;  ///< or stored to what is volatile

  const ByteRanges& operator[](Touch touch) const { return of[static_cast<std::size_t>(touch)]; }
  ByteRanges& operator[](Touch touch) { return of[static_cast<std::size_t>(touch)]; }
};

/// \brief The marks. One kernel at a time.
class AccessRecord {
 public:
  static AccessRecord& instance();

  /// Linux has given addresses for them.
  static bool has_marks();

  /// What the kernels that run from now on touch: nothing; memory that the host shares; all.
  enum class Extent { kNone, kShared, kAll };
  void start(Extent extent);
  /// Adds what was touched of an array, and forgets it. Arrays come in the order of their
  /// addresses.
  void take(const Bytes& array, TouchedBytes& touched);
  /// Likewise of the program's variables, last.
  void take_variables(TouchedBytes& touched);
  /// Ends what start() began.
  bool end();

 private:
  AccessRecord() = default;
};

// -- For the hooks -------------------------------------------------------------------------------

/// Lower addresses are not recorded.
extern std::atomic<std::uintptr_t> recorded_begin;
/// Variables of the program that are.
extern std::atomic<std::uintptr_t> variables_begin, variables_bytes;
/// The kernel has called __threadfence() or the like.
extern std::atomic<bool> kernel_has_fenced;

}  // namespace ladder::glassbox
