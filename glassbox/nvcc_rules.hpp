// SPDX-License-Identifier: MIT
/// \file  glassbox/nvcc_rules.hpp
/// \brief Looks for what g++ compiles and nvcc refuses, with the front end that is installed: that
///        of nvcc, else that of clang, else a reader of our own that knows the commonest kinds.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "glassbox/front_end_output.hpp"

namespace ladder::glassbox {

/// The front ends, the best first.
enum class FrontEndKind { kNvcc, kClang, kNone };

/// One that is installed.
struct FrontEnd {
  FrontEndKind kind = FrontEndKind::kNone;
  std::string path = {};
  std::string name = {};  ///< "nvcc 13.0", "clang 14.0.6"; of none: empty
};

/// \brief  nvcc's, else clang's, else none. The environment's LADDER_FRONT_END chooses: "nvcc",
///         "clang" or "none".
/// \param  environment  of compilers
/// \throws std::invalid_argument  it names none of them, or one that is not installed
FrontEnd installed_front_end(const std::vector<std::string>& environment);

/// How one source is compiled.
struct RulesQuestion {
  std::filesystem::path source;               ///< the program's own
  std::filesystem::path rewritten;            ///< what g++ compiles
  std::vector<std::string> environment;       ///< of compilers
  std::vector<std::string> preprocessor;      ///< g++ and its options, for `rewritten`
  std::vector<std::string> own_folders;       ///< -I of the program
  std::vector<std::string> emulator_folders;  ///< of the words of CUDA
  std::vector<std::string> definitions;       ///< -D of the program
  int compute_capability = 90;
};

/// What nvcc would have against it.
Objections objections_to(const RulesQuestion& question, const FrontEnd& front_end);

}  // namespace ladder::glassbox
