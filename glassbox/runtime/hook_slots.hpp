// SPDX-License-Identifier: MIT
/// \file  glassbox/runtime/hook_slots.hpp
/// \brief Which function the program calls at its memory accesses.
#pragma once

#include <span>
#include <string_view>

namespace ladder::glassbox {

/// \brief Puts the tracer's hooks in place for as long as it lives. At all other times the program,
///        its host code too, calls a function that does nothing: a hook that finds nothing to trace
///        costs several times as much. At most one at a time.
class HooksInPlace {
 public:
  HooksInPlace();
  ~HooksInPlace();
  HooksInPlace(const HooksInPlace&) = delete;
  HooksInPlace& operator=(const HooksInPlace&) = delete;
};

/// Whether the program calls a function of another library whose name starts with one of these.
bool program_calls_any(std::span<const std::string_view> starts);

/// \brief Whether the program calls access_hooks.hpp, at its accesses and a few functions of libc.
void record_accesses(bool wanted);

}  // namespace ladder::glassbox
