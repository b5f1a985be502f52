// SPDX-License-Identifier: MIT
/// \file  ladder/program/list_command.hpp
/// \brief The command that lists the rungs: for people as a table, for programs as JSON.
#pragma once

#include <CLI/CLI.hpp>

#include "ladder/program/command_line.hpp"

namespace ladder {

void add_list_options(CLI::App& command, Options& options);

/// \brief  Prints the table; with --json writes what rung_facts() says instead.
/// \return kGood
int list_command(const Options& options);

}  // namespace ladder
