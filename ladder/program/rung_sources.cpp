// SPDX-License-Identifier: MIT
#include "ladder/program/rung_sources.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "common/json_file.hpp"

namespace ladder {
namespace {

/// A source's text without comments and white space; literals stay as they are.
std::string code_alone(const std::string& text) {
  std::string code;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    // 1'000 has no literal in it.
    const bool separates =
        c == '\'' && i > 0 && std::isalnum(static_cast<unsigned char>(text[i - 1])) != 0;
    if (c == '"' || (c == '\'' && !separates)) {
      code += c;
      while (++i < text.size() && text[i] != c && text[i] != '\n') {
        code += text[i];
        if (text[i] == '\\' && i + 1 < text.size()) code += text[++i];
      }
      code += c;
    } else if (text.compare(i, 2, "//") == 0) {
      i = std::min(text.find('\n', i), text.size());
    } else if (text.compare(i, 2, "/*") == 0) {
      const std::size_t end = text.find("*/", i + 2);
      i = end == std::string::npos ? text.size() : end + 1;
    } else if (std::isspace(static_cast<unsigned char>(c)) == 0) {
      code += c;
    }
  }
  return code;
}

/// FNV-1a of 64 bits: told apart are versions of one file, not forgeries.
std::string hash_of(const std::string& text) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text)
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return fmt::format("{:016x}", hash);
}

std::set<std::filesystem::path> sources_in(const std::filesystem::path& folder) {
  std::set<std::filesystem::path> files;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    const std::string ending = entry.path().extension().string();
    if (ending == ".cuh" || ending == ".cu" || ending == ".hpp" || ending == ".cpp")
      files.insert(entry.path());
  }
  return files;
}

}  // namespace

std::string sources_fingerprint(const std::filesystem::path& folder) {
  std::string all;
  for (const std::filesystem::path& path : sources_in(folder)) {
    std::ifstream file(path);
    const std::string text(std::istreambuf_iterator<char>(file), {});
    all += path.filename().string() + "\n" + code_alone(text) + "\n";
  }
  return all.empty() ? "" : hash_of(all);
}

std::set<int> edited_rungs(const std::filesystem::path& root) {
  const auto read = [&](const nlohmann::json& facts) {
    std::set<int> edited;
    for (const auto& rung : facts.at("rungs")) {
      const std::string folder = rung.at("folder");
      const std::string recorded = rung.at("sources");
      if (recorded.empty()) continue;  // a class's starter stands for the ladder's own
      if (sources_fingerprint(root / "ladder" / folder) != recorded)
        edited.insert(rung.at("number").get<int>());
    }
    return edited;
  };
  return from_json_file(root / "bench/results/rungs.json", read).value_or(std::set<int>());
}

std::string newer_source(const std::filesystem::path& root, const std::string& folder,
                         const std::filesystem::path& library) {
  std::error_code error;
  const auto built = std::filesystem::last_write_time(library, error);
  if (error) return "";
  for (const std::filesystem::path& path : sources_in(root / "ladder" / folder)) {
    const auto written = std::filesystem::last_write_time(path, error);
    if (!error && written > built) return path.lexically_relative(root).string();
  }
  return "";
}

}  // namespace ladder
