// SPDX-License-Identifier: MIT
#include "ladder/program/nvcc_registers.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdio>
#include <cstdlib>

#include "emulator/run/debug_info/source_lines.hpp"
#include "emulator/run/own_files.hpp"

namespace ladder {
namespace {

#ifdef LADDER_NVCC
constexpr const char* kNvcc = LADDER_NVCC;
#else
constexpr const char* kNvcc = "";
#endif

/// What a command prints.
std::string output_of(const std::string& command) {
  std::string text;
  std::FILE* const pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return text;
  std::array<char, 4096> part;
  for (std::size_t size; (size = std::fread(part.data(), 1, part.size(), pipe)) > 0;)
    text.append(part.data(), size);
  pclose(pipe);
  return text;
}

}  // namespace

std::optional<int> registers_in(const std::string& output, const std::string& symbol) {
  const std::string used = "Used ";
  const std::size_t entry = output.find("entry function '" + symbol + "'");
  if (symbol.empty() || entry == std::string::npos) return std::nullopt;
  const std::size_t next = output.find("entry function '", entry + 1);
  const std::size_t at = output.find(used, entry);
  if (at == std::string::npos || at > next) return std::nullopt;
  return std::atoi(output.c_str() + at + used.size());
}

std::optional<int> registers_by_nvcc(const std::string& source, const std::string& architecture,
                                     const void* kernel) {
  if (*kNvcc == '\0') return std::nullopt;
  const std::string command = fmt::format(
      "'{}' -cubin -o /dev/null -arch=sm_{} -std=c++20 --expt-relaxed-constexpr '-I{}' "
      "-Xptxas -v '{}' 2>&1",
      kNvcc, architecture, emulator::source_tree().string(), source);
  return registers_in(output_of(command), emulator::symbol_of(kernel));
}

}  // namespace ladder
