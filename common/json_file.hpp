// SPDX-License-Identifier: MIT
/// \file  common/json_file.hpp
/// \brief Reads JSON files; what is wrong with one is a sentence that names it.
#pragma once

#include <fmt/format.h>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>

namespace ladder {

/// What nlohmann::json says, without its name and number.
inline std::string plain_reason(const std::exception& error) {
  // "[json.exception.parse_error.101] parse error at line 3, column 7: ..."
  const std::string reason = error.what();
  const std::size_t end = reason.starts_with("[json.exception") ? reason.find("] ") : reason.npos;
  return end == reason.npos ? reason : reason.substr(end + 2);
}

/// \brief  What `read` makes of the JSON in a file.
/// \return nothing where there is no file
/// \throws std::runtime_error  the file cannot be read, is no JSON, or not what `read` takes: a
///         sentence that names it and says how to get it back
template <class Read>
auto from_json_file(const std::filesystem::path& path, Read read)
    -> std::optional<decltype(read(nlohmann::json()))> {
  std::error_code error;
  if (!std::filesystem::exists(path, error)) return std::nullopt;
  const auto complain = [&](const std::string& reason) {
    throw std::runtime_error(
        fmt::format("{}: {}; repair the file, record it again, or bring the committed one back "
                    "with git restore",
                    path.string(), reason));
  };
  std::string reason;
  try {
    if (std::filesystem::is_directory(path)) complain("it is a folder");
    std::ifstream file(path);
    if (!file) complain(std::strerror(errno));
    return read(nlohmann::json::parse(file));
  } catch (const nlohmann::json::exception& wrong) {
    reason = plain_reason(wrong);
  } catch (const std::invalid_argument& wrong) {
    reason = wrong.what();
  }
  complain(reason);
  return std::nullopt;
}

/// \brief  A figure of a results file.
/// \throws std::invalid_argument  it is no number above 0, or larger than any of ours
inline double positive_figure(const nlohmann::json& value, const std::string& name) {
  constexpr double kMost = 1e18;
  if (value.is_number() && value.get<double>() > 0 && value.get<double>() <= kMost) return value;
  throw std::invalid_argument(
      fmt::format("{} is {}, and should be a number above 0", name, value.dump()));
}

}  // namespace ladder
