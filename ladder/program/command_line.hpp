// SPDX-License-Identifier: MIT
/// \file  ladder/program/command_line.hpp
/// \brief What the `ladder` program and the executables of single rungs have in common.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "common/device_card.hpp"
#include "common/terminal/run_command_line.hpp"
#include "common/verify.hpp"
#include "ladder/program/climb.hpp"

namespace ladder {

/// What the command line asks for.
struct Options {
  std::vector<std::string> rungs;  ///< empty: all
  std::string device = "auto";
  std::string gpu = "h200";  ///< whose number of SMs the emulator has
  std::string protocol = "burst";
  std::string json;   ///< "-": standard output, which then says nothing else
  std::string sarif;  ///< likewise
  bool no_timing = false;
  bool explain = false;
  std::optional<int> size, M, N, K;
  Problem problem;
};

/// \brief Adds the options that say which problem to solve.
/// \param default_size  for the help text
void add_shape_options(CLI::App& command, Options& options, const std::string& default_size);

/// \brief  The card that all commands on the CPU model: with as many SMs as LADDER_MULTIPROCESSORS
///         says, if somebody set it.
/// \throws std::invalid_argument  there is no such card
DeviceCard modelled_card(const std::string& gpu);

/// "NVIDIA H200 SXM", or "LADDER_MULTIPROCESSORS": whose number of SMs a modelled card has.
std::string sms_of(const DeviceCard& card);

/// Adds the options of `climb` and `run` to a command.
void add_problem_options(CLI::App& command, Options& options);

/// Adds the option of commands for chosen rungs that asks why they work on a shape as they do.
void add_explain_option(CLI::App& command, Options& options);

/// What a command adds to a climb. Both functions may be empty.
struct ClimbExtras {
  std::string command = "climb";
  /// Rungs to verify and time as well, that appear in no table: see ClimbRequest.
  std::function<std::vector<Rung>(std::span<const Rung> ladder, const std::vector<Rung>& chosen)>
      to_compare_with;
  /// What else to print when the results are printed and filed.
  std::function<void(const Climb&)> after;
};

/// \brief  Climbs all rungs that are linked in, or only options.rungs; prints the results.
/// \return exit code
/// \throws std::exception for bad usage and missing machines
int climb_command(Options options, const ClimbExtras& extras = {});

}  // namespace ladder
