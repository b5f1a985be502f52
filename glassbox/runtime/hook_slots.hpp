// SPDX-License-Identifier: MIT
/// \file  glassbox/runtime/hook_slots.hpp
/// \brief Which function the program calls at its memory accesses.
#pragma once

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

}  // namespace ladder::glassbox
