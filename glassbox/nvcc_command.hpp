// SPDX-License-Identifier: MIT
/// \file  glassbox/nvcc_command.hpp
/// \brief nvcc's command line, as Makefiles and CMake write it.
#pragma once

#include <filesystem>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace ladder::glassbox {

/// What nvcc refuses, or what the glass box has no use for; what() is a whole sentence.
class NvccRefusal : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// How far a command goes.
enum class NvccPhase {
  kLink,          ///< to an executable or a library
  kCompile,       ///< -c, -dc
  kDeviceLink,    ///< -dlink: to an object for the host's linker
  kArchive,       ///< -lib
  kPreprocess,    ///< -E
  kDependencies,  ///< -M, -MM
  kVersion,       ///< --version
  kHelp,          ///< --help
};

enum class NvccLanguage { kCuda, kCpp, kC };

struct NvccSource {
  std::filesystem::path file;
  NvccLanguage language;
};

struct NvccCommand {
  NvccPhase phase = NvccPhase::kLink;
  std::vector<NvccSource> sources = {};
  /// Objects, archives, libraries and options for the linker, in order. An empty word stands where
  /// a source was.
  std::vector<std::string> link_words = {};
  std::filesystem::path output = {};  ///< empty: nvcc's usual one
  std::filesystem::path output_folder = {};
  bool is_library = false;   ///< -shared
  bool is_separate = false;  ///< -rdc=true: device functions of all files know each other
  bool is_shown = false;     ///< -v: what is done is also written
  bool is_done = true;       ///< --dryrun: it is only written
  bool is_relaxed = false;   ///< --expt-relaxed-constexpr, --extended-lambda
  bool runs = false;         ///< --run
  bool fuses = true;         ///< -fmad
  int compute_capability = 75;
  std::vector<std::string> include_folders = {};
  std::vector<std::string> definitions = {};
  std::vector<std::string> host_options = {};  ///< of the host's compiler
  std::vector<std::string> pre_includes = {};
  /// -MD, -MMD and those that go with them, as g++ takes them; and the file.
  std::vector<std::string> dependency_options = {};
  std::filesystem::path dependency_file = {};
  std::vector<std::string> notes = {};  ///< what is good to know
};

/// \brief  Reads it.
/// \param  words  without the program's name
/// \throws NvccRefusal  an option is unknown, or asks for what the glass box cannot do
NvccCommand read_nvcc_command(std::span<const std::string> words);

/// \brief Words of one option: separated by commas or spaces, unless they are quoted or escaped.
std::vector<std::string> split_words(const std::string& text);

}  // namespace ladder::glassbox
