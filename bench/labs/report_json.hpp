// SPDX-License-Identifier: MIT
/// \file  bench/labs/report_json.hpp
/// \brief A lab's report as a file of results.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "bench/labs/lab.hpp"
#include "common/version.hpp"

namespace ladder::labs {

/// Where and how a lab ran.
struct LabRun {
  std::string lab;      ///< its name
  std::string machine;  ///< "NVIDIA H200", "simulated h100", "emulator"
  bool quick = false;
  std::uint64_t seed = 1;
  double seconds = 0.0;
  std::map<std::string, std::string> versions;
  std::string program = version_text();  ///< which measured
  LabReport report;

  /// Whether all of it is of a simulated memory system.
  bool simulated() const { return machine.starts_with("simulated "); }
};

/// {"context": {...}, "lab": ..., "series": [...], "findings": [...], "claims": [...], ...}
nlohmann::ordered_json to_json(const LabRun& run);

/// The text of a file of results: to_json() with a line for each point.
std::string file_text(const LabRun& run);

/// \brief  Series, findings, claims and notes of such an object.
/// \throws nlohmann::json::exception  it has other entries
LabReport report_of(const nlohmann::ordered_json& json);

/// \brief  Reads what file_text() wrote.
/// \throws LabError  the file cannot be read, or is no lab's report; names it
LabRun load_run(const std::string& path);

/// The table of labs: number, name, question, what it needs.
nlohmann::ordered_json labs_json();

}  // namespace ladder::labs
