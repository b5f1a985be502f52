// SPDX-License-Identifier: MIT
/// \file  glassbox/runtime/program_start.hpp
/// \brief What a program that `glassbox nvcc` has linked does before its first instruction.
#pragma once

/// What its sources say; written by glassbox/program_link.cpp.
struct GlassboxFacts {
  const char* glassbox;          ///< where the command of that name is
  const char* device_variables;  ///< names of `__device__` and `__constant__`, with spaces between
  int uses_device_heap;
};

/// \brief Called first of all, by the executable and by each library that it was linked with. If
///        the environment says so, `glassbox` takes over, and runs the executable in its own way.
extern "C" void glassbox_start(const GlassboxFacts* facts, int is_executable, char** words);

namespace ladder::glassbox {

using ProgramFacts = ::GlassboxFacts;

/// From now on orders() knows them.
void add_facts(const ProgramFacts& facts);

}  // namespace ladder::glassbox
