// SPDX-License-Identifier: MIT
/// \file  bench/benchmark/main.cpp
/// \brief The `benchmark` program: rungs against cuBLAS over sets of shapes, and a GPU's roofs.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/benchmark/configuration_times.hpp"
#include "bench/benchmark/gemm_rows.hpp"
#include "bench/benchmark/plan.hpp"
#include "bench/benchmark/reporters.hpp"
#include "bench/benchmark/roofs.hpp"
#include "bench/benchmark/shapes.hpp"
#include "common/output_file.hpp"
#include "common/standard_output.hpp"
#include "common/terminal/progress.hpp"
#include "ladder/program/command_line.hpp"
#include "ladder/program/print.hpp"
#include "ladder/program/results.hpp"

namespace ladder::bench {
namespace {

struct Arguments {
  std::vector<std::string> rungs;
  std::string shapes = "squares";
  std::string protocol = "auto";
  std::string roofs_file;
  bool roofs = false;
  bool list = false;
  bool list_shapes = false;
  std::string shapes_file;
  std::string configurations_file;
};

void add_options(CLI::App& app, Arguments& arguments) {
  app.add_option("--rungs", arguments.rungs, "numbers or names (the highest rung)");
  app.add_option("--shapes", arguments.shapes, "sets or MxNxK, separated by commas")
      ->capture_default_str();
  app.add_option("--protocol", arguments.protocol, "auto: graph for short launches, else burst")
      ->check(CLI::IsMember({"auto", "burst", "sustained", "graph"}))
      ->capture_default_str();
  app.add_flag("--list", arguments.list, "list the names of the rows, and measure nothing");
  app.add_flag("--list-shapes", arguments.list_shapes, "list the sets of shapes");
  app.add_option("--json", arguments.shapes_file, "with --list-shapes: write them to this file");
  app.add_option("--configurations", arguments.configurations_file,
                 "time the configurations of one rung instead, and\nwrite them to this file");
  app.add_flag("--roofs", arguments.roofs, "measure the roofs of this GPU instead");
  app.add_option("--roofs-file", arguments.roofs_file, "their file (bench/results/GPU/roofs.json)");
}

/// The value of one of Google Benchmark's flags; empty when it is not given.
std::string flag_value(int argc, char** argv, const std::string& flag) {
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument.starts_with(flag + "=")) return argument.substr(flag.size() + 1);
  }
  return "";
}

/// The rungs that this program measures; a build without CUDA only lists them.
std::span<const Rung> table() {
  return rungs().empty() ? emulated_rungs() : rungs();
}

std::unique_ptr<Machine> gpu() {
  try {
    return make_gpu_machine();
  } catch (const MachineError& error) {
    throw MachineError(
        fmt::format("{}. The benchmark needs a GPU: on the emulator, time says "
                    "nothing. make trace and make check run without one",
                    error.what()));
  }
}

PlanRequest request_of(const Arguments& arguments) {
  PlanRequest request{.rungs = {},
                      .shapes = parse_shapes(arguments.shapes),
                      .protocol = {},
                      .filter = benchmark::GetBenchmarkFilter(),
                      .compute_capability = 0};
  for (const std::string& rung : arguments.rungs)
    request.rungs.push_back(find_rung(table(), rung));
  if (request.rungs.empty()) request.rungs.push_back(table().back());
  if (arguments.protocol != "auto") request.protocol = protocol_named(arguments.protocol);
  return request;
}

int list_rows(PlanRequest request) {
  request.compute_capability = kEveryComputeCapability;  // a row that no GPU here runs is a row
  const Plan plan = make_plan(table(), request);
  for (const Job& job : plan.jobs) {
    for (const Row& row : job.rows)
      fmt::print("{}\n", row.name);
  }
  for (const Refusal& refusal : plan.refusals)
    fmt::print("{}", wrapped(fmt::format("{}: {}", refusal.row, refusal.sentence), 2));
  return kGood;
}

/// The sets that were chosen by hand, one shape to a line, and which are replayed as graphs.
std::string shapes_json() {
  std::string text;
  for (const KnownShape& known : known_shapes()) {
    const auto& [M, N, K] = known.shape;
    const nlohmann::ordered_json entry = {
        {"set", known.set}, {"shape", {M, N, K}}, {"reason", known.reason}};
    text += (text.empty() ? "\n" : ",\n") + entry.dump();
  }
  return fmt::format("{{\"graph_below_flop\":{},\n\"shapes\":[{}\n]}}\n",
                     nlohmann::json(kGraphBelowFlop).dump(), text);
}

int list_shapes(const std::string& json) {
  if (!json.empty()) {
    OutputFile(json).write(shapes_json());
    return kGood;
  }
  for (const KnownShape& known : known_shapes()) {
    fmt::print("{}",
               wrapped(fmt::format("{} {}: {}", known.set, name_of(known.shape), known.reason), 2));
  }
  fmt::print("{}", wrapped(fmt::format("drawn: {} shapes drawn at random with seed {}; `--list "
                                       "--shapes drawn` shows them",
                                       kDrawnShapes, kDrawnSeed),
                           2));
  return kGood;
}

