// SPDX-License-Identifier: MIT
/// \file  bench/benchmark/energy_main.cpp
/// \brief The `energy` program: what a product takes in joules, and how that depends on the numbers
///        in A and B.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "bench/benchmark/energy.hpp"
#include "bench/benchmark/roofs.hpp"
#include "common/nvml.hpp"
#include "common/output_file.hpp"
#include "common/results_context.hpp"
#include "common/terminal/text_table.hpp"
#include "ladder/program/climb.hpp"
#include "ladder/program/command_line.hpp"
#include "ladder/program/rotating_buffers.hpp"

namespace ladder::bench {
namespace {

using nlohmann::json;

constexpr int kSmallest = 2048;  // below, the launches take the host longer than the GPU

struct Arguments {
  std::vector<int> sizes = {4096, 8192};
  std::vector<std::string> rungs = {"14", "22"};
  int rounds = 3;
  std::string json;
};

/// A kernel that is launched on one kind of inputs or another.
struct Kernel {
  std::string name;
  std::string precision;
  int sets;
  std::function<void(std::size_t inputs, int counter)> launch;
};

/// \brief  A and B for all kinds of inputs, and C, in as many sets as make L2 cold.
/// \tparam T  element type
template <class T>
class Operands {
 public:
  Operands(Machine& machine, int size)
      : size_(size),
        elements_(static_cast<std::size_t>(size) * static_cast<std::size_t>(size)),
        sets_(buffer_sets({size, size, size}, kFormatOf<T>, machine.l2_bytes())) {
    const double matrices = sets_ * (2.0 * input_kinds().size() + 1.0);
    require_memory(machine, {size, size, size}, kFormatOf<T>, matrices * elements_ * sizeof(T));
    for (const InputKind& kind : input_kinds()) {
      add(machine, kind, {.seed = 1, .array = 0}, a_);
      add(machine, kind, {.seed = 1, .array = 1}, b_);
    }
    for (int set = 0; set < sets_; ++set)
      c_.emplace_back(machine, elements_);
  }

  int sets() const { return sets_; }

  Gemm<T> gemm(std::size_t inputs, int counter) const {
    const auto set = static_cast<std::size_t>(counter % sets_);
    const std::size_t at = inputs * static_cast<std::size_t>(sets_) + set;
    return {size_, size_, size_, 1.0f, a_[at].data(), b_[at].data(), 0.0f, c_[set].data()};
  }

 private:
  void add(Machine& machine, const InputKind& kind, const RandomArray& random,
           std::vector<MachineArray<T>>& matrices) const {
    std::vector<T> host(elements_);
    for (std::size_t i = 0; i < elements_; ++i)
      host[i] = static_cast<T>(kind.element(random, i, elements_));
    for (int set = 0; set < sets_; ++set) {
      matrices.emplace_back(machine, elements_);
      machine.copy_from_host(matrices.back().data(), host.data(), elements_ * sizeof(T));
    }
  }

