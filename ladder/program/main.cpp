// SPDX-License-Identifier: MIT
/// \file  ladder/program/main.cpp
/// \brief The `ladder` program: list, climb, predict, run, trace, check.
#include <stdexcept>
#include <vector>

#include "ladder/program/check_command.hpp"
#include "ladder/program/command_line.hpp"
#include "ladder/program/list_command.hpp"
#include "ladder/program/newer_sources.hpp"
#include "ladder/program/predict_command.hpp"
#include "ladder/program/run_command.hpp"
#include "ladder/program/trace_command.hpp"

int main(int argc, char** argv) {
  using namespace ladder;
  CLI::App app("Climbs a ladder of CUDA matrix-multiplication kernels, on a GPU or without one.",
               "ladder");
  app.require_subcommand(0, 1);
  Options options;
  Options listed;
  add_list_options(*app.add_subcommand("list", "list the rungs"), listed);
  CLI::App* climb = app.add_subcommand("climb", "verify and time all rungs");
  PredictArguments predicted;
  CLI::App* predict = app.add_subcommand("predict", "predict what a rung does, before you run it");
  add_predict_options(*predict, predicted);
  CLI::App* run = app.add_subcommand("run", "verify and time the rungs you name");
  run->add_option("rung", options.rungs, "numbers or names, e.g. 03 or shared_tile")->required();
  add_problem_options(*climb, options);
  add_problem_options(*run, options);
  add_explain_option(*run, options);
  TraceArguments arguments;
  CLI::App* trace = app.add_subcommand("trace", "show what a rung asks of memory, line by line");
  CLI::App* check = app.add_subcommand("check", "look for races, bad accesses and wrong barriers");
  add_trace_options(*trace, arguments);
  add_check_options(*check, arguments);
  return run_command_line(app, argc, argv, [&] {
    if (app.get_subcommands().empty()) {
      throw std::invalid_argument(
          "give a command: list, climb, predict, run, trace or check; --help explains them");
    }
    if (trace->parsed() || check->parsed()) tell_newer_sources(arguments.options.rungs);
    if (run->parsed() || climb->parsed()) tell_newer_sources(options.rungs);
    if (trace->parsed()) return trace_command(arguments);
    if (check->parsed()) return check_command(arguments);
    if (predict->parsed()) return predict_command(predicted);
    if (run->parsed()) return run_command(options);
    if (climb->parsed()) {
      const bool shape_given = options.size || options.M || options.N || options.K;
      ClimbExtras extras;
      extras.after = [&](const Climb& result) {
        if (result.on_gpu) return;
        std::vector<Rung> right;
        for (const Entry& entry : result.entries) {
          if (entry.outcome == Outcome::right) {
            right.push_back(find_rung(traced_rungs(), entry.rung.name));
          }
        }
        print_gains(right, result.problem, shape_given);
      };
      return climb_command(options, extras);
    }
    return list_command(listed);
  });
}
