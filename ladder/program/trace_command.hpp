// SPDX-License-Identifier: MIT
/// \file  ladder/program/trace_command.hpp
/// \brief `trace`: what a rung asks of memory; and the table of what sets each rung apart.
#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "ladder/program/command_line.hpp"

namespace ladder {

/// What `trace` and `check` are asked for.
struct TraceArguments {
  Options options;  ///< rungs and problem
  std::string gpu = "h200";
  std::string html;
  std::string warp;                ///< "B,W"
  std::vector<std::string> marks;  ///< "kernel.cuh:12,15": lines that the page marks
  bool all_blocks = false;
  std::optional<std::size_t> hazards;  ///< of each rung that `check` tells; empty: all
};

void add_trace_options(CLI::App& command, TraceArguments& arguments);

/// The shape that was asked for, else M = N = K = 256.
void choose_traced_shape(Options& options);

/// \brief  Traces one rung and prints, and writes, what it did.
/// \return kGood, or kWrong for a hazard or a wrong result
int trace_command(TraceArguments arguments);

/// \brief  Traces rungs on the small card of the classroom and prints what sets each apart from the
///         one below it: what a climb without a GPU has instead of times.
/// \param  problem  its shape is used if `shape_given`, else one on which all effects show
void print_gains(const std::vector<Rung>& rungs, Problem problem, bool shape_given);

}  // namespace ladder
