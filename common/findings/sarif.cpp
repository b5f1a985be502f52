// SPDX-License-Identifier: MIT
/// \file  common/findings/sarif.cpp
/// \brief Findings as SARIF 2.1.0, which editors and code hosts read:
///        https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html
#include <fmt/format.h>

#include <filesystem>
#include <map>

#include "common/findings/report.hpp"
#include "common/findings/rules.hpp"

namespace ladder {
namespace {

using nlohmann::json;

constexpr const char* kRoot = "SRCROOT";

/// A path as a part of a URI (RFC 3986).
std::string uri_of(const std::string& path) {
  constexpr std::string_view kPlain =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/";
  std::string uri;
  for (const char c : path) {
    if (kPlain.find(c) != std::string_view::npos) {
      uri += c;
    } else {
      uri += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return uri;
}

/// Relative to the root where the file is below it, else absolute.
json artifact_of(const std::string& file, const std::string& root) {
  const std::filesystem::path path(file);
  if (path.is_relative()) return {{"uri", uri_of(path.lexically_normal())}, {"uriBaseId", kRoot}};
  const std::filesystem::path relative = path.lexically_relative(root);
  if (!relative.empty() && *relative.begin() != "..") {
    return {{"uri", uri_of(relative)}, {"uriBaseId", kRoot}};
  }
  return {{"uri", "file://" + uri_of(path)}};
}

json location_of(const emulator::Place& place, const std::string& root) {
  return {{"physicalLocation",
           {{"artifactLocation", artifact_of(place.file, root)},
            {"region", {{"startLine", place.line}}}}}};
}

/// The other places of a fault, each with what is there.
json related_locations(const emulator::Fault& fault, const std::string& root) {
  json locations = json::array();
  const auto add = [&](const emulator::Place& place, const std::string& text) {
    if (place.line == 0) return;
    json location = location_of(place, root);
    location["id"] = locations.size() + 1;
    location["message"] = {{"text", text}};
    locations.push_back(location);
  };
  if (fault.other) {
    const std::string what = fault.other->verb ? code_of(*fault.other->verb) : "the other thread";
    const std::string who = has_thread(fault) ? "thread " + emulator::to_text(fault.other->thread)
                            : fault.fields.has("other_work") ? fault.fields.word("other_work")
                                                             : "";
    add(fault.other->place, who.empty() ? what : fmt::format("{}, {}", what, who));
  }
  for (const emulator::ThreadGroup& group : fault.groups) {
    if (group.place == fault.place) continue;
    add(group.place,
        fmt::format("{} thread(s) wait here: {}", group.threads.size(), code_of(group.wait)));
  }
  return locations;
}

json descriptor_of(const FindingRule& rule) {
  return {{"id", rule.code},
          {"shortDescription", {{"text", fmt::format("{}.", rule.title)}}},
          {"fullDescription", {{"text", fmt::format("{}. {}", rule.title, rule.help)}}},
          {"help", {{"text", rule.help}}}};
}

/// The descriptors of the log, and the number of each.
struct Descriptors {
  json rules = json::array();
  json notifications = json::array();
  std::map<std::string, std::size_t, std::less<>> number = {};

  void add(const FindingRule& rule) {
    json& list = rule.is_refusal ? notifications : rules;
    number.emplace(rule.code, list.size());
    list.push_back(descriptor_of(rule));
  }
};

/// All of ours, and one for each code of CUDA's that was found.
Descriptors descriptors_of(const FindingsReport& report) {
  Descriptors descriptors;
  for (const FindingRule& rule : finding_rules())
    descriptors.add(rule);
  const auto add_call = [&](const Finding& finding) {
    const std::string code = code_of(finding);
    if (descriptors.number.contains(code)) return;
    descriptors.add({code, "A call of the host program fails",
                     "The call returns this error; see the documentation of the CUDA runtime."});
  };
  for (const Subject& subject : report.subjects) {
    for (const Finding& finding : subject.findings)
      add_call(finding);
  }
  for (const Finding& finding : report.findings)
    add_call(finding);
  return descriptors;
}

/// Results and notifications of one log.
struct Log {
  const FindingsReport& report;
  const Descriptors& descriptors;
  json results = json::array();
  json notifications = json::array();

  void add(const Finding& finding, const Subject* subject) {
    if (family_of(finding) == FindingFamily::kRefusal) {
      notifications.push_back(notification(finding, subject));
    } else {
      results.push_back(result(finding, subject));
    }
  }

 private:
  json result(const Finding& finding, const Subject* subject) const {
    const std::string code = code_of(finding);
    json entry = {{"ruleId", code},
                  {"ruleIndex", descriptors.number.at(code)},
                  {"level", code_of(level_of(finding))},
                  {"message", {{"text", message(finding, subject)}}},
                  {"properties", to_json(finding)}};
    add_location(entry, finding, subject);
    if (const auto* const fault = std::get_if<emulator::Fault>(&finding.what)) {
      const json related = related_locations(*fault, report.root);
      if (!related.empty()) entry["relatedLocations"] = related;
      if (fault->times > 1) entry["occurrenceCount"] = fault->times;
    }
    if (const auto* const call = std::get_if<CallFinding>(&finding.what); call && call->times > 1) {
      entry["occurrenceCount"] = call->times;
    }
    return entry;
  }

  json notification(const Finding& finding, const Subject* subject) const {
    const std::string code = code_of(finding);
    json entry = {{"descriptor", {{"id", code}, {"index", descriptors.number.at(code)}}},
                  {"level", subject == nullptr ? "error" : "note"},
                  {"message", {{"text", message(finding, subject)}}}};
    add_location(entry, finding, subject);
    return entry;
  }

  static std::string message(const Finding& finding, const Subject* subject) {
    const std::string text = text_of(finding);
    const bool named = subject != nullptr && subject->facts.contains("label");
    return named ? subject->facts.at("label").get<std::string>() + ": " + text : text;
  }

  /// A wrong result has no line: it is shown at the kernel's.
  void add_location(json& entry, const Finding& finding, const Subject* subject) const {
    emulator::Place place = place_of(finding);
    if (place.line == 0 && subject != nullptr) place = subject->place;
    if (place.line == 0) return;
    json location = location_of(place, report.root);
    const auto* const error = std::get_if<SourceError>(&finding.what);
    if (error != nullptr && error->column != 0) {
      location["physicalLocation"]["region"]["startColumn"] = error->column;
    }
    entry["locations"] = json::array({location});
  }
};

}  // namespace

json to_sarif(const FindingsReport& report) {
  const Descriptors descriptors = descriptors_of(report);
  Log log = {.report = report, .descriptors = descriptors};
  for (const Finding& finding : report.findings)
    log.add(finding, nullptr);
  for (const Subject& subject : report.subjects) {
    for (const Finding& finding : subject.findings)
      log.add(finding, &subject);
  }
  constexpr int kCouldNot = 2;  // exit code of programs that could not do what was asked for
  const std::string root = report.root.ends_with('/') ? report.root : report.root + "/";
  const json run = {{"tool",
                     {{"driver",
                       {{"name", fmt::format("{} {}", report.program, report.command)},
                        {"version", report.version},
                        {"rules", descriptors.rules},
                        {"notifications", descriptors.notifications}}}}},
                    {"originalUriBaseIds", {{kRoot, {{"uri", "file://" + uri_of(root)}}}}},
                    {"columnKind", "unicodeCodePoints"},
                    {"invocations",
                     {{{"executionSuccessful", report.exit_code != kCouldNot},
                       {"exitCode", report.exit_code},
                       {"toolExecutionNotifications", log.notifications}}}},
                    {"results", log.results}};
  return {{"$schema",
           "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/"
           "sarif-schema-2.1.0.json"},
          {"version", "2.1.0"},
          {"runs", json::array({run})}};
}

}  // namespace ladder
