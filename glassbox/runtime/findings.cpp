// SPDX-License-Identifier: MIT
#include "glassbox/runtime/findings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <utility>

#include "common/terminal/access_verdict.hpp"
#include "common/terminal/kernel_report.hpp"
#include "common/terminal/text_table.hpp"
#include "glassbox/runtime/allocations.hpp"
#include "glassbox/runtime/orders.hpp"

namespace ladder::glassbox {
namespace {

using emulator::Fault;
using emulator::KernelTrace;
using nlohmann::json;

/// "1 hazard", "2 hazards", "2 launches"
std::string counted(std::size_t count, const std::string& what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : what.ends_with("ch") ? "es" : "s");
}

/// Files below the current folder are named as a user names them.
std::string with_short_paths(std::string text) {
  static const std::string& folder =
      *new std::string(std::filesystem::current_path().string() + "/");
  for (std::size_t at = 0; (at = text.find(folder, at)) != std::string::npos;)
    text.erase(at, folder.size());
  return text;
}

std::string text_of(const emulator::Place& place) {
  return with_short_paths(fmt::format("{}:{}", place.file, place.line));
}

/// Adds the hazards of another launch of the same kernel.
void add_hazards(KernelTrace& all, const KernelTrace& more) {
  for (const Fault& hazard : more.hazards) {
    const auto known = std::ranges::find_if(
        all.hazards, [&](const Fault& other) { return is_same(other, hazard); });
    if (known == all.hazards.end()) {
      all.hazards.push_back(hazard);
    } else {
      known->times += hazard.times;
    }
  }
}

std::vector<AccessVerdict> verdicts_of(const KernelTrace& trace) {
  std::vector<AccessVerdict> verdicts;
  verdicts.reserve(trace.lines.size());
  for (const emulator::LineCounts& line : trace.lines)
    verdicts.push_back(verdict_of(line, 0));
  return verdicts;
}

std::string shape_text(const TracedLaunch& launch) {
  return fmt::format("{} of {}", counted(launch.trace.blocks, "block"),
                     counted(launch.trace.threads_per_block, "thread"));
}

json launch_json(const TracedLaunch& launch) {
  json result = {{"kernel", launch.kernel},
                 {"file", launch.place.file},
                 {"line", launch.place.line},
                 {"number", launch.number},
                 {"grid", launch.grid},
                 {"block", launch.block},
                 {"launch",
                  {{"blocks", launch.trace.blocks},
                   {"threads_per_block", launch.trace.threads_per_block},
                   {"dynamic_shared_bytes", launch.dynamic_shared_bytes},
                   {"shared_bytes_per_block", launch.trace.shared_bytes},
                   {"barriers_per_block", launch.trace.barriers_per_block}}},
                 {"lines", lines_json(launch.trace, verdicts_of(launch.trace))},
                 {"hazards", hazards_json(launch.trace)}};
  if (orders().addresses) {
    result["order"] = order_json(launch.trace.order);
    result["warp"] = {
        {"block", launch.trace.warp_block}, {"warp", 0}, {"requests", warp_json(launch.trace)}};
  }
  return result;
}

/// Whole or not at all: the program may be killed meanwhile.
void write(const char* name, const std::string& text) {
  const std::string path = orders().folder + "/" + name;
  std::ofstream(path + ".new") << text;
  std::filesystem::rename(path + ".new", path);
}

}  // namespace

emulator::Place place_of(const std::source_location& here) {
  return {here.file_name(), here.line()};
}

Findings& Findings::instance() {
  static auto* const findings = new Findings();  // used until the very end of the process
  return *findings;
}

void Findings::add(Finding finding) {
  {
    const std::lock_guard lock(mutex_);
    const auto known = std::ranges::find_if(findings_, [&](const Finding& other) {
      return other.kind == finding.kind && other.place == finding.place;
    });
    if (known == findings_.end()) {
      findings_.push_back(std::move(finding));
    } else {
      ++known->times;
    }
  }
  save();
}

void Findings::add(TracedLaunch launch) {
  // What replays caches needs is large, and nobody replays them here.
  launch.trace.streams.clear();
  launch.trace.launched.clear();
  launch.trace.patterns.clear();
  {
    const std::lock_guard lock(mutex_);
    traced_.push_back(std::move(launch));
  }
  save();
}

