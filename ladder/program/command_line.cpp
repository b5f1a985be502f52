// SPDX-License-Identifier: MIT
#include "ladder/program/command_line.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>

#include "common/findings/report.hpp"
#include "common/terminal/progress.hpp"
#include "emulator/run/settings.hpp"
#include "ladder/program/climb.hpp"
#include "ladder/program/print.hpp"
#include "ladder/program/results.hpp"
#include "ladder/program/rung_findings.hpp"
#include "ladder/program/small_problems.hpp"

namespace ladder {
namespace {

constexpr int kGpuSize = 4096;
constexpr int kCpuSize = 256;

/// `auto` takes the GPU where there is one; `why_not_gpu` then says why it did not.
std::unique_ptr<Machine> choose_machine(const std::string& device, std::string& why_not_gpu) {
  if (device == "cpu") return make_cpu_machine();
  try {
    return make_gpu_machine();
  } catch (const MachineError& error) {
    if (device == "gpu") {
      throw MachineError(
          fmt::format("{}. Run with --device cpu to use the emulator", error.what()));
    }
    why_not_gpu = error.what();
    return make_cpu_machine();
  }
}

/// A factor; nobody means a hexadecimal one.
CLI::Validator not_hexadecimal() {
  return CLI::Validator(
      [](std::string& text) -> std::string {
        if (text.find_first_of("xX") == std::string::npos) return "";
        return fmt::format("{} is no decimal number such as 0.5", text);
      },
      "");
}

/// All that std::uint64_t holds, in decimal digits.
CLI::Validator seed() {
  return CLI::Validator(
      [](std::string& text) -> std::string {
        std::uint64_t value = 0;
        const char* const end = text.data() + text.size();
        const auto [rest, error] = std::from_chars(text.data(), end, value);
        if (text.empty() || error != std::errc() || rest != end) {
          return fmt::format("{} is no seed: give a whole number from 0 to {}", text,
                             std::numeric_limits<std::uint64_t>::max());
        }
        text = fmt::format("{}", value);
        return "";
      },
      "");
}

int exit_code(const Climb& climb) {
  const auto any = [&](Outcome outcome) {
    return std::ranges::any_of(climb.entries,
                               [&](const Entry& entry) { return entry.outcome == outcome; });
  };
  if (any(Outcome::wrong)) return kWrong;
  return any(Outcome::right) ? kGood : kBadUsage;
}

bool user_gives_sms() {
  return std::getenv("LADDER_MULTIPROCESSORS") != nullptr;
}

}  // namespace

DeviceCard modelled_card(const std::string& gpu) {
  DeviceCard card = load_card(gpu);
  if (user_gives_sms()) card.sms = emulator::multiprocessors();
  return card;
}

std::string sms_of(const DeviceCard& card) {
  return user_gives_sms() ? "LADDER_MULTIPROCESSORS" : card.name;
}

void add_shape_options(CLI::App& command, Options& options, const std::string& default_size) {
  CLI::Validator extent = CLI::Range(1, kMaxExtent);
  extent.description("");  // the help lists options, not their ranges
  command.add_option("--size", options.size, fmt::format("M = N = K ({})", default_size))
      ->transform(decimal())
      ->check(extent);
  command.add_option("--m,--M", options.M, "rows of A and C")->transform(decimal())->check(extent);
  command.add_option("--n,--N", options.N, "columns of B and C")
      ->transform(decimal())
      ->check(extent);
  command.add_option("--k,--K", options.K, "columns of A, rows of B")
      ->transform(decimal())
      ->check(extent);
  command.add_option("--alpha", options.problem.alpha, "factor of A*B")
      ->transform(not_hexadecimal())
      ->capture_default_str();
  command.add_option("--beta", options.problem.beta, "factor of C")
      ->transform(not_hexadecimal())
      ->capture_default_str();
  command.add_option("--seed", options.problem.seed, "seed of the random inputs")
      ->transform(seed())
      ->capture_default_str();
}

void add_problem_options(CLI::App& command, Options& options) {
  add_shape_options(command, options, "GPU: 4096, CPU: 256");
  command.add_option("--device", options.device, "where to run")
      ->check(CLI::IsMember({"auto", "cpu", "gpu"}))
      ->capture_default_str();
  command.add_option("--gpu", options.gpu, "on the CPU: GPU to model, a name or a card file")
      ->capture_default_str();
  command.add_option("--protocol", options.protocol, "how a GPU is timed")
      ->check(CLI::IsMember({"burst", "sustained", "graph"}))
      ->capture_default_str();
  command.add_flag("--no-timing", options.no_timing, "only verify, e.g. under a profiler");
  command.add_option("--json", options.json, "also write the results to this file, or -");
  command.add_option("--sarif", options.sarif, "also write what is wrong as SARIF 2.1.0");
}

void add_explain_option(CLI::App& command, Options& options) {
  command.add_flag("--explain", options.explain, "first say which kernel and tile it takes");
}

int climb_command(Options options, const ClimbExtras& extras) {
  const FindingsFiles files(options.json, options.sarif);
  const bool silent = files.take_standard_output();
  const auto say = [&](const std::string& text) {
    if (!silent) fmt::print("{}", text);
  };
  std::string why_not_gpu;
  const std::unique_ptr<Machine> machine = choose_machine(options.device, why_not_gpu);
  const std::span<const Rung> ladder = machine->is_gpu() ? rungs() : emulated_rungs();
  const DeviceCard card = modelled_card(options.gpu);
  const emulator::ScopedMultiprocessors sms(card.sms);
  const emulator::ScopedSharedBytes shared(card.max_shared_bytes_per_block);
  std::vector<Rung> chosen;
  chosen.reserve(ladder.size());
  for (const std::string& rung : options.rungs)
    chosen.push_back(find_rung(ladder, rung));
  if (chosen.empty()) chosen.assign(ladder.begin(), ladder.end());
  chosen = with_rivals(ladder, chosen);

  const int size = options.size.value_or(machine->is_gpu() ? kGpuSize : kCpuSize);
  options.problem.shape = {
      .M = options.M.value_or(size), .N = options.N.value_or(size), .K = options.K.value_or(size)};
  // Of a build without GPU code, a whole climb says it; who runs one rung after the other knows.
  if (!why_not_gpu.empty() && (options.rungs.empty() || has_gpu_code())) {
    say(wrapped(fmt::format("On the CPU, because {}.", why_not_gpu), 2) + "\n");
  }
  if (options.explain) say(explanation(chosen, options.problem.shape) + "\n");
  // Before the work, so that a file that cannot be read costs none of it.
  const std::optional<Recording> recording = machine->is_gpu() ? std::nullopt : recorded_climb();
  Progress progress;
  ClimbRequest request = {
      .ladder = ladder,
      .chosen = chosen,
      .problem = options.problem,
      // A profiler that looks at a GPU wants one launch of each rung.
      .small_too = !(options.no_timing && machine->is_gpu()),
      .sms_of = machine->is_gpu() ? "" : sms_of(card),
      .on_progress = [&](const std::string& phase, double done) { progress.show(phase, done); }};
  if (!options.no_timing) request.protocol = protocol_named(options.protocol);
  if (extras.to_compare_with) request.compared = extras.to_compare_with(ladder, chosen);
  const Climb result = climb(*machine, request);
  progress.clear();
  say(climb_text(result, recording));
  const int code = exit_code(result);
  files.write(to_json(result, machine->versions()), report_of(extras.command, result, code));
  if (!options.json.empty()) say(fmt::format("\nResults written to {}.\n", options.json));
  if (!options.sarif.empty()) say(fmt::format("\nFindings written to {}.\n", options.sarif));
  std::fflush(stdout);
  if (extras.after && !silent) extras.after(result);
  return code;
}

}  // namespace ladder
