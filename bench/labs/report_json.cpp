// SPDX-License-Identifier: MIT
/// \file  bench/labs/report_json.cpp
/// \brief A lab's report as a file of results.
#include "bench/labs/report_json.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "common/results_context.hpp"

namespace ladder::labs {
namespace {

using nlohmann::ordered_json;

/// Digits of a sample that are worth keeping: files stay small and readable.
double rounded(double value) {
  return std::stod(fmt::format("{:.5g}", value));
}

ordered_json estimate_json(const std::optional<Estimate>& estimate) {
  if (!estimate) return nullptr;
  return {{"value", estimate->value}, {"low", estimate->low}, {"high", estimate->high}};
}

ordered_json series_json(const Series& series) {
  ordered_json points = ordered_json::array();
  for (const Point& point : series.points) {
    ordered_json samples = ordered_json::array();
    for (const double sample : point.samples)
      samples.push_back(rounded(sample));
    points.push_back({{"x", point.x}, {"samples", samples}});
  }
  return {{"name", series.name},     {"x_name", series.x_name}, {"x_unit", series.x_unit},
          {"y_name", series.y_name}, {"y_unit", series.y_unit}, {"points", points}};
}

Series series_of(const ordered_json& json) {
  Series series = {.name = json.at("name"),
                   .x_name = json.at("x_name"),
                   .x_unit = json.at("x_unit"),
                   .y_name = json.at("y_name"),
                   .y_unit = json.at("y_unit"),
                   .points = {}};
  for (const ordered_json& point : json.at("points"))
    series.points.push_back({.x = point.at("x"), .samples = point.at("samples")});
  return series;
}

Finding finding_of(const ordered_json& json) {
  Finding finding = {.key = json.at("key"),
                     .name = json.at("name"),
                     .value = {},
                     .unit = json.at("unit"),
                     .how = json.at("how")};
  const ordered_json& value = json.at("value");
  if (!value.is_null()) {
    finding.value =
        Estimate{.value = value.at("value"), .low = value.at("low"), .high = value.at("high")};
  }
  return finding;
}

std::string_view needs_name(Needs needs) {
  switch (needs) {
    case Needs::emulator:
      return "emulator";
    case Needs::nvcc:
      return "nvcc";
    case Needs::two_gpus:
      return "two GPUs or simulation";
    case Needs::hopper:
      return "GPU of compute capability 9.0";
    default:
      return "GPU or simulation";
  }
}

}  // namespace

ordered_json to_json(const LabRun& run) {
  ordered_json json;
  json["context"] = results_context(run.machine, {}, {}, run.versions);
  json["lab"] = run.lab;
  json["quick"] = run.quick;
  json["seed"] = run.seed;
  json["seconds"] = rounded(run.seconds);
  json["findings"] = ordered_json::array();
  for (const Finding& finding : run.report.findings) {
    json["findings"].push_back({{"key", finding.key},
                                {"name", finding.name},
                                {"value", estimate_json(finding.value)},
                                {"unit", finding.unit},
                                {"how", finding.how}});
  }
  json["claims"] = ordered_json::array();
  for (const ClaimCheck& claim : run.report.claims) {
    json["claims"].push_back({{"row", claim.row},
                              {"claimed", claim.claimed},
                              {"verdict", claim.verdict},
                              {"because", claim.because}});
  }
  json["notes"] = run.report.notes;
  json["series"] = ordered_json::array();
  for (const Series& series : run.report.series)
    json["series"].push_back(series_json(series));
  return json;
}

std::string file_text(const LabRun& run) {
  ordered_json head = to_json(run);
  const ordered_json series = head.at("series");
  head.erase("series");
  std::string text = head.dump(1);
  text.erase(text.size() - 2);  // the end of the object
  text += ",\n \"series\": [";
  for (const ordered_json& curve : series) {
    ordered_json names = curve;
    names.erase("points");
    std::string line = names.dump();
    line.pop_back();
    text += (&curve == &series.front() ? "\n  " : ",\n  ") + line + ",\"points\":[";
    for (const ordered_json& point : curve.at("points"))
      text += (&point == &curve.at("points").front() ? "\n   " : ",\n   ") + point.dump();
    text += "]}";
  }
  return text + "]\n}\n";
}

LabReport report_of(const ordered_json& json) {
  LabReport report;
  for (const ordered_json& series : json.at("series"))
    report.series.push_back(series_of(series));
  for (const ordered_json& finding : json.at("findings"))
    report.findings.push_back(finding_of(finding));
  for (const ordered_json& claim : json.at("claims")) {
    report.claims.push_back({.row = claim.at("row"),
                             .claimed = claim.at("claimed"),
                             .verdict = claim.at("verdict"),
                             .because = claim.at("because")});
  }
  report.notes = json.at("notes");
  return report;
}

LabRun load_run(const std::string& path) {
  std::ifstream file(path);
  if (!file || std::filesystem::is_directory(path))
    throw LabError(fmt::format("{} cannot be read. Is it the name of a file?", path));
  try {
    const ordered_json json = ordered_json::parse(file);
    const ordered_json& context = json.at("context");
    LabRun run = {.lab = json.at("lab"),
                  .machine = context.at("device"),
                  .quick = json.at("quick"),
                  .seed = json.at("seed"),
                  .seconds = json.at("seconds"),
                  .versions = {},
                  .program = version_text(context.value("version", ""),
                                          context.value("commit", std::string(kNoCommit))),
                  .report = report_of(json)};
    return run;
  } catch (const nlohmann::json::exception& error) {
    throw LabError(
        fmt::format("{} is no report of a lab: {}. memory_lab run LAB --json FILE writes one", path,
                    error.what()));
  }
}

ordered_json labs_json() {
  ordered_json json = ordered_json::array();
  for (const Lab& lab : labs()) {
    json.push_back({{"number", lab.number},
                    {"name", lab.name},
                    {"question", lab.question},
                    {"needs", needs_name(lab.needs)},
                    {"quick_seconds", lab.quick_seconds}});
  }
  return json;
}

}  // namespace ladder::labs
