// SPDX-License-Identifier: MIT
/// \file  common/terminal/run_command_line.hpp
/// \brief What all programs do with their command lines: parse, run, report what went wrong.
#pragma once

#include <CLI/CLI.hpp>
#include <exception>
#include <functional>
#include <string>

namespace ladder {

/// Exit codes.
constexpr int kGood = 0;
constexpr int kWrong = 1;     ///< a wrong result, or a finding
constexpr int kBadUsage = 2;  ///< bad usage, a refused shape, or a machine that is not there

/// \brief A check of a command line's whole numbers: decimal digits alone, so that 010 is ten and
///        0x10 is refused. It comes before what looks at the number.
CLI::Validator decimal();

/// What stopped a program, as a sentence.
std::string said(const std::exception& error);

/// \brief  Parses the command line, runs `command`, and turns exceptions into a message and exit
///         code. Output that cannot be written is one, too.
int run_command_line(CLI::App& app, int argc, char** argv, const std::function<int()>& command);

}  // namespace ladder
