// SPDX-License-Identifier: MIT
/// \file  common/findings/report.hpp
/// \brief What a program found, for files that other programs read: our JSON, and SARIF 2.1.0.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "common/findings/finding.hpp"
#include "common/output_file.hpp"

namespace ladder {

/// What findings are of: a rung, a kernel's launch.
struct Subject {
  nlohmann::json facts = nlohmann::json::object();  ///< "rung": "03 shared_tile", ...: the schema
  std::string outcome;                              ///< "right", "wrong", "refused", "found"
  emulator::Place place = {};  ///< of its kernel: where findings without a place are shown
  std::vector<Finding> findings = {};
};

/// Everything that one run of a program found.
struct FindingsReport {
  std::string program;  ///< "ladder"
  std::string command;  ///< "check"
  std::string version;
  std::string root;                                 ///< folder that relative paths start from
  nlohmann::json facts = nlohmann::json::object();  ///< "problem", "card"
  std::vector<Subject> subjects = {};
  std::vector<Finding> findings = {};  ///< of no subject: an unknown rung, a missing machine
  int exit_code = 0;
};

/// As findings.schema.json has it.
nlohmann::json to_json(const FindingsReport& report);

/// As SARIF 2.1.0 has it: a rule for each code, a result for each finding, refusals as
/// notifications.
nlohmann::json to_sarif(const FindingsReport& report);

/// Where --json and --sarif go: to files, or to standard output.
class FindingsFiles {
 public:
  /// \param json,sarif  a path, "-" for standard output, or empty for none
  /// \throws std::invalid_argument  both are the same
  /// \throws std::runtime_error     a file cannot be written
  FindingsFiles(const std::string& json, const std::string& sarif);

  /// Whether standard output belongs to one of them, so that no text may go there.
  bool take_standard_output() const;

  void write(const FindingsReport& report) const;
  /// \param content  what goes to --json instead of the report
  void write(const nlohmann::json& content, const FindingsReport& report) const;

 private:
  std::optional<OutputFile> json_;
  std::optional<OutputFile> sarif_;
};

}  // namespace ladder
