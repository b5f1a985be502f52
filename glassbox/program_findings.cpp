// SPDX-License-Identifier: MIT
#include "glassbox/program_findings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "common/terminal/kernel_report.hpp"
#include "common/terminal/text_table.hpp"
#include "emulator/run/sentence.hpp"

namespace ladder::glassbox {
namespace {

using emulator::Fault;
using emulator::FaultGroup;
using nlohmann::json;

/// "1 hazard", "2 hazards", "2 launches"
std::string counted(std::size_t count, const std::string& what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : what.ends_with("ch") ? "es" : "s");
}

std::string text_of(const emulator::Place& place) {
  return fmt::format("{}:{}", place.file, place.line);
}

/// ", 3 times"; once: nothing
std::string times_text(std::uint64_t times) {
  return times > 1 ? fmt::format(", {} times", times) : "";
}

// -- From JSON -----------------------------------------------------------------------------------

emulator::Operation operation_named(const std::string& name) {
  for (int i = 0; i <= static_cast<int>(emulator::Operation::kProduct); ++i) {
    const auto operation = static_cast<emulator::Operation>(i);
    if (emulator::name_of(operation) == name) return operation;
  }
  throw std::invalid_argument("no operation is called " + name);
}

emulator::LineCounts line_of(const json& written) {
  emulator::LineCounts line = {.file = written.at("file"),
                               .line = written.at("line"),
                               .operation = operation_named(written.at("operation")),
                               .array = written.at("array"),
                               .access_bytes = written.at("access_bytes"),
                               .counts = {}};
  line.counts.requests = written.at("requests");
  line.counts.lanes = written.at("lanes");
  line.counts.bytes = written.at("bytes");
  line.counts.sectors = written.at("sectors");
  line.counts.ideal_sectors = written.at("ideal_sectors");
  line.counts.lines = written.at("lines");
  line.counts.wavefronts = written.at("wavefronts");
  line.counts.ideal_wavefronts = written.at("ideal_wavefronts");
  return line;
}

LaunchFindings launch_of(const json& written) {
  LaunchFindings launch = {.facts = written,
                           .kernel = written.at("kernel"),
                           .place = {written.at("file"), written.at("line")},
                           .is_traced = written.at("traced"),
                           .trace = {},
                           .verdicts = {}};
  for (const char* const own : {"findings", "file", "line"})
    launch.facts.erase(own);
  for (const json& fault : written.at("findings"))
    launch.trace.hazards.push_back(std::get<Fault>(finding_of(fault).what));
  const auto product = [&](const char* of) {
    const emulator::Index extents = written.at(of);
    return std::uint64_t{extents[0]} * extents[1] * extents[2];
  };
  launch.trace.blocks = product("grid");
  launch.trace.threads_per_block = product("block");
  for (const json& line : written.value("lines", json::array())) {
    launch.trace.lines.push_back(line_of(line));
    launch.verdicts.push_back({.text = line.at("verdict")});
  }
  return launch;
}

// -- Launches of one kernel at one line ----------------------------------------------------------

/// Adds the hazards of another launch of the same kernel.
void add_hazards(std::vector<Fault>& all, const std::vector<Fault>& more) {
  for (const Fault& hazard : more) {
    const auto known =
        std::ranges::find_if(all, [&](const Fault& other) { return is_same(other, hazard); });
    if (known == all.end()) {
      all.push_back(hazard);
    } else {
      known->times += hazard.times;
      if (hazard.fields.has("updates")) known->fields.set("updates", true);
    }
  }
}

std::vector<LaunchFindings> merged(const std::vector<LaunchFindings>& launches) {
  std::vector<LaunchFindings> kernels;
  for (const LaunchFindings& launch : launches) {
    const auto known = std::ranges::find_if(kernels, [&](const LaunchFindings& other) {
      return other.kernel == launch.kernel && other.place == launch.place &&
             other.is_refused() == launch.is_refused();
    });
    if (known == kernels.end()) {
      kernels.push_back(launch);
    } else {
      add_hazards(known->trace.hazards, launch.trace.hazards);
    }
  }
  return kernels;
}

// -- For people ----------------------------------------------------------------------------------

std::string refused_text(const LaunchFindings& launch) {
  std::string text;
  for (const Fault& fault : launch.trace.hazards) {
    text += wrapped(
        fmt::format("- {}: {}, at {} ({}{})", launch.kernel, text_of(fault), text_of(launch.place),
                    launch.facts.at("cuda_error").get<std::string>(), times_text(fault.times)),
        2);
  }
  return text;
}

std::string kernel_text(const LaunchFindings& launch, const Shown& shown) {
  if (launch.is_refused()) return refused_text(launch);
  const auto& hazards = launch.trace.hazards;
  std::string text =
      wrapped(fmt::format("{} at {}, {} of {}: {}", launch.kernel, text_of(launch.place),
                          counted(launch.trace.blocks, "block"),
                          counted(launch.trace.threads_per_block, "thread"),
                          hazards.empty() ? "no hazards" : counted(hazards.size(), "hazard")),
              2);
  text += hazards_text(launch.trace);
  if (shown.lines && !launch.trace.lines.empty()) {
    text += lines_table(launch.trace, launch.verdicts, Sources::kProgram) + "\n";
  }
  return text;
}

/// A finding of no launch; leaks and notes are no items of the list.
std::string finding_text(const Finding& finding) {
  const emulator::Place place = place_of(finding);
  if (std::holds_alternative<SourceError>(finding.what)) {
    return wrapped(fmt::format("- {}, at {}", text_of(finding), text_of(place)), 2);
  }
  const auto* const call = std::get_if<CallFinding>(&finding.what);
  if (call == nullptr) return wrapped("- " + text_of(finding), 2);
  switch (group_of(call->reason)) {
    case CallGroup::kNote:
      return wrapped(place.line == 0 ? text_of(*call)
                                     : fmt::format("{}, at {}.", text_of(*call), text_of(place)),
                     2);
    case CallGroup::kLeak:
      return wrapped(emulator::sentence(fmt::format("{}, {} bytes from {}, was never freed.",
                                                    call->fields.word("array"),
                                                    call->fields.number("bytes"), text_of(place))),
                     2);
    default:
      return wrapped(fmt::format("- {}, at {} ({}{})", text_of(*call), text_of(place),
                                 code_of(*call), times_text(call->times)),
                     2);
  }
}

/// Errors first, then how much was traced, then what else there is to say.
bool is_error(const Finding& finding) {
  return level_of(finding) == FindingLevel::kError;
}

std::string traced_text(const ProgramFindings& found, const Shown& shown) {
  const auto traced =
      static_cast<std::size_t>(std::ranges::count_if(found.listed, &LaunchFindings::is_traced));
  if (!shown.traces) return "";
  if (found.launches == 0 && found.listed.empty()) {
    return "The program launched no kernel, so none was checked.\n";
  }
  if (traced >= found.launches) return "";
  return wrapped(fmt::format("{} of {} traced{}.", counted(traced, "launch"), found.launches,
                             shown.is_chosen ? "" : ": the first of each kernel at each line"),
                 2);
}

}  // namespace

