// SPDX-License-Identifier: MIT
/// \file  classroom/graded_library.hpp
/// \brief What the library of a student's kernel tells the worker: nothing of it is the student's.
#pragma once

#include <span>

#include "ladder/ladder.hpp"

namespace ladder::grader {

using Initialiser = void (*)();

struct GradedLibrary {
  std::span<const Rung> rungs;
  /// Of the student's static objects, in their order; graded_library.ld keeps them from running
  /// when the library is loaded.
  std::span<const Initialiser> initialisers;
  unsigned char* (*dynamic_shared)();  ///< of the calling CPU thread
};

}  // namespace ladder::grader
