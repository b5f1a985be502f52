// SPDX-License-Identifier: MIT
/// \file  ladder/main.cpp
/// \brief The `ladder` program: list, climb, run.
#include <fmt/format.h>

#include <stdexcept>

#include "ladder/command_line.hpp"
#include "ladder/print.hpp"

int main(int argc, char** argv) {
  using namespace ladder;
  CLI::App app("Climbs a ladder of CUDA matrix-multiplication kernels, on a GPU or without one.",
               "ladder");
  app.require_subcommand(0, 1);
  Options options;
  app.add_subcommand("list", "list the rungs");
  CLI::App* climb = app.add_subcommand("climb", "verify and time all rungs");
  CLI::App* run = app.add_subcommand("run", "verify and time some rungs");
  run->add_option("rung", options.rungs, "numbers or names, e.g. 03 or shared_tile")->required();
  add_problem_options(*climb, options);
  add_problem_options(*run, options);
  return run_command_line(app, argc, argv, [&] {
    if (app.get_subcommands().empty()) {
      throw std::invalid_argument("give a command: list, climb or run; --help explains them");
    }
    if (!app.got_subcommand("list")) return climb_command(options);
    fmt::print("{}", list_text(emulated_rungs()));
    return kGood;
  });
}
