// SPDX-License-Identifier: MIT
/// \file  glassbox/program_build.hpp
/// \brief Compiles and links a whole CUDA program with g++.
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "common/findings/source_error.hpp"
#include "glassbox/front_end_output.hpp"

namespace ladder::glassbox {

/// What a program is made of.
struct ProgramSources {
  std::vector<std::filesystem::path> files;
  std::vector<std::string> include_folders;  ///< -I
  std::vector<std::string> definitions;      ///< -D
  bool traced = false;
  int compute_capability = 90;  ///< that device code sees: 90 for 9.0
};

struct BuiltProgram {
  std::filesystem::path path;
  bool uses_device_heap = false;  ///< kernels may take memory with new or malloc()
  std::string front_end;          ///< that looked for what nvcc refuses: "clang 14.0.6"; or none
  std::set<std::string> device_variables =
      {};                               ///< names of those of `__device__` and `__constant__`
  std::vector<SourceError> notes = {};  ///< what nvcc compiles with an option alone
};

/// \brief What nvcc would have against a program. Nothing is built.
Objections objections_to(const ProgramSources& sources, const std::filesystem::path& folder);

/// \brief  Builds it.
/// \param  folder  for all that is written
/// \throws BuildError          a source cannot be read, or g++ refuses it, or nvcc would
/// \throws std::runtime_error  the build folder is incomplete
BuiltProgram build_program(const ProgramSources& sources, const std::filesystem::path& folder);

}  // namespace ladder::glassbox
