// SPDX-License-Identifier: MIT
/// \file  bench/labs/main.cpp
/// \brief The `memory_lab` program: measures the memory system of a GPU, or of a simulated one.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <system_error>
#include <vector>

#include "bench/labs/card_file.hpp"
#include "bench/labs/lab.hpp"
#include "bench/labs/report_json.hpp"
#include "bench/labs/report_text.hpp"
#include "common/device_card.hpp"
#include "common/output_file.hpp"
#include "common/terminal/progress.hpp"
#include "common/terminal/run_command_line.hpp"

namespace ladder::labs {
namespace {

struct Arguments {
  std::vector<std::string> labs;
  std::string simulate;
  std::string json;
  std::string report;
  std::uint64_t seed = 1;
  bool quick = false;
  std::string card = "classroom";
  bool paper = false;
  std::vector<std::uint64_t> scopes;
};

std::string lines(const nlohmann::ordered_json& entries) {
  std::string text;
  for (const nlohmann::ordered_json& entry : entries)
    text += (text.empty() ? "[\n" : ",\n") + entry.dump();
  return text + "\n]\n";
}

int list_command(const Arguments& arguments) {
  if (arguments.json.empty())
    fmt::print("{}", list_text());
  else
    OutputFile(arguments.json).write(lines(labs_json()));
  return kGood;
}

int card_command(const Arguments& arguments) {
  if (!arguments.json.ends_with(".json"))
    throw LabError(fmt::format("{}: the name of a card ends in .json", arguments.json));
  const OutputFile file(arguments.json);
  file.write(card_text(arguments.report));
  load_card(arguments.json);
  fmt::print("Card written to {}. Use it: build/ladder trace 03 --gpu {}\n", arguments.json,
             arguments.json);
  return kGood;
}

int report_command(const Arguments& arguments) {
  fmt::print("{}", report_text(load_run(arguments.report)));
  return kGood;
}

std::vector<const Lab*> chosen(const Arguments& arguments) {
  std::vector<const Lab*> found;
  for (const std::string& name : arguments.labs) {
    if (name == "all") {
      for (const Lab& lab : labs())
        if (lab.needs != Needs::two_gpus &&
            (lab.needs != Needs::hopper || arguments.simulate.empty()))
          found.push_back(&lab);
    } else {
      found.push_back(&find_lab(name));
    }
  }
  return found;
}

/// One file for one lab; for several, a folder that gets lab_NAME.json for each.
std::string file_of(const Arguments& arguments, const Lab& lab) {
  if (!std::filesystem::is_directory(arguments.json)) return arguments.json;
  return (std::filesystem::path(arguments.json) / fmt::format("lab_{}.json", lab.name)).string();
}

/// Whose results these are: a lab that counts on the emulator may have timed its kernels on a GPU.
std::string machine_of(const Lab& lab, const Instruments* instruments) {
  if (lab.needs == Needs::nvcc) return "none: machine code";
  const bool counted = lab.needs == Needs::emulator;
  return instruments == nullptr || (counted && instruments->simulated())
             ? "emulator"
             : instruments->facts().name;
}

LabRun run_lab(const Lab& lab, Instruments* instruments, const Arguments& arguments) {
  Progress progress;
  const auto start = std::chrono::steady_clock::now();
  LabRun run = {.lab = std::string(lab.name),
                .machine = machine_of(lab, instruments),
                .quick = arguments.quick,
                .seed = arguments.seed,
                .seconds = 0.0,
                .versions = {},
                .program = version_text(),
                .report = {}};
  if (instruments != nullptr) run.versions = instruments->facts().versions;
  run.report =
      lab.run(instruments,
              {.quick = arguments.quick,
               .seed = arguments.seed,
               .card = arguments.card,
               .paper = arguments.paper,
               .scopes = arguments.scopes,
               .on_progress = [&](double done) { progress.show(std::string(lab.name), done); }});
  // A claim is about GPUs. A simulated memory system is what somebody assumed, and who asks for one
  // gets no verdicts, not even on what is counted.
  if (run.simulated() ||
      (lab.needs == Needs::emulator && instruments != nullptr && instruments->simulated()))
    for (ClaimCheck& claim : run.report.claims)
      claim.verdict = "simulated";
  run.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return run;
}

std::unique_ptr<Instruments> instruments_for(const std::vector<const Lab*>& wanted,
                                             const Arguments& arguments) {
  if (!arguments.simulate.empty())
    return make_simulated_instruments(arguments.simulate, arguments.seed);
  try {
    return make_gpu_instruments();
  } catch (const LabError&) {
    // What the emulator counts and nvcc says needs no GPU: only times are left out. A lab that
    // cannot be simulated says so itself.
    if (std::ranges::all_of(wanted, [](const Lab* lab) {
          return lab->needs == Needs::emulator || lab->needs == Needs::nvcc ||
                 lab->needs == Needs::hopper;
        }))
      return nullptr;
    throw;
  }
}

void run_and_report(const Lab& lab, Instruments* instruments, const Arguments& arguments) {
  std::optional<OutputFile> file;
  if (!arguments.json.empty()) file.emplace(file_of(arguments, lab));
  const LabRun run = run_lab(lab, instruments, arguments);
  fmt::print("{}", report_text(run));
  std::fflush(stdout);
  if (!file) return;
  file->write(file_text(run));
  fmt::print("Results written to {}.\n", file_of(arguments, lab));
}

/// \brief  Runs something in a process of its own: what fails on a GPU spoils the GPU for all that
///         the same process does afterwards.
/// \return how it ended: an exit code, or 128 and the number of the signal that ended it
int in_process_of_its_own(const std::function<int()>& task) {
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child < 0) throw std::system_error(errno, std::generic_category(), "fork");
  if (child == 0) {
    int code = kBadUsage;
    try {
      code = task();
    } catch (const std::exception& error) {
      fmt::print(stderr, "{}\n", said(error));
    }
    std::fflush(nullptr);
    _exit(code);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) throw std::system_error(errno, std::generic_category(), "waitpid");
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/// Runs each lab, whatever becomes of the others.
int run_several(const std::vector<const Lab*>& wanted, const Arguments& arguments) {
  const int ready = in_process_of_its_own([&] {
    instruments_for(wanted, arguments);
    return kGood;
  });
  if (ready != kGood) return ready;
  std::vector<std::string> failed;
  for (const Lab* const lab : wanted) {
    if (lab != wanted.front()) fmt::print("\n");
    const int code = in_process_of_its_own([&] {
      run_and_report(*lab, instruments_for({lab}, arguments).get(), arguments);
      return kGood;
    });
    if (code == kGood) continue;
    failed.push_back(fmt::format("{} {}", lab->number, lab->name));
    fmt::print(stderr, "{} failed{}. The other labs go on.\n", failed.back(),
               code > 128 ? fmt::format(": it was ended by signal {}", code - 128) : "");
  }
  if (failed.empty()) return kGood;
  fmt::print(stderr, "{} of {} labs failed: {}\n", failed.size(), wanted.size(),
             fmt::join(failed, ", "));
  return kWrong;
}

/// \throws LabError  an option is given to a lab that does not have it
void require_options(const std::vector<const Lab*>& wanted, const Arguments& arguments) {
  for (const Lab* const lab : wanted) {
    const bool has_scopes = lab->name == "random_sampling" || lab->name == "hash_grouping";
    if ((arguments.paper || !arguments.scopes.empty()) && !has_scopes)
      throw LabError(
          fmt::format("{} has no --paper and no --scope: random_sampling and hash_grouping have "
                      "them",
                      lab->name));
  }
}

int run_command(const Arguments& arguments) {
  const std::vector<const Lab*> wanted = chosen(arguments);
  require_options(wanted, arguments);
  const bool folder = std::filesystem::is_directory(arguments.json);
  if (!arguments.json.empty() && !folder && wanted.size() > 1)
    throw LabError(fmt::format("--json {}: several labs need a folder that is there, one file each",
                               arguments.json));
  if (wanted.size() > 1) return run_several(wanted, arguments);
  run_and_report(*wanted.front(), instruments_for(wanted, arguments).get(), arguments);
  return kGood;
}

std::string presets_text() {
  std::string text;
  for (const std::string& preset : simulated_presets())
    text += (text.empty() ? "" : ", ") + preset;
  return text;
}

}  // namespace
}  // namespace ladder::labs

