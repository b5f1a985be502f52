// SPDX-License-Identifier: MIT
/// \file  glassbox/program_link.hpp
/// \brief Links what the drop-in compiler has compiled with whatever else a program is made of.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "glassbox/program_build.hpp"

namespace ladder::glassbox {

struct LinkRequest {
  /// What a linker is given, in order: objects, archives, libraries, `-L`, `-l` and other options.
  std::vector<std::string> words = {};
  std::filesystem::path output = "a.out";
  bool is_library = false;  ///< `-shared`
};

/// Whether a file is an object, an archive, a library or an executable of the drop-in compiler's.
bool is_of_glassbox(const std::filesystem::path& file);

/// Whether `-lNAME`, or the file of a library, is one of CUDA's.
bool is_library_of_cuda(const std::string& word);

/// \brief  Links a program or a shared library. It can be moved, needs nothing of its objects any
///         more, and holds itself once more for `check` and `trace`.
/// \param  folder  for temporary files
/// \return sentences about CUDA's libraries that the glass box does not have
/// \throws BuildError          the linker refuses
/// \throws std::runtime_error  a file cannot be read or written
std::vector<std::string> link_program(const LinkRequest& request,
                                      const std::filesystem::path& folder);

/// \brief Puts two parts into the file of an object, an executable or a library.
/// \param traced  empty: there is none
void add_parts(const std::filesystem::path& file, const std::filesystem::path& traced,
               const std::string& facts, const std::filesystem::path& folder);

/// \brief  An executable that link_program() has made, as it is to be run: the file itself, or what
///         it holds for tracing.
/// \param  folder  for the latter, and for those of its shared libraries
BuiltProgram program_for_run(const std::filesystem::path& file, const SourceFacts& facts,
                             bool traced, const std::filesystem::path& folder);

}  // namespace ladder::glassbox
