// SPDX-License-Identifier: MIT
/// \file  glassbox/runtime/access_marks.hpp
/// \brief Where the marks of accesses are: see access_record.hpp.
#pragma once

#include "glassbox/runtime/access_record.hpp"

namespace ladder::glassbox {

inline constexpr std::uintptr_t kArraysBytes = kArraysEnd - kArraysBegin;
inline constexpr std::uintptr_t kMarksBegin = std::uintptr_t{1} << 45;
inline constexpr std::uintptr_t kPageMarksBegin = kMarksBegin + (std::uintptr_t{1} << 44);
inline constexpr std::uintptr_t kMarkedPage = 4096;

/// From a byte to its mark.
constexpr std::uintptr_t mark_distance(Touch touch) {
  return kMarksBegin - kArraysBegin + static_cast<std::uintptr_t>(touch) * kArraysBytes;
}

/// Whether any byte of the page has a mark.
inline std::uint8_t* page_mark(std::uintptr_t address, Touch touch) {
  return reinterpret_cast<std::uint8_t*>(
      kPageMarksBegin + static_cast<std::uintptr_t>(touch) * (kArraysBytes / kMarkedPage) +
      (address - kArraysBegin) / kMarkedPage);
}

/// Whether work that the host has not waited for touches the page.
inline std::uint8_t* watch_mark(std::uintptr_t address) {
  return reinterpret_cast<std::uint8_t*>(
      kPageMarksBegin + (kTouches * kArraysBytes + address - kArraysBegin) / kMarkedPage);
}

/// Several CPU threads may do this at once: they all store the same.
template <Touch kTouch>
inline void mark_page(std::uintptr_t address) {
  std::uint8_t* const mark = page_mark(address, kTouch);
  if (*mark == 0) *mark = 1;
}

/// Marks bytes that are on one page.
template <Touch kTouch, std::size_t kBytes>
inline void mark_bytes(std::uintptr_t address) {
  __builtin_memset(reinterpret_cast<void*>(address + mark_distance(kTouch)), 1, kBytes);
  mark_page<kTouch>(address);
}

}  // namespace ladder::glassbox