int roofs_command(const Arguments& arguments) {
  const std::unique_ptr<Machine> machine = gpu();
  const std::string path =
      arguments.roofs_file.empty() ? roofs_path(machine->name()) : arguments.roofs_file;
  if (arguments.roofs_file.empty()) {
    std::filesystem::create_directories(std::filesystem::path(path).parent_path());
  }
  const OutputFile file(path);
  const Protocol protocol =
      arguments.protocol == "auto" ? Protocol::burst : protocol_named(arguments.protocol);
  Progress progress;
  const std::vector<RoofFigure> figures =
      measure_roofs(*machine, protocol, [&](double done) { progress.show("roofs", done); });
  progress.clear();
  file.write(file_text(to_json(figures, machine->name(), protocol, machine->versions())));
  fmt::print("{}, {}\n{}Results written to {}.\n", machine->name(), ladder::name_of(protocol),
             roofs_text(figures), path);
  return kGood;
}

int configurations_command(const Arguments& arguments) {
  PlanRequest request = request_of(arguments);
  std::erase_if(request.shapes,
                [](const Shape& shape) { return protocol_for(shape) != Protocol::graph; });
  const OutputFile file(arguments.configurations_file);
  const std::unique_ptr<Machine> machine = gpu();
  Progress progress;
  double shown = 0;
  const nlohmann::json times = configuration_times(
      *machine, table(), request.rungs.at(0), request.shapes,
      request.protocol.value_or(Protocol::graph), [&](const nlohmann::json& so_far) {
        const double done = 1.0 * so_far["benchmarks"].size() / request.shapes.size();
        progress.show("configurations", done);
        if (done - shown < 0.02) return;
        shown = done;
        file.write(configuration_times_text(so_far));
      });
  progress.clear();
  file.write(configuration_times_text(times));
  return kGood;
}

/// What is worth knowing before a long wait. On standard error: the output may be JSON.
void print_announcement(const Machine& machine, const Plan& plan,
                        const std::optional<Roof>& measured) {
  for (const Refusal& refusal : plan.refusals)
    fmt::print(stderr, "{}", wrapped(fmt::format("Left out: {}.", refusal.sentence), 2));
  if (!measured) {
    fmt::print(stderr,
               "No measured roofs of this GPU: the results hold no share of them (make roofs).\n");
  }
  std::size_t rows = 0;
  for (const Job& job : plan.jobs)
    rows += job.rows.size();
  fmt::print(stderr, "{}: {} shapes, {} rows, about {:.0f} s.\n", machine.name(), plan.jobs.size(),
             rows, expected_seconds(plan, *machine.roof(), machine.l2_bytes(), recorded_climb()));
}

int benchmark_command(const Arguments& arguments, const std::string& out_file) {
  PlanRequest request = request_of(arguments);
  // Google Benchmark would find out after the measurement, and end with 1.
  if (!out_file.empty()) OutputFile{out_file};
  const std::unique_ptr<Machine> machine = gpu();
  request.compute_capability = machine->compute_capability();
  const Plan plan = make_plan(table(), request);
  require_memory(*machine, plan);
  const std::optional<Roof> measured = measured_roof(
      arguments.roofs_file.empty() ? roofs_path(machine->name()) : arguments.roofs_file);
  print_announcement(*machine, plan, measured);

  Progress progress;
  GemmRows rows(*machine, table(), plan, measured, [&](const std::string& phase, double done) {
    progress.show(phase, done);
    if (done >= 1.0) progress.clear();
  });
  rows.register_rows();
  add_context(*machine, plan, arguments.protocol);
  run_registered(!out_file.empty());
  return rows.all_right() ? kGood : kWrong;
}

}  // namespace
}  // namespace ladder::bench

int main(int argc, char** argv) {
  using namespace ladder;
  using namespace ladder::bench;
  static Arguments arguments;
  static CLI::App app("Measures rungs against cuBLAS and the best of cublasLt on a GPU.",
                      "benchmark");
  add_options(app, arguments);
  const std::string out_file = flag_value(argc, argv, "--benchmark_out");
  const std::string out_format = flag_value(argc, argv, "--benchmark_out_format");
  benchmark::Initialize(&argc, argv, [] {
    fmt::print("{}\nGoogle Benchmark's own:\n", app.help());
    benchmark::PrintDefaultHelp();
    try {
      finish_standard_output();
    } catch (const std::exception& error) {
      fmt::print(stderr, "benchmark: {}\n", error.what());
      std::exit(kBadUsage);
    }
  });
  return run_command_line(app, argc, argv, [&] {
    if (!out_format.empty() && out_format != "json") {
      throw std::invalid_argument("--benchmark_out_format: results files are JSON");
    }
    if (arguments.list_shapes) return list_shapes(arguments.shapes_file);
    if (arguments.list) return list_rows(request_of(arguments));
    if (arguments.roofs) return roofs_command(arguments);
    if (!arguments.configurations_file.empty()) return configurations_command(arguments);
    return benchmark_command(arguments, out_file);
  });
}
