// SPDX-License-Identifier: MIT
/// \file  glassbox/runtime/program_libraries.hpp
/// \brief Which of the loaded files are the program's own.
#pragma once

#include <link.h>

#include <cstdint>

namespace ladder::glassbox {

/// \brief Whether a loaded file holds kernels and the code that starts them: the program itself, a
///        library that it is linked with, or the one that `glassbox` has made of its sources.
bool is_of_program(const dl_phdr_info& library);

/// Whether this is code or a variable of such a file.
bool is_of_program(std::uintptr_t address);

}  // namespace ladder::glassbox
