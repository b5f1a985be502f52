// SPDX-License-Identifier: MIT
/// \file  glassbox/program_findings.hpp
/// \brief What was found in a program while it ran: from the file that its run time has written to
///        a report for people and to one for programs.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "common/findings/report.hpp"
#include "common/terminal/access_verdict.hpp"
#include "emulator/trace/trace.hpp"

namespace ladder::glassbox {

/// A launch that was traced, that was refused, or whose kernel failed.
struct LaunchFindings {
  nlohmann::json facts;  ///< all but the findings, as the report has them
  std::string kernel;
  emulator::Place place;
  bool is_traced = false;
  emulator::KernelTrace trace;          ///< hazards and the counts of its lines
  std::vector<AccessVerdict> verdicts;  ///< of the lines

  /// CUDA did not start it.
  bool is_refused() const;
};

struct ProgramFindings {
  std::uint64_t launches = 0;
  bool has_ended = false;  ///< by itself
  std::vector<LaunchFindings> listed = {};
  std::vector<Finding> findings = {};  ///< of no launch
};

/// \throws std::exception  it is not what the run time writes
ProgramFindings program_findings(const nlohmann::json& written);

/// Whether `check` ends with an error: leaks and notes do not count.
bool is_wrong(const ProgramFindings& found);

/// What a person is shown.
struct Shown {
  bool lines = false;      ///< the counts of each line
  bool traces = true;      ///< whether launches are traced at all
  bool is_chosen = false;  ///< the user has said which
};
std::string text_of(const ProgramFindings& found, const Shown& shown);

/// \brief The launches as subjects of a report, and the findings of none.
/// \param once  launches of a kernel at one line are one subject
void add_to(FindingsReport& report, const ProgramFindings& found, bool once);

}  // namespace ladder::glassbox