void Findings::note(const std::string& sentence) {
  const std::lock_guard lock(mutex_);
  if (std::ranges::find(notes_, sentence) == notes_.end()) notes_.push_back(sentence);
}

std::string Findings::text(bool ended) {
  std::string text;
  // Launches of one kernel at one line are one entry.
  std::vector<std::pair<const TracedLaunch*, KernelTrace>> kernels;
  for (const TracedLaunch& launch : traced_) {
    auto known = std::ranges::find_if(kernels, [&](const auto& entry) {
      return entry.first->kernel == launch.kernel && entry.first->place == launch.place;
    });
    if (known == kernels.end()) known = kernels.insert(known, {&launch, KernelTrace()});
    add_hazards(known->second, launch.trace);
  }
  for (auto& [launch, hazards] : kernels) {
    text += wrapped(
        fmt::format(
            "{} at {}, {}: {}", launch->kernel, text_of(launch->place), shape_text(*launch),
            hazards.hazards.empty() ? "no hazards" : counted(hazards.hazards.size(), "hazard")),
        2);
    text += hazards_text(hazards, with_short_paths);
    if (orders().verb == Verb::kTrace && !launch->trace.lines.empty()) {
      text += lines_table(launch->trace, verdicts_of(launch->trace)) + "\n";
    }
  }
  for (const Finding& finding : findings_) {
    text += wrapped(
        fmt::format("- {}, at {} ({}{})", finding.sentence, text_of(finding.place), finding.kind,
                    finding.times > 1 ? fmt::format(", {} times", finding.times) : ""),
        2);
  }
  if (orders().verb != Verb::kRun && traced_.size() < launches_) {
    const bool chosen = !orders().kernel.empty() || orders().launch > 0;
    text += wrapped(fmt::format("{} of {} traced{}.", counted(traced_.size(), "launch"), launches_,
                                chosen ? "" : ": the first of each kernel at each line"),
                    2);
  }
  const auto never_freed = ended ? Allocations::instance().live() : std::vector<Allocation*>();
  for (const Allocation* array : never_freed) {
    text += wrapped(fmt::format("{}, {} bytes from {}, was never freed.", array->name, array->bytes,
                                text_of(array->place)),
                    2);
  }
  for (const std::string& note : notes_)
    text += wrapped(note, 2);
  return with_short_paths(text);
}

void Findings::save_traces() {
  json launches = json::array();
  for (const TracedLaunch& launch : traced_)
    launches.push_back(launch_json(launch));
  json findings = json::array();
  for (const Finding& finding : findings_) {
    findings.push_back({{"kind", finding.kind},
                        {"message", finding.sentence},
                        {"file", finding.place.file},
                        {"line", finding.place.line},
                        {"times", finding.times}});
  }
  json never_freed = json::array();
  for (const Allocation* array : Allocations::instance().live()) {
    never_freed.push_back({{"array", array->name},
                           {"bytes", array->bytes},
                           {"file", array->place.file},
                           {"line", array->place.line}});
  }
  const json all = {{"card", {{"id", card().id}, {"name", card().name}}},
                    {"launches", launches_},
                    {"traced", launches},
                    {"findings", findings},
                    {"never_freed", never_freed},
                    {"json_schema_version", 1}};
  write(kTracesFile, with_short_paths(all.dump(1)));
}

void Findings::save(bool ended) {
  const std::lock_guard lock(mutex_);
  if (orders().folder.empty()) return;
  write(kReportFile, text(ended));
  save_traces();
  const bool wrong =
      !findings_.empty() || std::ranges::any_of(traced_, [](const TracedLaunch& launch) {
        return !launch.trace.hazards.empty();
      });
  if (wrong) write(kWrongFile, "");
}

namespace {

/// Writes the report once the program has ended, whichever way; and at first an empty one, for a
/// program that is killed before it has launched anything.
struct AtTheEnd {
  AtTheEnd() { Findings::instance().save(); }
  ~AtTheEnd() { Findings::instance().save(true); }
};
const AtTheEnd at_the_end;

}  // namespace

}  // namespace ladder::glassbox
