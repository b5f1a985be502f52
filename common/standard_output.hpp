// SPDX-License-Identifier: MIT
/// \file  common/standard_output.hpp
/// \brief What a program says reaches its reader, or the program fails.
#pragma once

namespace ladder {

/// \brief Call it first: fails when standard output is closed, and gives /dev/null to a closed
///        standard input or error, so that no file that is opened later takes their numbers.
/// \throws std::runtime_error  standard output is closed
void require_standard_output();

/// \brief Call it last: writes what is left of standard output (of stdio and of std::cout).
/// \throws std::runtime_error  something of it could not be written
void finish_standard_output();

}  // namespace ladder
