// SPDX-License-Identifier: MIT
/// \file  glassbox/command.hpp
/// \brief Runs other programs.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace ladder::glassbox {

/// How a program ended.
struct Ended {
  int code = 0;    ///< as a shell has it: 128 and the number of the signal
  int signal = 0;  ///< 0: none
  std::string output = {};
};

/// \brief  Runs a program to its end, and keeps what it writes to standard output and error.
/// \param  environment  name=value, in front of this process's
/// \throws std::runtime_error it cannot be started
Ended output_of(const std::vector<std::string>& words, const std::vector<std::string>& environment);

/// \brief What compilers are told: to speak English, and that they work for this folder. What they
///        leave for later goes with it, and so do they: see work_folder.hpp.
std::vector<std::string> compiler_environment(const std::filesystem::path& folder);

/// \brief  Runs a program in this one's place: standard input, output and error are its own.
/// \param  environment       name=value, added to this process's
/// \param  output_to_errors  its standard output goes where its standard error goes
/// \throws std::runtime_error it cannot be started
Ended run_in_front(const std::vector<std::string>& words,
                   const std::vector<std::string>& environment, bool output_to_errors);

}  // namespace ladder::glassbox