bool LaunchFindings::is_refused() const {
  return std::ranges::any_of(trace.hazards, [](const Fault& fault) {
    return group_of(fault.kind) == FaultGroup::kLaunch;
  });
}

ProgramFindings program_findings(const json& written) {
  ProgramFindings found = {.launches = written.at("launches"), .has_ended = written.at("ended")};
  for (const json& launch : written.at("subjects"))
    found.listed.push_back(launch_of(launch));
  for (const json& finding : written.at("findings"))
    found.findings.push_back(finding_of(finding));
  return found;
}

bool is_wrong(const ProgramFindings& found) {
  return std::ranges::any_of(found.findings, is_error) ||
         std::ranges::any_of(found.listed, [](const LaunchFindings& launch) {
           return !launch.trace.hazards.empty();
         });
}

std::string text_of(const ProgramFindings& found, const Shown& shown) {
  std::string report;
  for (const LaunchFindings& launch : merged(found.listed))
    report += kernel_text(launch, shown);
  const auto add = [&](FindingLevel level) {
    for (const Finding& finding : found.findings) {
      if (level_of(finding) == level) report += finding_text(finding);
    }
  };
  add(FindingLevel::kError);
  report += traced_text(found, shown);
  add(FindingLevel::kWarning);
  add(FindingLevel::kNote);
  while (report.ends_with("\n\n"))
    report.pop_back();
  return report;
}

void add_to(FindingsReport& report, const ProgramFindings& found, bool once) {
  for (const LaunchFindings& launch : once ? merged(found.listed) : found.listed) {
    Subject subject = {.facts = launch.facts,
                       .outcome = launch.is_refused()            ? "refused"
                                  : launch.trace.hazards.empty() ? "clean"
                                                                 : "found",
                       .place = launch.place};
    for (const Fault& fault : launch.trace.hazards)
      subject.findings.emplace_back(fault);
    report.subjects.push_back(std::move(subject));
  }
  report.findings.insert(report.findings.end(), found.findings.begin(), found.findings.end());
}

}  // namespace ladder::glassbox
