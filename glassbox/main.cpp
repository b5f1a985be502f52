// SPDX-License-Identifier: MIT
/// \file  glassbox/main.cpp
/// \brief The `glassbox` program: compiles a CUDA program with g++, runs it, and tells what it did.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "common/device_card.hpp"
#include "common/findings/report.hpp"
#include "common/output_file.hpp"
#include "common/results_context.hpp"
#include "common/terminal/run_command_line.hpp"
#include "common/terminal/trace_page.hpp"
#include "common/version.hpp"
#include "glassbox/build_error.hpp"
#include "glassbox/command.hpp"
#include "glassbox/editor_files.hpp"
#include "glassbox/nvcc_driver.hpp"
#include "glassbox/object_file.hpp"
#include "glassbox/program_build.hpp"
#include "glassbox/program_findings.hpp"
#include "glassbox/program_link.hpp"
#include "glassbox/runtime/orders.hpp"
#include "glassbox/work_folder.hpp"

namespace ladder::glassbox {
namespace {

namespace fs = std::filesystem;

struct Arguments {
  std::vector<std::string> files;
  std::vector<std::string> include_folders;
  std::vector<std::string> definitions;
  std::string kernel;
  std::uint64_t launch = 0;
  std::string gpu = "classroom";
  std::string
      verb;  ///< "run", "check", "trace"; empty: run and check, with the program's exit code
  std::string json;
  std::string sarif;
  std::string html;
  std::vector<std::string> words;  ///< for the program
};

void add_options(CLI::App& command, Arguments& arguments, bool traces) {
  command.add_option("files", arguments.files, "the program's .cu and .cpp files")->required();
  command.add_option("-I", arguments.include_folders, "folder with headers")->take_all();
  command.add_option("-D", arguments.definitions, "NAME or NAME=VALUE to define")->take_all();
  command.add_option("--gpu", arguments.gpu, "GPU to model: a card's name, or a card file")
      ->capture_default_str();
  command.add_option("--json", arguments.json,
                     "also write what was found to this file; -: standard output");
  command.add_option("--sarif", arguments.sarif,
                     "also write it as SARIF, for editors and code hosts");
  if (!traces) return;
  command.add_option("--kernel", arguments.kernel, "only trace launches of this kernel");
  command
      .add_option("--launch", arguments.launch, "only trace the launch with this number, from 1")
      ->check(CLI::PositiveNumber);
  command.add_option("--html", arguments.html, "also write it as a page for a browser");
}

/// Where findings and the page go, checked before anything is built.
class Outputs {
 public:
  /// \throws std::invalid_argument  two of them are one file
  /// \throws std::runtime_error     one of them cannot be written
  explicit Outputs(const Arguments& arguments)
      : arguments_(arguments), findings_(arguments.json, arguments.sarif) {
    if (arguments.html.empty()) return;
    page_.emplace(arguments.html);
    require_other_file("--json", arguments.json);
    require_other_file("--sarif", arguments.sarif);
  }

  bool take_standard_output() const {
    return findings_.take_standard_output() || (page_ && page_->is_standard_output());
  }
  bool has_page() const { return page_.has_value(); }

  /// \param all   with each launch
  /// \param once  with each kernel at each line
  void write(const FindingsReport& all, const FindingsReport& once) const {
    const nlohmann::json content = to_json(all);
    findings_.write(content, once);
    tell("Findings", arguments_.json);
    tell("SARIF", arguments_.sarif);
    if (!page_) return;
    page_->write(page_of_trace(content));
    tell("Page", arguments_.html);
  }

 private:
  void require_other_file(const char* option, const std::string& path) const {
    if (path.empty() || !page_->is_same_file_as(OutputFile(path))) return;
    throw std::invalid_argument(fmt::format(
        "{} and --html both name {}: give each a file of its own", option, arguments_.html));
  }
  static void tell(const char* what, const std::string& path) {
    if (!path.empty() && path != "-") fmt::print(stderr, "{} written to {}.\n", what, path);
  }

