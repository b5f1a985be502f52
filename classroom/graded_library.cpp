// SPDX-License-Identifier: MIT
/// \file  classroom/graded_library.cpp
/// \brief Linked with a student's kernel by kernel_library.py, together with graded_library.ld.
#include "classroom/graded_library.hpp"

extern thread_local unsigned char ladder_dynamic_shared[];
extern "C" {
extern const ladder::grader::Initialiser ladder_initialisers_begin[];
extern const ladder::grader::Initialiser ladder_initialisers_end[];

[[gnu::visibility("default")]] void ladder_graded_library(ladder::grader::GradedLibrary* library) {
  *library = {ladder::rungs(), {ladder_initialisers_begin, ladder_initialisers_end}, [] {
                return &ladder_dynamic_shared[0];
              }};
}
}
