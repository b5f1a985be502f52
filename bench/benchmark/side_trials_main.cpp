// SPDX-License-Identifier: MIT
/// \file  bench/benchmark/side_trials_main.cpp
/// \brief The `side_trials` program: what it is worth that clusters know their side of L2.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/benchmark/roofs.hpp"
#include "bench/benchmark/side_trials.hpp"
#include "common/output_file.hpp"
#include "ladder/program/climb.hpp"
#include "ladder/program/command_line.hpp"
#include "ladder/program/results.hpp"

namespace ladder::l2_sides {

void run_with(const Gemm<bfloat16>& gemm, const side_aware::SideBits* sides, Stream stream);

}  // namespace ladder::l2_sides

namespace ladder::bench {
namespace {

struct Arguments {
  std::vector<int> sizes = {4096, 8192, 16384};
  std::string protocol = "burst";
  std::string json;
};

/// Rung 21 under the names of the trials.
std::vector<Rung> rungs_of(const std::vector<SideTrial>& trials) {
  std::vector<Rung> found;
  for (const SideTrial& trial : trials) {
    Rung rung = find_rung(rungs(), "l2_sides");
    rung.name = trial.name;
    rung.idea = trial.what;
    rung.run = [&trial](const Gemm<bfloat16>& gemm, Stream stream) {
      l2_sides::run_with(gemm, trial.sides ? &*trial.sides : nullptr, stream);
    };
    found.push_back(rung);
  }
  return found;
}

nlohmann::json entry_of(const SideTrial& trial, const Entry& entry) {
  if (!entry.timing) throw std::runtime_error(fmt::format("{}: {}", trial.name, note_of(entry)));
  const Timing& timing = *entry.timing;
  return {{"name", trial.name},         {"what", trial.what},
          {"m", entry.problem.shape.M}, {"n", entry.problem.shape.N},
          {"k", entry.problem.shape.K}, {"time_ms", timing.time_ms},
          {"tflops", timing.tflops},    {"ratio_to_best", timing.ratio_to_best},
          {"spread", timing.spread},    {"samples_ms", timing.samples_ms}};
}

std::string side_trials_path(const std::string& device) {
  return std::filesystem::path(roofs_path(device)).replace_filename("side_trials.json");
}

int trials_command(const Arguments& arguments) {
  const std::unique_ptr<Machine> machine = make_gpu_machine();
  const auto found = found_sides();
  if (!found) {
    throw std::invalid_argument(machine->name() + " has no two sides of L2 that could be found");
  }
  fmt::print("{}: {} of {} SMs on the other side than SM 0, {:.1f} % held out\n", machine->name(),
             found->on_side_1, found->multiprocessors, 100 * found->held_out);
  const OutputFile file(arguments.json.empty() ? side_trials_path(machine->name())
                                               : arguments.json);
  const Protocol protocol = protocol_named(arguments.protocol);
  const std::vector<SideTrial> trials = side_trials(*found);
  ClockLog clocks;
  nlohmann::json entries = nlohmann::json::array();
  for (const int size : arguments.sizes) {
    const Climb climbed = climb(*machine, {.ladder = rungs(),
                                           .chosen = rungs_of(trials),
                                           .problem = {.shape = {size, size, size}},
                                           .protocol = protocol,
                                           .small_too = false});
    for (std::size_t i = 0; i < trials.size(); ++i) {
      entries.push_back(entry_of(trials[i], climbed.entries[i]));
      fmt::print("{:6} {:<14} {:9.4f} ms {:9.4f} of best\n", size, trials[i].name,
                 climbed.entries[i].timing->time_ms, climbed.entries[i].timing->ratio_to_best);
    }
    const ClockLog read = clocks_of(climbed);
    clocks.sm_mhz.insert(clocks.sm_mhz.end(), read.sm_mhz.begin(), read.sm_mhz.end());
    clocks.power_w.insert(clocks.power_w.end(), read.power_w.begin(), read.power_w.end());
  }
  nlohmann::json context = results_context(machine->name(), protocol, clocks, machine->versions());
  context["sms"] = found->multiprocessors;
  context["sms_of_side_1"] = found->on_side_1;
  context["held_out"] = found->held_out;
  file.write(file_text(nlohmann::json{{"context", context}, {"benchmarks", entries}}));
  return kGood;
}

}  // namespace
}  // namespace ladder::bench

int main(int argc, char** argv) {
  using namespace ladder;
  using namespace ladder::bench;
  Arguments arguments;
  CLI::App app("Times rung 21 on the right sides of L2, on wrong ones, any, and none.",
               "side_trials");
  app.add_option("--size", arguments.sizes, "M = N = K, one or more")
      ->transform(decimal())
      ->capture_default_str();
  app.add_option("--protocol", arguments.protocol, "burst, sustained or graph")
      ->capture_default_str();
  app.add_option("--json", arguments.json, "results file (bench/results/GPU/side_trials.json)");
  return run_command_line(app, argc, argv, [&] { return trials_command(arguments); });
}
