// SPDX-License-Identifier: MIT
/// \file  glassbox/runtime/program_calls.hpp
/// \brief Where in the user's program this thread of the host is.
#pragma once

#include <cstdint>
#include <vector>

namespace ladder::glassbox {

/// The instructions of the program's own code that this thread is at, innermost first: where a
/// signal stopped it, and the calls that led there.
std::vector<std::uintptr_t> calls_of_program();

}  // namespace ladder::glassbox
