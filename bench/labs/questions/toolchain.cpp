// SPDX-License-Identifier: MIT
/// \file  bench/labs/questions/toolchain.cpp
/// \brief L20: what nvcc makes of the ladder here. bench/labs/toolchain.py finds out, because
///        bench/record already reads nvcc's stages and machine code in Python.
#include <fmt/format.h>

#include <array>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "bench/labs/questions/labs.hpp"
#include "bench/labs/report_json.hpp"
#include "emulator/run/own_files.hpp"

namespace ladder::labs {
namespace {

/// What a command prints to standard output.
/// \throws LabError  it failed; what it said on standard error is on the terminal
std::string output_of(const std::string& command) {
  struct Close {
    void operator()(std::FILE* pipe) const { pclose(pipe); }
  };
  std::unique_ptr<std::FILE, Close> pipe(popen(command.c_str(), "r"));
  std::string text;
  std::array<char, 4096> part;
  for (std::size_t read; pipe && (read = std::fread(part.data(), 1, part.size(), pipe.get())) > 0;)
    text.append(part.data(), read);
  if (!pipe || pclose(pipe.release()) != 0)
    throw LabError(fmt::format("This command failed: {}", command));
  return text;
}

}  // namespace

LabReport toolchain(Instruments* /*instruments*/, const LabOptions& /*options*/) {
  if (emulator::installed()) {
    throw LabError(
        "toolchain takes the ladder's sources apart with Python programs that are not "
        "installed: run it in a clone of the repository");
  }
  const std::string command =
      fmt::format("cd '{}' && python3 -m bench.labs.toolchain", emulator::source_tree().string());
  try {
    return report_of(nlohmann::ordered_json::parse(output_of(command)));
  } catch (const nlohmann::json::exception& error) {
    throw LabError(fmt::format("{} printed no report: {}", command, error.what()));
  }
}

}  // namespace ladder::labs
