// SPDX-License-Identifier: MIT
/// \file  glassbox/clang_location.hpp
/// \brief std::source_location for clang 14 and 15, which cannot compile the C++ library's own.
#pragma once

#if !__has_builtin(__builtin_source_location)
#define _GLIBCXX_SRCLOC 1
namespace std {
/// clang 14 has no other.
struct source_location {
  static constexpr source_location current() noexcept { return {}; }
  constexpr unsigned line() const noexcept { return 0; }
  constexpr unsigned column() const noexcept { return 0; }
  constexpr const char* file_name() const noexcept { return ""; }
  constexpr const char* function_name() const noexcept { return ""; }
};
}  // namespace std
#endif