  int size_;
  std::size_t elements_;
  int sets_;
  std::vector<MachineArray<T>> a_, b_;  // (kinds, sets)
  std::vector<MachineArray<T>> c_;
};

/// The rungs, all of one precision, and the best of cublasLt.
template <class T>
void add_kernels(Machine& machine, Stopwatch& stopwatch, const std::vector<Rung>& rungs, int size,
                 std::vector<Kernel>& kernels) {
  const Precision& precision = rungs.front().precision;
  const auto operands = std::make_shared<Operands<T>>(machine, size);
  const auto add = [&](std::string name, Run run) {
    kernels.push_back({std::move(name), std::string(precision.name), operands->sets(),
                       [operands, &stopwatch, run = std::move(run)](std::size_t inputs, int i) {
                         run(operands->gemm(inputs, i), stopwatch.stream());
                       }});
  };
  for (const Rung& rung : rungs)
    add(folder(rung), rung.run);
  add(best_cublaslt_name(precision),
      machine.tuned_vendor_gemm(
          precision, [&](int counter) { return operands->gemm(0, counter); }, stopwatch));
}

std::vector<Rung> rungs_of(const Machine& machine, const Arguments& arguments) {
  std::vector<Rung> found;
  for (const std::string& name : arguments.rungs) {
    const Rung& rung = find_rung(rungs(), name);
    if (const auto why = why_not_on(rung, machine.compute_capability(), machine.name()))
      throw MachineError(*why);
    found.push_back(rung);
  }
  return found;
}

/// \throws std::runtime_error  a rung is wrong, or refuses the size
void verify(Machine& machine, const std::vector<Rung>& chosen, int size) {
  const Climb climbed = climb(machine, {.ladder = rungs(),
                                        .chosen = chosen,
                                        .problem = {.shape = {size, size, size}},
                                        .small_too = false});
  for (const Entry& entry : climbed.entries) {
    if (entry.outcome == Outcome::right) continue;
    throw std::runtime_error(fmt::format("{} at {}: {}", label(entry.rung), size, note_of(entry)));
  }
}

std::string cell(const json& value, const char* format) {
  return value.is_null() ? "-" : fmt::format(fmt::runtime(format), value["value"].get<double>());
}

void print(const std::vector<json>& entries) {
  TextTable table({6, -20, -8, 9, 6, 6, 9, 9});
  table.heading({"size", "kernel", "inputs", "ms", "MHz", "W", "J", "pJ/FLOP"});
  for (const json& entry : entries) {
    table.row({entry["m"].dump(), entry["name"].get<std::string>(),
               entry["inputs"].get<std::string>(), cell(entry["time_ms"], "{:.4f}"),
               cell(entry["sm_mhz"], "{:.0f}"), cell(entry["counter_w"], "{:.0f}"),
               cell(entry["joules_by_counter"], "{:.4f}"),
               cell(entry["pj_per_flop_by_counter"], "{:.3f}")});
  }
  fmt::print("{}", table.text());
  std::fflush(stdout);
}

Reading read(const Nvml& nvml) {
  const auto first = [](const std::vector<double>& log) {
    return log.empty() ? std::nullopt : std::optional(log.front());
  };
  ClockLog log;
  nvml.log(log);
  return {.sm_mhz = first(log.sm_mhz),
          .power_w = first(log.power_w),
          .power_capped = nvml.power_capped()};
}

void add_to(ClockLog& clocks, const TurnResult& result) {
  if (result.sm_mhz) clocks.sm_mhz.push_back(*result.sm_mhz);
  if (result.power_w) clocks.power_w.push_back(*result.power_w);
}

/// \param clocks  gets the means of all turns
std::vector<json> entries_of_size(Machine& machine, const Nvml& nvml,
                                  const std::vector<Rung>& chosen, int size, int rounds,
                                  ClockLog& clocks) {
  const std::unique_ptr<Stopwatch> stopwatch = machine.make_stopwatch();
  verify(machine, chosen, size);
  std::vector<Kernel> kernels;
  for (const Precision& precision : precisions_of(chosen)) {
    std::vector<Rung> of_precision;
    for (const Rung& rung : chosen)
      if (rung.precision == precision) of_precision.push_back(rung);
    with_element_of(precision.stored, [&]<class T>(T) {
      add_kernels<T>(machine, *stopwatch, of_precision, size, kernels);
    });
  }
  const std::size_t kinds = input_kinds().size();
  std::vector<Measured> measured;
  for (const Kernel& kernel : kernels)
    for (const InputKind& kind : input_kinds())
      measured.push_back({kernel.name, kernel.precision, size, kind});
  const TurnTimes times;
  for (int round = 0; round < rounds; ++round) {
    for (const Turn& turn : turns_of(kernels.size(), kinds, round)) {
      const Kernel& kernel = kernels[turn.kernel];
      const Candidate candidate = {
          kernel.name, [&](int counter) { kernel.launch(turn.inputs, counter); }, kernel.sets};
      const TurnLog log = run_turn(
          *stopwatch, candidate, times, [&] { return nvml.joules(); }, [&] { return read(nvml); });
      std::vector<TurnResult>& results = measured[turn.kernel * kinds + turn.inputs].rounds;
      results.push_back(result_of(log, times));
      add_to(clocks, results.back());
    }
  }
  std::vector<json> entries(measured.size());
  std::ranges::transform(measured, entries.begin(), entry_of);
  return entries;
}

int energy_command(const Arguments& arguments) {
  const std::unique_ptr<Machine> machine = make_gpu_machine();
  const std::vector<Rung> chosen = rungs_of(*machine, arguments);
  const Nvml nvml;
  require_meter(nvml.joules(), read(nvml));
  const OutputFile file(arguments.json.empty() ? std::filesystem::path(roofs_path(machine->name()))
                                                     .replace_filename("energy.json")
                                                     .string()
                                               : arguments.json);
  const TurnTimes times;
  const std::size_t kernels = chosen.size() + precisions_of(chosen).size();
  fmt::print("{}: {} kernels on {} kinds of inputs, {} rounds: about {:.1f} minutes\n",
             machine->name(), kernels, input_kinds().size(), arguments.rounds,
             times.all() * kernels * input_kinds().size() * arguments.rounds *
                 arguments.sizes.size() / 60);
  ClockLog clocks;
  json entries = json::array();
  for (const int size : arguments.sizes) {
    const std::vector<json> found =
        entries_of_size(*machine, nvml, chosen, size, arguments.rounds, clocks);
    print(found);
    for (const json& entry : found)
      entries.push_back(entry);
    json context =
        results_context(machine->name(), Protocol::sustained, clocks, machine->versions());
    context["rest_s"] = times.rest;
    context["warm_s"] = times.warm;
    context["counted_s"] = times.counted;
    context["rounds"] = arguments.rounds;
    file.write(file_text(json{{"context", context}, {"benchmarks", entries}}));
  }
  return kGood;
}

}  // namespace
}  // namespace ladder::bench

int main(int argc, char** argv) {
  using namespace ladder;
  using namespace ladder::bench;
  Arguments arguments;
  CLI::App app("Measures joules per product, with random numbers, zeros and others in A and B.",
               "energy");
  app.add_option("rungs", arguments.rungs, "numbers or names; the best of cublasLt comes with them")
      ->capture_default_str();
  app.add_option("--size", arguments.sizes, "M = N = K, one or more, from 2048 on")
      ->transform(decimal())
      ->check(CLI::Range(kSmallest, 32768))
      ->capture_default_str();
  app.add_option("--rounds", arguments.rounds, "turns of each kernel on each kind of inputs")
      ->transform(decimal())
      ->check(CLI::Range(2, 100))
      ->capture_default_str();
  app.add_option("--json", arguments.json, "results file (bench/results/GPU/energy.json)");
  return run_command_line(app, argc, argv, [&] { return energy_command(arguments); });
}