int main(int argc, char** argv) {
  using namespace ladder;
  using namespace ladder::labs;
  Arguments arguments;
  CLI::App app("Measures the memory system of a GPU, or of a simulated one.", "memory_lab");
  app.require_subcommand(1);
  CLI::App* const list = app.add_subcommand("list", "the labs and their questions");
  list->add_option("--json", arguments.json, "write them to this file");
  CLI::App* const run = app.add_subcommand("run", "run labs");
  run->add_option("labs", arguments.labs, "numbers or names; all: every lab for one GPU")
      ->required();
  run->add_flag("--quick", arguments.quick, "fewer points and repeats: some seconds each");
  run->add_option("--simulate", arguments.simulate,
                  "ask a simulated memory system instead of a GPU: " + presets_text());
  run->add_option("--seed", arguments.seed, "of random orders")
      ->transform(decimal())
      ->capture_default_str();
  run->add_option(
         "--card", arguments.card,
         "of raster_orders: the GPU whose caches are modelled; others than the classroom's "
         "take minutes")
      ->capture_default_str();
  run->add_flag("--paper", arguments.paper,
                "of random_sampling and hash_grouping: as a paper of 2017 did it");
  run->add_option("--scope", arguments.scopes,
                  "of the same: bytes that each pass works on, as in 128MiB; several are tried "
                  "one after the other")
      ->transform(CLI::AsSizeValue(true))
      ->check(CLI::PositiveNumber);
  run->add_option("--json", arguments.json, "write the results to this file, or into this folder");
  CLI::App* const report = app.add_subcommand("report", "print a file of results again");
  report->add_option("file", arguments.report, "as run --json wrote it")->required();
  CLI::App* const card = app.add_subcommand("card", "make a device card of what labs found");
  card->add_option("folder", arguments.report, "with lab_device_card.json and others")->required();
  card->add_option("file", arguments.json, "the card, a path that ends in .json")->required();
  return run_command_line(app, argc, argv, [&] {
    if (card->parsed()) return card_command(arguments);
    if (list->parsed()) return list_command(arguments);
    return report->parsed() ? report_command(arguments) : run_command(arguments);
  });
}
