// SPDX-License-Identifier: MIT
/// \file  ladder/program/check_command.hpp
/// \brief `check`: is a rung right, has it races and bad accesses, and what is it about?
#pragma once

#include <CLI/CLI.hpp>

#include "ladder/program/trace_command.hpp"

namespace ladder {

void add_check_options(CLI::App& command, TraceArguments& arguments);

/// \brief  Traces rungs, all by default, and prints their hazards.
/// \return kGood, or kWrong for a hazard or a wrong result
int check_command(TraceArguments arguments);

}  // namespace ladder
