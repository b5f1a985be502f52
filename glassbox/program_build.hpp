// SPDX-License-Identifier: MIT
/// \file  glassbox/program_build.hpp
/// \brief Compiles and links a whole CUDA program with g++.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <set>
#include <string>
#include <vector>

#include "common/findings/source_error.hpp"
#include "glassbox/front_end_output.hpp"
#include "glassbox/object_file.hpp"

namespace ladder::glassbox {

/// What a program is made of.
struct ProgramSources {
  std::vector<std::filesystem::path> files;
  std::vector<std::string> include_folders;  ///< -I
  std::vector<std::string> definitions;      ///< -D
  bool traced = false;
  int compute_capability = 90;            ///< that device code sees: 90 for 9.0
  std::vector<std::string> options = {};  ///< more of the compiler's
  bool is_cuda = false;                   ///< all of them, whatever their names
  bool is_checked = true;                 ///< for what nvcc refuses
  bool is_relaxed = false;                ///< nvcc is given the options that its notes are about
};

/// The compiler and its options, as CMake wrote them down.
/// \throws std::runtime_error  the build folder is incomplete
nlohmann::json compiler_description();

/// Where CUDA's words are.
std::vector<std::string> emulator_folders();

/// Sources that are compiled, and not linked yet.
struct CompiledSources {
  std::vector<std::string> objects = {};  ///< of each source, in order
  SourceFacts facts = {};
  std::set<std::string> device_functions = {};  ///< names of those that only the device has
};

/// \brief  Compiles each source.
/// \param  folder  for all that is written
/// \throws BuildError          a source cannot be read, or g++ refuses it, or nvcc would
/// \throws std::runtime_error  the build folder is incomplete
CompiledSources compile_sources(const ProgramSources& sources, const std::filesystem::path& folder);

/// \brief The command that preprocesses a source, without its name.
std::vector<std::string> preprocessor_command(const ProgramSources& sources,
                                              const std::filesystem::path& file,
                                              const std::filesystem::path& folder);

/// \brief The options that link objects with what they call, behind them; of `traced` ones too.
std::vector<std::string> link_options(const nlohmann::json& description, const SourceFacts& facts,
                                      bool traced);

/// \brief Writes a source that says where the shared memory of these objects is.
void write_dynamic_shared(const nlohmann::json& description,
                          const std::vector<std::string>& objects,
                          const std::filesystem::path& source,
                          const std::vector<std::string>& environment);

/// \brief  Runs a compiler or a linker, in English.
/// \throws BuildError  with what it has against its input
void run_compiler(const std::vector<std::string>& words,
                  const std::vector<std::string>& environment, SourceErrorKind kind);

struct BuiltProgram {
  std::filesystem::path path;
  SourceFacts facts = {};
  std::string library_path = {};  ///< folders with its own, with ":" between; or empty
};

/// \brief What nvcc would have against a program. Nothing is built.
Objections objections_to(const ProgramSources& sources, const std::filesystem::path& folder);

/// \brief  Builds it.
/// \param  folder  for all that is written
/// \throws BuildError          a source cannot be read, or g++ refuses it, or nvcc would
/// \throws std::runtime_error  the build folder is incomplete
BuiltProgram build_program(const ProgramSources& sources, const std::filesystem::path& folder);

}  // namespace ladder::glassbox
