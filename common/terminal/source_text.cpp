// SPDX-License-Identifier: MIT
#include "common/terminal/source_text.hpp"

#include <fstream>
#include <iterator>

#include "emulator/run/own_files.hpp"

namespace ladder {

std::optional<std::string> text_of_file(const std::filesystem::path& path) {
  std::ifstream file(path);
  if (!file || std::filesystem::is_directory(path)) return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(file), {});
}

std::optional<std::string> text_of_source(const std::string& file, Sources sources) {
  if (sources == Sources::kProgram) {
    if (auto own = text_of_file(file)) return own;
  }
  return text_of_file(emulator::source_tree() / file);
}

}  // namespace ladder