  const Arguments& arguments_;
  FindingsFiles findings_;
  std::optional<OutputFile> page_;
};

/// A report without findings yet.
FindingsReport empty_report(const Arguments& arguments, const DeviceCard& card) {
  return {.program = "glassbox",
          .command = arguments.verb.empty() ? "check" : arguments.verb,
          .version = std::string(commit()),
          .root = fs::current_path(),
          .facts = {{"card", {{"id", card.id}, {"name", card.name}}},
                    {"context", results_context("CPU emulator", std::nullopt, {}, {})},
                    {"files", arguments.files}}};
}

/// What the program needs to know of what is asked for.
std::vector<std::string> environment_of(const Arguments& arguments, const BuiltProgram& program,
                                        const DeviceCard& card, const fs::path& folder,
                                        bool has_page) {
  const auto variable = [](const char* name, const std::string& value) {
    return fmt::format("{}={}", name, value);
  };
  std::vector<std::string> environment = {
      variable(kVerbVariable, arguments.verb.empty() ? "check" : arguments.verb),
      variable(kCardVariable, arguments.gpu),
      variable(kKernelVariable, arguments.kernel),
      variable(kLaunchVariable, std::to_string(arguments.launch)),
      variable(kHeapVariable, program.facts.uses_device_heap ? "1" : ""),
      variable(kDeviceVariablesVariable,
               fmt::format("{}", fmt::join(program.facts.device_variables, " "))),
      variable(kAddressesVariable, has_page ? "1" : ""),
      variable(kFolderVariable, folder)};
  if (!program.library_path.empty())
    environment.push_back(variable("LD_LIBRARY_PATH", program.library_path));
  if (std::getenv("LADDER_MULTIPROCESSORS") == nullptr) {
    environment.push_back(variable("LADDER_MULTIPROCESSORS", std::to_string(card.sms)));
  }
  return environment;
}

/// Builds it, or takes the one that `glassbox nvcc` has built.
BuiltProgram program_of(const ProgramSources& sources, const fs::path& folder) {
  if (sources.files.size() == 1) {
    if (auto facts = facts_of_program(sources.files[0]))
      return program_for_run(sources.files[0], *facts, sources.traced, folder);
  }
  return build_program(sources, folder);
}

/// What the run time has written; nothing of a program that ended before its first instruction.
ProgramFindings read_findings(const fs::path& folder) {
  std::ifstream file(folder / kFindingsFile);
  return file ? program_findings(nlohmann::json::parse(file)) : ProgramFindings();
}

/// Who looked for what nvcc refuses.
std::string front_end_text(const BuiltProgram& program) {
  return program.facts.front_end.empty()
             ? "neither nvcc nor clang is installed,\n  so only the commonest of what nvcc "
               "refuses was looked for"
             : fmt::format("{} finds nothing that nvcc refuses", program.facts.front_end);
}

/// A program that was not built: its errors are the findings.
int report_build_error(const BuildError& error, FindingsReport report, const Outputs& outputs) {
  fmt::print(stderr, "{}", error.what());
  for (const SourceError& each : error.errors())
    report.findings.emplace_back(each);
  report.exit_code = kBadUsage;
  outputs.write(report, report);
  return kBadUsage;
}

int glassbox_command(const Arguments& arguments) {
  const DeviceCard card = load_card(arguments.gpu);
  const Outputs outputs(arguments);
  const FindingsReport report = empty_report(arguments, card);
  const WorkFolder folder;
  ProgramSources sources = {.files = {arguments.files.begin(), arguments.files.end()},
                            .include_folders = arguments.include_folders,
                            .definitions = arguments.definitions,
                            .traced = arguments.verb != "run",
                            .compute_capability = card.compute_capability};
  BuiltProgram program;
  try {
    program = program_of(sources, folder.path());
  } catch (const BuildError& error) {
    return report_build_error(error, report, outputs);
  }
  std::vector<std::string> words = {program.path};
  words.insert(words.end(), arguments.words.begin(), arguments.words.end());
  const Ended ended = run_in_front(
      words, environment_of(arguments, program, card, folder.path(), outputs.has_page()),
      outputs.take_standard_output());
  ProgramFindings found = read_findings(folder.path());
  found.findings.insert(found.findings.end(), program.facts.notes.begin(),
                        program.facts.notes.end());
  if (ended.signal != 0) {
    fmt::print(stderr, "{}: {}\n", arguments.files.front(), strsignal(ended.signal));
  }
  const Shown shown = {.lines = arguments.verb == "trace",
                       .traces = arguments.verb != "run",
                       .is_chosen = !arguments.kernel.empty() || arguments.launch > 0};
  const std::string text = text_of(found, shown);
  if (!text.empty()) {
    fmt::print(stderr, "\nglassbox, {}\n{}; {}\n{}", card.name, version_text(),
               front_end_text(program), text);
  }
  const bool judged = arguments.verb == "check" || arguments.verb == "trace";
  FindingsReport all = report;
  all.facts["front_end"] = program.facts.front_end.empty() ? "none" : program.facts.front_end;
  all.exit_code = ended.code != 0 ? ended.code : judged && is_wrong(found) ? kWrong : kGood;
  all.facts["launches"] = found.launches;
  FindingsReport once = all;
  add_to(all, found, false);
  add_to(once, found, true);
  outputs.write(all, once);
  return all.exit_code;
}

/// `glassbox nvcc WORDS`, a link of the name nvcc, `glassbox with make`: the exit code, or nothing
/// if it is none of these.
std::optional<int> drop_in(const std::vector<std::string>& words) {
  const std::string own = fs::path(words[0]).filename();
  const bool is_link = own == "nvcc" || own == "glassbox-nvcc";
  if (is_link) return nvcc({words.begin() + 1, words.end()});
  if (words.size() < 2) return std::nullopt;
  const std::string& verb = words[1];
  const std::vector<std::string> rest(words.begin() + 2, words.end());
  if (verb == "nvcc") return nvcc(rest);
  if (verb == "with") return with_nvcc(rest);
  if (verb == "init") return init(rest);
  if (verb == "g++" || verb == "c++" || verb == "gcc" || verb == "cc")
    return host_compiler(verb, rest);
  return std::nullopt;
}

}  // namespace
}  // namespace ladder::glassbox

