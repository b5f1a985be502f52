// SPDX-License-Identifier: MIT
#include "glassbox/nvcc_rules.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <optional>
#include <regex>
#include <sstream>
#include <stdexcept>

#include "emulator/run/own_files.hpp"
#include "glassbox/command.hpp"
#include "glassbox/execution_spaces.hpp"

namespace ladder::glassbox {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

constexpr const char* kChoice = "LADDER_FRONT_END";

/// All programs of these names, the first name first, on the PATH or in the folder behind it.
Words paths_of(const Words& programs, const std::string& more) {
  const char* const path = std::getenv("PATH");
  std::istringstream folders((path != nullptr ? path : "") + (":" + more));
  Words all, found;
  for (std::string folder; std::getline(folders, folder, ':');)
    all.push_back(folder);
  for (const std::string& program : programs) {
    for (const std::string& folder : all) {
      const fs::path file = fs::path(folder) / program;
      if (!folder.empty() && access(file.c_str(), X_OK) == 0) found.push_back(file);
    }
  }
  return found;
}

/// "13.0" of "Cuda compilation tools, release 13.0, V13.0.88"; nothing if the program fails, and of
/// `glassbox nvcc`, which has no front end of its own.
std::optional<std::string> version_of(const std::string& path, const std::string& before,
                                      const Words& environment) {
  const Ended ended = output_of({path, "--version"}, environment);
  std::smatch found;
  if (ended.code != 0 || ended.output.find("glass box") != std::string::npos ||
      !std::regex_search(ended.output, found, std::regex(before + R"(([0-9.]+))"))) {
    return std::nullopt;
  }
  return found[1];
}

FrontEnd nvcc(const Words& environment) {
  for (const std::string& path : paths_of({"nvcc"}, "/usr/local/cuda/bin")) {
    if (const auto version = version_of(path, "release ", environment))
      return {.kind = FrontEndKind::kNvcc, .path = path, .name = "nvcc " + *version};
  }
  return {};
}

FrontEnd clang(const Words& environment) {
  Words names = {"clang++"};
  for (int version = 22; version >= 14; --version)
    names.push_back(fmt::format("clang++-{}", version));
  for (const std::string& path : paths_of(names, "")) {
    if (const auto version = version_of(path, "clang version ", environment))
      return {.kind = FrontEndKind::kClang, .path = path, .name = "clang " + *version};
  }
  return {};
}

Words with_folders(Words command, const Words& folders, const Words& definitions) {
  for (const std::string& folder : folders) {
    command.emplace_back("-I");
    command.push_back(folder);
  }
  for (const std::string& definition : definitions)
    command.push_back("-D" + definition);
  return command;
}

// -- nvcc -----------------------------------------------------------------------------------------

class Nvcc {
 public:
  Nvcc(const RulesQuestion& question, const std::string& path) : question_(question), path_(path) {
    std::error_code ignored;
    root_ = fs::canonical(path, ignored).parent_path().parent_path();
  }

  /// \brief C++17 is nvcc's default; of other errors than those that the sides make, C++20 decides.
  ///        What an option allows hides errors behind it.
  Objections objections() const {
    Objections found = with("-std=c++17", {});
    const auto is_of_sides = [](const SourceError& error) {
      return error.kind != SourceErrorKind::kNvccRefuses;
    };
    const bool is_sure =
        found.empty() || !found.notes.empty() || std::ranges::any_of(found.errors, is_of_sides);
    const char* const standard = is_sure ? "-std=c++17" : "-std=c++20";
    if (!is_sure) found = with(standard, {});
    if (found.notes.empty()) return found;
    found.errors = with(standard, {"--expt-relaxed-constexpr", "--extended-lambda"}).errors;
    std::erase_if(found.notes, [&](const SourceError& note) {
      return std::ranges::any_of(
          found.errors, [&](const SourceError& error) { return error.place == note.place; });
    });
    return found;
  }

