// SPDX-License-Identifier: MIT
#include "glassbox/runtime/findings.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <utility>

#include "common/findings/finding.hpp"
#include "common/terminal/access_verdict.hpp"
#include "common/terminal/kernel_report.hpp"
#include "glassbox/runtime/allocations.hpp"
#include "glassbox/runtime/orders.hpp"

namespace ladder::glassbox {
namespace {

using nlohmann::json;

/// Files below the folder that the program was started in are named as a user names them.
void shorten_paths(json& part) {
  static const std::string& folder =
      *new std::string(std::filesystem::current_path().string() + "/");
  if (part.is_structured()) {
    for (json& inner : part)
      shorten_paths(inner);
  } else if (part.is_string() && part.get_ref<const std::string&>().starts_with(folder)) {
    part = part.get_ref<const std::string&>().substr(folder.size());
  }
}

std::vector<AccessVerdict> verdicts_of(const emulator::KernelTrace& trace) {
  std::vector<AccessVerdict> verdicts;
  verdicts.reserve(trace.lines.size());
  for (const emulator::LineCounts& line : trace.lines)
    verdicts.push_back(verdict_of(line, 0));
  return verdicts;
}

json launch_json(const Launch& launch) {
  json result = {{"label", launch.kernel},
                 {"kernel", launch.kernel},
                 {"file", launch.place.file},
                 {"line", launch.place.line},
                 {"number", launch.number},
                 {"grid", launch.grid},
                 {"block", launch.block},
                 {"traced", launch.is_traced},
                 {"findings", hazards_json(launch.trace)}};
  if (launch.error != cudaSuccess) result["cuda_error"] = cudaGetErrorName(launch.error);
  if (!launch.is_traced) return result;
  result["launch"] = {{"blocks", launch.trace.blocks},
                      {"threads_per_block", launch.trace.threads_per_block},
                      {"dynamic_shared_bytes", launch.dynamic_shared_bytes},
                      {"shared_bytes_per_block", launch.trace.shared_bytes},
                      {"barriers_per_block", launch.trace.barriers_per_block}};
  result["lines"] = lines_json(launch.trace, verdicts_of(launch.trace));
  if (orders().addresses) {
    result["order"] = order_json(launch.trace.order);
    result["warp"] = {
        {"block", launch.trace.warp_block}, {"warp", 0}, {"requests", warp_json(launch.trace)}};
  }
  return result;
}

/// What nobody gave back, as it is now.
std::vector<CallFinding> leaks() {
  std::vector<CallFinding> found;
  for (const Allocation* array : Allocations::instance().live()) {
    if (array->given_back) continue;
    found.push_back({.reason = CallReason::kNeverFreed,
                     .place = array->place,
                     .fields = {{"array", array->name}, {"bytes", array->bytes}}});
  }
  return found;
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

void Findings::add(CallFinding finding) {
  {
    const std::lock_guard lock(mutex_);
    const auto known = std::ranges::find_if(
        calls_, [&](const CallFinding& other) { return is_same(other, finding); });
    if (known == calls_.end()) {
      calls_.push_back(std::move(finding));
    } else {
      ++known->times;
    }
  }
  save();
}

void Findings::add(emulator::Fault fault) {
  {
    const std::lock_guard lock(mutex_);
    const auto known = std::ranges::find_if(
        faults_, [&](const emulator::Fault& other) { return is_same(other, fault); });
    if (known == faults_.end()) {
      faults_.push_back(std::move(fault));
    } else {
      ++known->times;
    }
  }
  save();
}

void Findings::add(Launch launch) {
  // What replays caches needs is large, and nobody replays them here.
  launch.trace.streams.clear();
  launch.trace.launched.clear();
  launch.trace.patterns.clear();
  {
    const std::lock_guard lock(mutex_);
    listed_.push_back(std::move(launch));
  }
  save();
}

void Findings::note(const CallProblem& problem, const emulator::Place& place) {
  const std::lock_guard lock(mutex_);
  CallFinding note = {.reason = problem.reason, .place = place, .fields = problem.fields};
  const bool is_known = std::ranges::any_of(calls_, [&](const CallFinding& other) {
    return is_same(other, note) && (place.line != 0 || other.fields == note.fields);
  });
  if (!is_known) calls_.push_back(std::move(note));
}

void Findings::save(bool ended) {
  const std::lock_guard lock(mutex_);
  if (orders().folder.empty()) return;
  json subjects = json::array();
  for (const Launch& launch : listed_)
    subjects.push_back(launch_json(launch));
  json findings = json::array();
  for (const emulator::Fault& fault : faults_)
    findings.push_back(to_json(fault));
  for (const CallFinding& call : calls_)
    findings.push_back(to_json(call));
  for (const CallFinding& leak : ended ? leaks() : std::vector<CallFinding>())
    findings.push_back(to_json(leak));
  json all = {{"launches", launches_},
              {"ended", ended},
              {"subjects", std::move(subjects)},
              {"findings", std::move(findings)}};
  shorten_paths(all);
  write(kFindingsFile, all.dump(-1, ' ', false, json::error_handler_t::replace));
}

namespace {

/// Writes the file once the program has ended, whichever way; and at first an empty one, for a
/// program that is killed before it has launched anything.
struct AtTheEnd {
  AtTheEnd() { Findings::instance().save(); }
  ~AtTheEnd() { Findings::instance().save(true); }
};
const AtTheEnd at_the_end;

}  // namespace

}  // namespace ladder::glassbox
