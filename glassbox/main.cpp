// SPDX-License-Identifier: MIT
/// \file  glassbox/main.cpp
/// \brief The `glassbox` program: compiles a CUDA program with g++, runs it, and tells what it did.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "common/device_card.hpp"
#include "common/output_file.hpp"
#include "common/results_context.hpp"
#include "common/terminal/run_command_line.hpp"
#include "common/terminal/trace_page.hpp"
#include "common/version.hpp"
#include "glassbox/command.hpp"
#include "glassbox/program_build.hpp"
#include "glassbox/runtime/orders.hpp"

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
  std::string json;
  std::string html;
  std::vector<std::string> words;  ///< for the program
};

/// A folder that goes when this does.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string path = (fs::temp_directory_path() / "glassbox_XXXXXX").string();
    if (mkdtemp(path.data()) == nullptr) {
      throw std::runtime_error("cannot make a folder in " + fs::temp_directory_path().string());
    }
    path_ = path;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

std::string text_of(const fs::path& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

void add_options(CLI::App& command, Arguments& arguments, bool traces) {
  command.add_option("files", arguments.files, "the program's .cu and .cpp files")->required();
  command.add_option("-I", arguments.include_folders, "folder with headers")->take_all();
  command.add_option("-D", arguments.definitions, "NAME or NAME=VALUE to define")->take_all();
  command.add_option("--gpu", arguments.gpu, "GPU to model: a card's name, or a card file")
      ->capture_default_str();
  if (!traces) return;
  command.add_option("--kernel", arguments.kernel, "only trace launches of this kernel");
  command
      .add_option("--launch", arguments.launch, "only trace the launch with this number, from 1")
      ->check(CLI::PositiveNumber);
  command.add_option("--json", arguments.json, "also write what was found to this file");
  command.add_option("--html", arguments.html, "also write it as a page for a browser");
}

/// What was found, and where it comes from.
nlohmann::json found_in(const fs::path& traces, const Arguments& arguments) {
  nlohmann::json found = nlohmann::json::parse(text_of(traces));
  found["context"] = results_context("CPU emulator", std::nullopt, {}, {});
  found["files"] = arguments.files;
  return found;
}

/// \param verb  "run", "check", "trace"; empty: run and check, with the program's own exit code
int glassbox_command(const Arguments& arguments, const std::string& verb) {
  const DeviceCard card = load_card(arguments.gpu);
  std::optional<OutputFile> json_file, page_file;
  if (!arguments.json.empty()) json_file.emplace(arguments.json);
  if (!arguments.html.empty()) page_file.emplace(arguments.html);
  if (json_file && page_file && json_file->is_same_file_as(*page_file)) {
    throw std::invalid_argument(
        fmt::format("--json and --html both name {}: give each a file of its own", arguments.html));
  }
  const TemporaryFolder folder;
  ProgramSources sources = {.files = {arguments.files.begin(), arguments.files.end()},
                            .include_folders = arguments.include_folders,
                            .definitions = arguments.definitions,
                            .traced = verb != "run",
                            .compute_capability = card.compute_capability};
  BuiltProgram program;
  try {
    program = build_program(sources, folder.path());
  } catch (const CompileError& error) {
    fmt::print(stderr, "{}", error.what());
    return kBadUsage;
  }
  std::vector<std::string> words = {program.path};
  words.insert(words.end(), arguments.words.begin(), arguments.words.end());
  const auto variable = [](const char* name, const std::string& value) {
    return fmt::format("{}={}", name, value);
  };
  std::vector<std::string> environment = {
      variable(kVerbVariable, verb.empty() ? "check" : verb),
      variable(kCardVariable, arguments.gpu),
      variable(kKernelVariable, arguments.kernel),
      variable(kLaunchVariable, std::to_string(arguments.launch)),
      variable(kHeapVariable, program.uses_device_heap ? "1" : ""),
      variable(kAddressesVariable, page_file ? "1" : ""),
      variable(kFolderVariable, folder.path())};
  if (std::getenv("LADDER_MULTIPROCESSORS") == nullptr) {
    environment.push_back(variable("LADDER_MULTIPROCESSORS", std::to_string(card.sms)));
  }
  const Ended ended = run_in_front(words, environment);
  std::string report = text_of(folder.path() / kReportFile);
  while (report.ends_with("\n\n"))
    report.pop_back();
  if (ended.signal != 0) {
    fmt::print(stderr, "{}: {}\n", arguments.files.front(), strsignal(ended.signal));
  }
  if (!report.empty())
    fmt::print(stderr, "\nglassbox, {}\n{}\n{}", card.name, version_text(), report);
  if (json_file) {
    json_file->write(file_text(found_in(folder.path() / kTracesFile, arguments)));
    fmt::print(stderr, "Findings written to {}.\n", arguments.json);
  }
  if (page_file) {
    page_file->write(page_of_trace(found_in(folder.path() / kTracesFile, arguments)));
    fmt::print(stderr, "Page written to {}.\n", arguments.html);
  }
  if (ended.code != 0) return ended.code;
  const bool judged = verb == "check" || verb == "trace";
  return judged && fs::exists(folder.path() / kWrongFile) ? kWrong : kGood;
}

}  // namespace
}  // namespace ladder::glassbox

int main(int argc, char** argv) {
  using namespace ladder;
  using namespace ladder::glassbox;
  // What follows -- is the program's.
  char** const dashes =
      std::find_if(argv, argv + argc, [](const char* word) { return std::string(word) == "--"; });
  Arguments arguments;
  if (dashes != argv + argc) arguments.words.assign(dashes + 1, argv + argc);
  argc = static_cast<int>(dashes - argv);
  // Without a verb: run and check.
  const std::vector<std::string> verbs = {"run", "trace", "check"};
  std::string verb;
  std::vector<char*> words(argv, argv + argc);
  if (argc > 1 && std::ranges::find(verbs, words[1]) != verbs.end()) {
    verb = words[1];
    words.erase(words.begin() + 1);
  }
  CLI::App app(
      "Compiles a CUDA program with g++, runs it without a GPU, and says what its\n"
      "kernels do wrong.\n\n"
      "glassbox FILES           run, then report races, bad accesses and failed calls\n"
      "glassbox check FILES     the same, but exit with 1 if anything was found\n"
      "glassbox run FILES       only run, which is faster\n"
      "glassbox trace FILES     also show what each line asks of memory\n"
      "glassbox FILES -- WORDS  give the program these arguments",
      "glassbox");
  add_options(app, arguments, verb != "run");
  return run_command_line(app, static_cast<int>(words.size()), words.data(),
                          [&] { return glassbox_command(arguments, verb); });
}