 private:
  Objections with(const char* standard, const Words& options) const {
    // Nothing of what it makes is used, so nothing is optimised.
    Words command = {path_,
                     "-cuda",
                     "-rdc=true",
                     "-w",
                     standard,
                     "-Xcicc",
                     "-O0",
                     "-Xptxas",
                     "-O0",
                     "-o",
                     question_.rewritten.string() + ".nvcc.ii"};
    command.insert(command.end(), options.begin(), options.end());
    command = with_folders(command, question_.own_folders, question_.definitions);
    command.push_back(question_.source);
    Words for_card = command;
    for_card.push_back(fmt::format("-arch=sm_{}", question_.compute_capability));
    Ended ended = output_of(for_card, question_.environment);
    if (ended.output.find("nvcc fatal") != std::string::npos)
      ended = output_of(command, question_.environment);
    return ended.code == 0 ? Objections() : objections_of_nvcc(ended.output, root_.string() + "/");
  }

  const RulesQuestion& question_;
  std::string path_;
  fs::path root_;
};

// -- clang ----------------------------------------------------------------------------------------

/// For both sides, one after the other. Functions of a template are looked at where they are used,
/// as nvcc does.
Objections objections_of(const RulesQuestion& question, const std::string& clang) {
  Words command = {clang,
                   "-x",
                   "cuda",
                   "--cuda-gpu-arch=sm_80",
                   "-nocudainc",
                   "-nocudalib",
                   "-fsyntax-only",
                   "-std=c++20",
                   "-fdelayed-template-parsing",
                   "-Xclang",
                   "-fno-cuda-host-device-constexpr",
                   "-w",
                   "-ferror-limit=0",
                   "-ftemplate-backtrace-limit=1",
                   "-fno-caret-diagnostics",
                   "-fno-color-diagnostics"};
  command = with_folders(command, question.emulator_folders, {});
  command = with_folders(command, question.own_folders, question.definitions);
  command.push_back(fmt::format("-D__CUDA_ARCH_LIST__={}", 10 * question.compute_capability));
  command.insert(command.end(), {"-include", "glassbox/clang_words.hpp", question.source.string()});
  return objections_of_clang(output_of(command, question.environment).output);
}

}  // namespace

FrontEnd installed_front_end(const std::vector<std::string>& environment) {
  const char* const choice = std::getenv(kChoice);
  const std::string name = choice != nullptr ? choice : "";
  if (name == "none") return {};
  if (name.empty()) {
    const FrontEnd best = nvcc(environment);
    return best.kind == FrontEndKind::kNone ? clang(environment) : best;
  }
  if (name != "nvcc" && name != "clang") {
    throw std::invalid_argument(fmt::format("{}={}: it is nvcc, clang or none", kChoice, name));
  }
  FrontEnd chosen = name == "nvcc" ? nvcc(environment) : clang(environment);
  if (chosen.kind == FrontEndKind::kNone) {
    throw std::invalid_argument(fmt::format("{}={}: no {} is on the PATH", kChoice, name, name));
  }
  return chosen;
}

Objections objections_to(const RulesQuestion& question, const FrontEnd& front_end) {
  switch (front_end.kind) {
    case FrontEndKind::kNvcc: {
      Objections found = Nvcc(question, front_end.path).objections();
      for (SourceError& error : found.errors) {
        if (error.kind != SourceErrorKind::kNvccRefuses) continue;
        error.fields.set("compiler", front_end.name);  // another toolkit's may take it
      }
      return found;
    }
    case FrontEndKind::kClang:
      return objections_of(question, front_end.path);
    case FrontEndKind::kNone:
      break;
  }
  Words command = question.preprocessor;
  command.insert(command.end(), {"-D__CUDACC__", "-D__NVCC__", "-DLADDER_KEEP_SPACES", "-E",
                                 question.rewritten.string()});
  const Ended ended = output_of(command, question.environment);
  return ended.code == 0 ? objections_of_sides(ended.output) : Objections();
}

}  // namespace ladder::glassbox
