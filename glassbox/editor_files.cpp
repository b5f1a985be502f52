// SPDX-License-Identifier: MIT
#include "glassbox/editor_files.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string_view>

#include "emulator/run/own_files.hpp"

namespace ladder::glassbox {
namespace {

namespace fs = std::filesystem;

std::string bytes_of(const fs::path& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// Those of program_flags.txt, one a line.
std::vector<std::string> flags() {
  constexpr std::string_view kTree = "{tree}";
  std::istringstream lines(bytes_of(emulator::source_tree() / "glassbox" / "program_flags.txt"));
  std::vector<std::string> all;
  for (std::string line; std::getline(lines, line);) {
    if (const std::size_t at = line.find(kTree); at != std::string::npos)
      line.replace(at, kTree.size(), emulator::source_tree().string());
    all.push_back(line);
  }
  return all;
}

/// What a build has noted is for nvcc, whose options clangd does not know.
std::string content(const std::vector<std::string>& flags) {
  std::string text =
      "# Written by glassbox init: CUDA's words for clangd.\n"
      "CompileFlags:\n  CompilationDatabase: None\n  Add:\n";
  for (const std::string& flag : flags)
    text += fmt::format("    - '{}'\n", flag);
  return text;
}

}  // namespace

int init(const std::vector<std::string>& words) {
  fs::path folder = ".";
  std::vector<std::string> all = flags();
  for (const std::string& word : words) {
    if (word.starts_with("-I")) {
      all.push_back("-I" + fs::absolute(word.substr(2)).lexically_normal().string());
    } else if (word.starts_with("-D")) {
      all.push_back(word);
    } else if (word.starts_with('-') || folder != ".") {
      fmt::print(stderr,
                 "glassbox init [FOLDER] [-IFOLDER ...] [-DNAME ...]: writes FOLDER/.clangd\n");
      return 2;
    } else {
      folder = word;
    }
  }
  const fs::path file = folder / ".clangd";
  const std::string wanted = content(all);
  if (fs::exists(file) && !bytes_of(file).starts_with(wanted.substr(0, wanted.find('\n')))) {
    fmt::print(stderr, "{} is there already, and stays as it is.\n", file.string());
    return 2;
  }
  std::ofstream stream(file);
  stream << wanted;
  stream.close();
  if (!stream) {
    fmt::print(stderr, "cannot write {}: {}\n", file.string(), std::strerror(errno));
    return 2;
  }
  fmt::print("{} written: clangd now knows CUDA's words in this folder and below.\n",
             file.string());
  return 0;
}

}  // namespace ladder::glassbox
