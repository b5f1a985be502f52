// SPDX-License-Identifier: MIT
#include "ladder/program/rung_findings.hpp"

#include "common/version.hpp"
#include "emulator/run/own_files.hpp"

namespace ladder {

FindingsReport report_of(const std::string& command) {
  FindingsReport report;
  report.program = "ladder";
  report.command = command;
  report.version = commit();
  report.root = emulator::source_tree().string();
  return report;
}

Subject subject_of(const Rung& rung) {
  Subject subject;
  subject.facts = {{"rung", rung.number},
                   {"label", label(rung)},
                   {"folder", folder(rung)},
                   {"precision", rung.precision.name}};
  return subject;
}

nlohmann::json problem_json(const Problem& problem) {
  const auto& [shape, alpha, beta, seed] = problem;
  return {{"m", shape.M},   {"n", shape.N}, {"k", shape.K},
          {"alpha", alpha}, {"beta", beta}, {"seed", seed}};
}

FindingsReport report_of(const std::string& command, const Climb& climb, int exit_code) {
  FindingsReport report = report_of(command);
  report.facts = {{"problem", problem_json(climb.problem)}, {"device", climb.device}};
  report.exit_code = exit_code;
  for (const Entry& entry : climb.entries) {
    Subject& subject = report.subjects.emplace_back(subject_of(entry.rung));
    subject.outcome = name_of(entry.outcome);
    subject.findings = entry.findings;
  }
  return report;
}

}  // namespace ladder
