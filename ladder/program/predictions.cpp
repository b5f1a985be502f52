// SPDX-License-Identifier: MIT
#include "ladder/program/predictions.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "common/output_file.hpp"
#include "common/results_context.hpp"
#include "emulator/run/own_files.hpp"

namespace ladder {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

std::string key_of(int rung) {
  return fmt::format("{:02}", rung);
}

/// \throws std::runtime_error  it is not {"03": {"gain": 1.5}}
void require_predictions(const json& all) {
  if (!all.is_object()) throw std::runtime_error("it is not a JSON object");
  for (const auto& [rung, answers] : all.items()) {
    if (!answers.is_object()) {
      throw std::runtime_error(fmt::format("\"{}\" is not a JSON object", rung));
    }
    for (const auto& [question, answer] : answers.items()) {
      if (!answer.is_number()) {
        throw std::runtime_error(fmt::format("\"{}\" of \"{}\" is not a number", question, rung));
      }
    }
  }
}

std::string trimmed(const std::string& text) {
  constexpr const char* kBlanks = " \t\r\n";
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string::npos) return "";
  return text.substr(begin, text.find_last_not_of(kBlanks) + 1 - begin);
}

}  // namespace

std::string predictions_path() {
  const auto variable = [](const char* name) {
    const char* const value = std::getenv(name);
    return std::string(value == nullptr ? "" : value);
  };
  if (std::string named = variable("LADDER_PREDICTIONS"); !named.empty()) return named;
  if (!emulator::installed()) return emulator::source_tree() / ".predictions.json";
  // Where programs keep what a user has made: XDG Base Directory Specification.
  const fs::path home = variable("HOME");
  const fs::path kept = variable("XDG_DATA_HOME");
  if (kept.empty() && home.empty()) {
    throw std::runtime_error(
        "HOME is not set, so there is no place for your predictions: name a file in "
        "LADDER_PREDICTIONS");
  }
  return (kept.empty() ? home / ".local/share" : kept) / "gemm_ladder/predictions.json";
}

Predictions::Predictions(std::string path) : path_(std::move(path)) {
  if (!fs::exists(path_)) return;
  std::ifstream file(path_);
  if (!file) {
    throw std::runtime_error(
        fmt::format("cannot read your predictions in {}: {}", path_, std::strerror(errno)));
  }
  try {
    const json all = json::parse(file);
    require_predictions(all);
    all.get_to(all_);
  } catch (const std::exception& error) {  // of nlohmann::json, or of the check
    throw std::runtime_error(fmt::format(
        "cannot read your predictions in {}: {}. The file was left as it is: repair it, or move "
        "it away to start afresh",
        path_, error.what()));
  }
}

Answers Predictions::of(int rung) const {
  const auto found = all_.find(key_of(rung));
  return found == all_.end() ? Answers() : found->second;
}

void Predictions::keep(int rung, const Answers& answers) {
  std::error_code unwritable;  // OutputFile says so
  fs::create_directories(fs::path(path_).parent_path(), unwritable);
  const OutputFile file(path_);
  std::map<std::string, Answers> all = all_;
  for (const auto& [question, answer] : answers)
    all[key_of(rung)][question] = answer;
  file.write(file_text(all));
  all_ = std::move(all);
}

double prediction_from(const std::string& text) {
  const std::string digits = trimmed(text);
  double value = 0;
  const char* const end = digits.data() + digits.size();
  const auto [rest, error] = std::from_chars(digits.data(), end, value);
  if (digits.empty() || error != std::errc() || rest != end || !std::isfinite(value)) {
    throw std::invalid_argument(
        fmt::format("'{}' is not a number: write one such as 1.5, without a unit", digits));
  }
  if (value < 0) {
    throw std::invalid_argument(
        fmt::format("{} is negative: no figure here can be less than 0", digits));
  }
  return value;
}

}  // namespace ladder
