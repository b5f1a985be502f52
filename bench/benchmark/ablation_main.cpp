// SPDX-License-Identifier: MIT
/// \file  bench/benchmark/ablation_main.cpp
/// \brief The `ablation` program: what a rung gains when a part of it is taken away.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/benchmark/ablation_run.hpp"
#include "common/output_file.hpp"
#include "common/terminal/progress.hpp"
#include "ladder/program/command_line.hpp"
#include "ladder/program/results.hpp"

namespace ladder::bench {
namespace {

constexpr unsigned kPatienceSeconds = 30;
constexpr int kStuck = 3;  ///< exit code: a copy did not end

struct Arguments {
  std::vector<std::string> only;
  std::vector<std::string> leave_out;
  std::vector<int> sizes = {4096, 8192};
  std::string protocol = "burst";
  std::string json;
  bool list = false;
};

std::string stuck_message;  ///< complete before the alarm is set, as a handler may only write it

void stuck(int) {
  if (write(STDERR_FILENO, stuck_message.data(), stuck_message.size()) < 0) _exit(kStuck + 1);
  _exit(kStuck);
}

/// Ends the program when a copy does not end; an empty name calls that off.
void watch(const std::string& name) {
  alarm(0);
  if (name.empty()) return;
  stuck_message =
      fmt::format("ablation: {0} has not ended after {1} s. Run the others: --leave-out {0}\n",
                  name, kPatienceSeconds);
  std::signal(SIGALRM, stuck);
  alarm(kPatienceSeconds);
}

bool named(const std::vector<std::string>& names, const Ablation& ablation) {
  return std::ranges::any_of(names, [&](const std::string& name) {
    return ablation.name == name || ablation.rung == name;
  });
}

std::vector<Ablation> chosen(const Arguments& arguments) {
  for (const std::vector<std::string>* names : {&arguments.only, &arguments.leave_out}) {
    for (const std::string& name : *names) {
      if (std::ranges::none_of(ablations(), [&](const Ablation& a) { return named({name}, a); })) {
        throw std::invalid_argument(
            fmt::format("there is no copy, and no rung with copies, called {}: see --list", name));
      }
    }
  }
  std::vector<Ablation> found;
  for (const Ablation& ablation : ablations()) {
    if (!arguments.only.empty() && !named(arguments.only, ablation)) continue;
    if (!named(arguments.leave_out, ablation)) found.push_back(ablation);
  }
  if (found.empty()) throw std::invalid_argument("no copy is left: --list has their names");
  return found;
}

int ablation_command(const Arguments& arguments) {
  const std::vector<Ablation> copies = chosen(arguments);
  const std::unique_ptr<Machine> machine = make_gpu_machine();
  const Protocol protocol = protocol_named(arguments.protocol);
  const std::string path =
      arguments.json.empty() ? ablations_path(machine->name()) : arguments.json;
  if (arguments.json.empty()) {
    std::filesystem::create_directories(std::filesystem::path(path).parent_path());
  }
  const OutputFile file(path);
  for (const Ablation& copy : copies) {
    const Rung& rung = find_rung(rungs(), copy.rung);
    const std::optional<Refusal> why_not =  // copies of Hopper's rungs are compiled for it alone
        why_not_on(rung, machine->compute_capability(), machine->name(), "90a");
    if (why_not) {
      throw std::invalid_argument(
          fmt::format("{} {}: --leave-out {}", copy.name, text_of(*why_not), copy.rung));
    }
  }
  Progress progress;
  std::vector<AblationRun> runs;
  fmt::print("{}, {}\n", machine->name(), name_of(protocol));
  for (const int size : arguments.sizes) {
    runs.push_back(measure_ablations(
        *machine, rungs(), copies, {.shape = {size, size, size}}, protocol,
        {.on_try = watch, .on_progress = [&](const std::string& phase, double done) {
           progress.show(phase, done);
         }}));
    progress.clear();
    fmt::print("{}", ablation_text(runs.back()));
    std::fflush(stdout);
  }
  file.write(file_text(to_json(runs, machine->name(), protocol, machine->versions())));
  fmt::print("\nResults written to {}.\n", path);
  return kGood;
}

int list_command() {
  for (const Ablation& ablation : ablations())
    fmt::print("{:<26} {}\n", ablation.name, ablation.taken_away);
  return kGood;
}

}  // namespace
}  // namespace ladder::bench

int main(int argc, char** argv) {
  using namespace ladder;
  using namespace ladder::bench;
  Arguments arguments;
  CLI::App app("Times copies of rungs from which something was taken away, on a GPU.", "ablation");
  app.add_option("--only", arguments.only, "names of copies, or of rungs such as 14_every_shape");
  app.add_option("--leave-out", arguments.leave_out, "names of copies, or of rungs");
  app.add_option("--size", arguments.sizes, "M = N = K, one or more")
      ->transform(decimal())
      ->capture_default_str();
  app.add_option("--protocol", arguments.protocol, "burst, sustained or graph")
      ->capture_default_str();
  app.add_option("--json", arguments.json, "results file (bench/results/GPU/ablations.json)");
  app.add_flag("--list", arguments.list, "list the copies, and measure nothing");
  return run_command_line(app, argc, argv, [&] {
    return arguments.list ? list_command() : ablation_command(arguments);
  });
}
