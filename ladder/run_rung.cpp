// SPDX-License-Identifier: MIT
/// \file  ladder/run_rung.cpp
/// \brief The executable of a single rung, named after its folder.
#include <filesystem>

#include "ladder/run_command.hpp"

int main(int argc, char** argv) {
  using namespace ladder;
  const std::string name = std::filesystem::path(argv[0]).filename().string();
  CLI::App app("Verifies this rung, and on a GPU times it against cuBLAS.", name);
  Options options;
  options.rungs = {LADDER_RUNG};
  add_problem_options(app, options);
  add_explain_option(app, options);
  return run_command_line(app, argc, argv, [&] { return run_command(options); });
}
