// SPDX-License-Identifier: MIT
#include "common/terminal/trace_page.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <stdexcept>
#include <string_view>

#include "common/terminal/source_text.hpp"
#include "emulator/run/own_files.hpp"

namespace ladder {
namespace {

using nlohmann::json;

constexpr const char* kPageTemplate = "common/terminal/trace_page.html";

void add_files(const json& entries, std::set<std::string>& files) {
  for (const json& entry : entries) {
    files.insert(entry.value("file", ""));
    if (const auto other = entry.find("other"); other != entry.end())
      files.insert(other->value("file", ""));
  }
}

/// The files that lines, hazards, findings and launches are in.
json sources_json(const json& data) {
  std::set<std::string> files;
  for (const char* key : {"lines", "hazards", "subjects", "findings"}) {
    if (data.contains(key)) add_files(data.at(key), files);
  }
  for (const json& launch : data.value("subjects", json::array())) {
    add_files(launch.value("lines", json::array()), files);
    add_files(launch.at("findings"), files);
  }
  const Sources sources = data.contains("subjects") ? Sources::kProgram : Sources::kLadder;
  json texts = json::array();
  for (const std::string& file : files) {
    if (file.empty()) continue;
    if (const auto text = text_of_source(file, sources))
      texts.push_back({{"file", file}, {"text", *text}});
  }
  return texts;
}

}  // namespace

std::string page_of_trace(json data) {
  constexpr std::string_view kMark = "/*TRACE*/null";
  const std::string path = (emulator::source_tree() / kPageTemplate).string();
  std::optional<std::string> page = text_of_file(path);
  if (!page)
    throw std::runtime_error(fmt::format("cannot read {}: {}", path, std::strerror(errno)));
  const std::size_t at = page->find(kMark);
  if (at == std::string::npos) {
    throw std::runtime_error(fmt::format("{} has no line with {}", path, kMark));
  }
  data["source"] = sources_json(data);
  std::string text;
  // A source need not be UTF-8: a stray byte becomes a replacement character.
  for (const char c : data.dump(-1, ' ', false, json::error_handler_t::replace)) {
    if (c == '<') {
      text += "\\u003c";  // "</script>" in a source would end the page's data
    } else {
      text += c;
    }
  }
  return page->replace(at, kMark.size(), text);
}

}  // namespace ladder
