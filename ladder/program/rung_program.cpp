// SPDX-License-Identifier: MIT
#include "ladder/program/rung_program.hpp"

#include <filesystem>

#include "ladder/program/run_command.hpp"

namespace ladder {

int rung_program(int argc, char** argv, const char* rung) {
  const std::string name = std::filesystem::path(argv[0]).filename().string();
  CLI::App app("Verifies this rung, and on a GPU times it against cuBLAS.", name);
  Options options;
  options.rungs = {rung};
  add_problem_options(app, options);
  add_explain_option(app, options);
  return run_command_line(app, argc, argv, [&] { return run_command(options); });
}

}  // namespace ladder
