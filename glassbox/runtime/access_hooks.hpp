// SPDX-License-Identifier: MIT
/// \file  glassbox/runtime/access_hooks.hpp
/// \brief The functions that the program calls at its accesses while they are recorded.
#pragma once

#include <span>
#include <string_view>

namespace ladder::glassbox {

/// What takes the place of a function that the program calls.
struct RecordingHook {
  std::string_view name;  ///< "__tsan_read4", "memcpy"
  void* alone;            ///< records
  void* and_tracer;       ///< records, and goes on to the tracer's function of that name
};

std::span<const RecordingHook> recording_hooks();

}  // namespace ladder::glassbox