int main(int argc, char** argv) {
  using namespace ladder;
  using namespace ladder::glassbox;
  if (const auto code = drop_in({argv, argv + argc})) return *code;
  // What follows -- is the program's.
  char** const dashes =
      std::find_if(argv, argv + argc, [](const char* word) { return std::string(word) == "--"; });
  Arguments arguments;
  if (dashes != argv + argc) arguments.words.assign(dashes + 1, argv + argc);
  argc = static_cast<int>(dashes - argv);
  // Without a verb: run and check.
  const std::vector<std::string> verbs = {"run", "trace", "check"};
  std::vector<char*> words(argv, argv + argc);
  if (argc > 1 && std::ranges::find(verbs, words[1]) != verbs.end()) {
    arguments.verb = words[1];
    words.erase(words.begin() + 1);
  }
  CLI::App app(
      "Compiles a CUDA program with g++, runs it without a GPU, and says what its\n"
      "kernels do wrong. The program runs as you, and may do whatever you may: only\n"
      "give it programs that you would run.\n\n"
      "glassbox FILES           run, then report races, bad accesses and failed calls\n"
      "glassbox check FILES     the same, but exit with 1 if an error was found; memory that\n"
      "                         was never freed is told as a warning, and does not count\n"
      "glassbox run FILES       only run, which is faster\n"
      "glassbox trace FILES     also show what each line asks of memory\n"
      "glassbox FILES -- WORDS  give the program these arguments\n"
      "glassbox with make       build a project that calls nvcc; also with cmake, or another "
      "command\n"
      "glassbox nvcc WORDS      what nvcc would do, for the CPU; see glassbox nvcc --help\n"
      "glassbox init FOLDER     a file there tells an editor's clangd of CUDA's words",
      "glassbox");
  add_options(app, arguments, arguments.verb != "run");
  return run_command_line(app, static_cast<int>(words.size()), words.data(),
                          [&] { return glassbox_command(arguments); });
}
