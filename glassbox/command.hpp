// SPDX-License-Identifier: MIT
/// \file  glassbox/command.hpp
/// \brief Runs other programs.
#pragma once

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
/// \throws std::runtime_error it cannot be started
Ended output_of(const std::vector<std::string>& words);

/// \brief  Runs a program in this one's place: standard input, output and error are its own.
/// \param  environment       name=value, added to this process's
/// \param  output_to_errors  its standard output goes where its standard error goes
/// \throws std::runtime_error it cannot be started
Ended run_in_front(const std::vector<std::string>& words,
                   const std::vector<std::string>& environment, bool output_to_errors);

}  // namespace ladder::glassbox
