// SPDX-License-Identifier: MIT
#include "common/findings/report.hpp"

#include <fmt/format.h>

#include <stdexcept>

namespace ladder {
namespace {

using nlohmann::json;

constexpr int kSchemaVersion = 1;

json findings_json(const std::vector<Finding>& findings) {
  json result = json::array();
  for (const Finding& finding : findings)
    result.push_back(to_json(finding));
  return result;
}

json subject_json(const Subject& subject) {
  json result = subject.facts;
  result["outcome"] = subject.outcome;
  result["findings"] = findings_json(subject.findings);
  if (subject.place.line != 0) {
    result["file"] = subject.place.file;
    result["line"] = subject.place.line;
  }
  return result;
}

}  // namespace

json to_json(const FindingsReport& report) {
  json result = report.facts;
  result["findings_schema_version"] = kSchemaVersion;
  result["tool"] = {
      {"name", report.program}, {"command", report.command}, {"version", report.version}};
  result["root"] = report.root;
  result["exit_code"] = report.exit_code;
  result["findings"] = findings_json(report.findings);
  result["subjects"] = json::array();
  for (const Subject& subject : report.subjects)
    result["subjects"].push_back(subject_json(subject));
  return result;
}

FindingsFiles::FindingsFiles(const std::string& json, const std::string& sarif) {
  if (!json.empty()) json_.emplace(json);
  if (!sarif.empty()) sarif_.emplace(sarif);
  if (!json_ || !sarif_ || !json_->is_same_file_as(*sarif_)) return;
  throw std::invalid_argument(
      fmt::format("--json and --sarif both name {}: give each a file of its own",
                  json_->is_standard_output() ? "standard output" : json));
}

bool FindingsFiles::take_standard_output() const {
  return (json_ && json_->is_standard_output()) || (sarif_ && sarif_->is_standard_output());
}

void FindingsFiles::write(const FindingsReport& report) const {
  write(to_json(report), report);
}

void FindingsFiles::write(const json& content, const FindingsReport& report) const {
  const auto text = [](const json& of) {
    return of.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
  };
  if (json_) json_->write(text(content));
  if (sarif_) sarif_->write(text(to_sarif(report)));
}

}  // namespace ladder
