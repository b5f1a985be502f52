// SPDX-License-Identifier: MIT
/// \file  emulator/trace/code_places.hpp
/// \brief The source lines of traced accesses. A compiler may make several instructions of one
///        access in the source; here they are one place again.
#pragma once

#include <cstdint>
#include <source_location>

#include "emulator/run/debug_info/source_lines.hpp"
#include "emulator/trace/access_log.hpp"

namespace ladder::emulator {

/// \brief  Number of the place (file, line, column) that an access of the library at `code_begin`
///         comes from; the same for all instructions of one place.
std::uint32_t place_number(std::uintptr_t code_begin, AccessCode code);

/// \brief Its file, line and column; the file relative to the repository where it belongs to it.
SourceLine place_of(std::uintptr_t code_begin, AccessCode code);

/// Is it one of code_of_call()?
bool is_code_of_call(AccessCode code);

/// \brief The code of an access that a function of the emulator makes for a kernel, which called it
///        at `where`.
AccessCode code_of_call(std::source_location where, AccessType type, unsigned bytes);

}  // namespace ladder::emulator
