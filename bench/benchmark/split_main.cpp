// SPDX-License-Identifier: MIT
/// \file  bench/benchmark/split_main.cpp
/// \brief The `split_precision` program: how exact and how fast rung 23 is, on easy and on hard
///        inputs.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <array>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "bench/benchmark/roofs.hpp"
#include "bench/benchmark/split_sums.hpp"
#include "bench/benchmark/split_times.hpp"
#include "common/output_file.hpp"
#include "common/results_context.hpp"
#include "common/terminal/progress.hpp"
#include "common/terminal/text_table.hpp"
#include "ladder/program/command_line.hpp"

namespace ladder::bench {
namespace {

using nlohmann::json;

constexpr std::array kLengths = {64, 256, 1024, 4096, 16384};  // of sums, along K

struct Arguments {
  std::vector<int> sizes = {2048, 4096, 8192, 16384};
  std::string protocol = "burst";
  std::string device = "gpu";
  std::string json;
  std::vector<int> hard = {256, 192, 2048};
  bool sums = false;
};

std::string cell(const json& value, const char* format) {
  return value.is_null() ? "-" : fmt::format(fmt::runtime(format), value.get<double>());
}

void print(const TextTable& table) {
  fmt::print("{}", table.text());
  std::fflush(stdout);
}

/// Of one size.
void print_times(const json& rows) {
  TextTable table({6, -15, 9, 8, 8, 9, 8});
  table.heading({"size", "product", "ms", "TFLOP/s", "/ SGEMM", "error", "/ bound"});
  for (const json& row : rows) {
    table.row({row["size"].dump(), row["name"].get<std::string>(), cell(row["time_ms"], "{:.4f}"),
               cell(row["tflops"], "{:.2f}"), cell(row["over_sgemm"], "{:.3f}"),
               cell(row["relative_error"], "{:.2e}"), cell(row["error_over_bound"], "{:.3f}")});
    const auto took = row["took"].get<std::string>();
    table.add(wrapped(row["outcome"].get<std::string>() + (took.empty() ? "" : ": " + took), 9, 7));
  }
  print(table);
}

void print_hard(const json& rows) {
  TextTable table({-12, 8, 8, 8, 0});
  table.heading({"input", "/ bound", "error, u", "SGEMM, u", "took"});
  for (const json& row : rows) {
    const auto took = row["took"].get<std::string>();
    table.row({row["name"].get<std::string>(), cell(row["error_over_bound"], "{:.4f}"),
               cell(row["error"], "{:.3g}"), cell(row["error_of_sgemm"], "{:.3g}"),
               took.substr(0, took.find(':'))});
  }
  print(table);
}

void print_sums(const json& rows) {
  constexpr std::array kWays = {"fp32", "parts", "large_first", "small_first", "chunk_512"};
  TextTable table({6, -8, 9, 9, 11, 11, 9});
  std::vector<std::string> heads = {"K", "numbers"};
  heads.insert(heads.end(), kWays.begin(), kWays.end());
  table.heading(heads);
  for (const json& row : rows) {
    std::vector<std::string> cells = {row["k"].dump(),
                                      row["positive"].get<bool>() ? "positive" : "normal"};
    for (const char* way : kWays)
      cells.push_back(cell(row["error"][way], "{:.3g}"));
    table.row(cells);
  }
  print(table);
}

/// Long sums on the emulator's tensor cores, without a rung.
int sums_command(const std::string& path) {
  const std::unique_ptr<Machine> machine = make_cpu_machine();
  std::optional<OutputFile> file;
  if (!path.empty()) file.emplace(path);
  const json rows = split_sums(kLengths);
  print_sums(rows);
  if (!file) return kGood;
  file->write(file_text(
      {{"context", results_context(machine->name(), std::nullopt, {}, machine->versions())},
       {"benchmarks", rows}}));
  fmt::print("\n{}", wrapped(fmt::format("Results written to {}.", path), 0));
  return kGood;
}

int split_command(const Arguments& arguments) {
  if (arguments.sums) return sums_command(arguments.json);
  const bool on_gpu = arguments.device == "gpu";
  const std::unique_ptr<Machine> machine = on_gpu ? make_gpu_machine() : make_cpu_machine();
  const std::span<const Rung> ladder = on_gpu ? rungs() : emulated_rungs();
  const Rung& rung = find_rung(ladder, "split_precision");
  if (const auto why = why_not_on(rung, machine->compute_capability(), machine->name()))
    throw MachineError(*why);
  const std::string path = !arguments.json.empty()
                               ? arguments.json
                               : std::filesystem::path(roofs_path(machine->name()))
                                     .replace_filename("split_precision.json")
                                     .string();
  if (arguments.json.empty())
    std::filesystem::create_directories(std::filesystem::path(path).parent_path());
  const OutputFile file(path);
  const Protocol protocol = protocol_named(arguments.protocol);
  const EmulatedSgemm emulated = on_gpu ? emulated_sgemm(*machine) : EmulatedSgemm{{}, "no GPU"};
  fmt::print("{}\n",
             wrapped(fmt::format("{}, {}. cuBLAS's own emulation: {}", machine->name(),
                                 arguments.protocol, emulated.run ? "runs" : emulated.refusal),
                     0));
  json results = {{"context", results_context(machine->name(), protocol, {}, machine->versions())},
                  {"benchmarks", json::array()},
                  {"emulated_sgemm_refused", emulated.refusal}};
  results["hard_inputs"] = hard_input_results(
      *machine, ladder, rung, {arguments.hard[0], arguments.hard[1], arguments.hard[2]});
  print_hard(results["hard_inputs"]);
  for (const int size : arguments.sizes) {
    const json rows = split_times(*machine, ladder, rung, emulated, size, protocol);
    print_times(rows);
    for (const json& row : rows)
      results["benchmarks"].push_back(row);
  }
  file.write(file_text(results));
  fmt::print("\n{}", wrapped(fmt::format("Results written to {}.", path), 0));
  return kGood;
}

}  // namespace
}  // namespace ladder::bench

int main(int argc, char** argv) {
  using namespace ladder;
  using namespace ladder::bench;
  Arguments arguments;
  CLI::App app("Times rung 23 beside cuBLAS, and looks at its errors.", "split_precision");
  app.add_option("--size", arguments.sizes, "M = N = K, one or more")
      ->transform(decimal())
      ->capture_default_str();
  app.add_option("--hard", arguments.hard, "M N K of the matrices that are hard to split")
      ->expected(3)
      ->transform(decimal())
      ->capture_default_str();
  app.add_option("--protocol", arguments.protocol, "burst, sustained or graph")
      ->capture_default_str();
  app.add_option("--device", arguments.device, "gpu, or cpu: the emulator, without times")
      ->check(CLI::IsMember({"gpu", "cpu"}))
      ->capture_default_str();
  app.add_flag("--sums", arguments.sums,
               "instead: how errors of long sums grow with K, on the emulator's tensor cores");
  app.add_option("--json", arguments.json, "results file (bench/results/GPU/split_precision.json)");
  return run_command_line(app, argc, argv, [&] { return split_command(arguments); });
}
