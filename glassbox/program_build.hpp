// SPDX-License-Identifier: MIT
/// \file  glassbox/program_build.hpp
/// \brief Compiles and links a whole CUDA program with g++.
#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

namespace ladder::glassbox {

/// What a program is made of.
struct ProgramSources {
  std::vector<std::filesystem::path> files;
  std::vector<std::string> include_folders;  ///< -I
  std::vector<std::string> definitions;      ///< -D
  bool traced = false;
  int compute_capability = 90;  ///< that device code sees: 90 for 9.0
};

/// What the compiler has said about the user's lines.
class CompileError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct BuiltProgram {
  std::filesystem::path path;
  bool uses_device_heap = false;  ///< kernels may take memory with new or malloc()
};

/// \brief  Builds it.
/// \param  folder  for all that is written
/// \throws CompileError        g++ refuses the sources
/// \throws std::runtime_error  see SourceFiles; or the build folder is incomplete
BuiltProgram build_program(const ProgramSources& sources, const std::filesystem::path& folder);

}  // namespace ladder::glassbox
