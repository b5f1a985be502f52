// SPDX-License-Identifier: MIT
#include "ladder/program/results.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>

#include "common/json_file.hpp"
#include "ladder/program/rung_findings.hpp"
#include "ladder/program/rung_sources.hpp"

namespace ladder {
namespace {

using nlohmann::json;

constexpr double kMostCounted = 1e18;  // bytes of the largest trace have 13 digits
constexpr const char* kRecordedClimb = "bench/results/{}/climb_{}_{}.json";
constexpr const char* kRecordedProfile = "bench/results/{}/profile_{}.json";
/// Counters are of the first of these that has profiled a rung.
constexpr std::array kProfiledOn = {"nvidia-h200", "nvidia-h100"};
/// Times are of the first of these; the second is named for rungs that it alone has timed.
constexpr std::array kTimedOn = {"nvidia-h200", "nvidia-h100"};

/// null where nothing was measured or the value is not a number JSON can hold
json number(double value) {
  return std::isfinite(value) ? json(value) : json(nullptr);
}

json timing_fields(const std::optional<Timing>& timing) {
  json fields = {{"time_ms", nullptr},
                 {"tflops", nullptr},
                 {"ratio_to_cublas", nullptr},
                 {"ratio_to_best", nullptr},
                 {"spread", nullptr},
                 {"share_of_roof", nullptr},
                 {"launches_per_sample", nullptr},
                 {"samples_ms", nullptr},
                 {"sm_clock_mhz", nullptr},
                 {"power_w", nullptr}};
  if (!timing) return fields;
  fields["time_ms"] = timing->time_ms;
  fields["tflops"] = timing->tflops;
  fields["ratio_to_cublas"] = timing->ratio_to_cublas;
  fields["ratio_to_best"] = timing->ratio_to_best;
  fields["spread"] = timing->spread;
  fields["launches_per_sample"] = timing->launches_per_sample;
  fields["samples_ms"] = timing->samples_ms;
  fields["sm_clock_mhz"] = clock_fields(timing->clocks.sm_mhz);
  fields["power_w"] = clock_fields(timing->clocks.power_w);
  if (timing->share_of_roof) fields["share_of_roof"] = *timing->share_of_roof;
  return fields;
}

json entry_json(const Entry& entry) {
  json fields = {{"name", folder(entry.rung)},
                 {"rung", entry.rung.number},
                 {"precision", entry.rung.precision.name},
                 {"outcome", name_of(entry.outcome)},
                 {"note", note_of(entry)},
                 {"findings", json::array()},
                 {"verified", entry.outcome == Outcome::right},
                 {"error_over_bound", nullptr},
                 {"difference_to_cublas", nullptr}};
  for (const Finding& finding : entry.findings)
    fields["findings"].push_back(to_json(finding));
  if (entry.verdict) {
    fields["error_over_bound"] = number(entry.verdict->error_over_bound);
    if (entry.verdict->difference_to_cublas) {
      fields["difference_to_cublas"] = number(*entry.verdict->difference_to_cublas);
    }
  }
  if (entry.counts) {
    fields["blocks"] = entry.counts->blocks;
    fields["threads_per_block"] = entry.counts->threads_per_block;
    fields["barriers_per_block"] = entry.counts->barriers_per_block;
  }
  if (entry.small) fields["small_problems"] = entry.small->verified;
  if (!entry.took.empty()) fields["configuration"] = entry.took;
  fields.update(problem_json(entry.problem));
  fields.update(timing_fields(entry.timing));
  return fields;
}

}  // namespace

json to_json(const Climb& climb, const std::map<std::string, std::string>& versions) {
  const json context = results_context(climb.device, climb.protocol, clocks_of(climb), versions);
  json entries = json::array();
  for (const Entry& entry : climb.entries)
    entries.push_back(entry_json(entry));
  for (const auto& [precision, timing] : climb.best_cublaslt) {
    json best = {
        {"name", best_cublaslt_name(precision)}, {"rung", nullptr}, {"precision", precision.name}};
    best.update(problem_json(climb.problem));
    best.update(timing_fields(timing));
    entries.push_back(best);
  }
  return {{"context", context}, {"benchmarks", entries}};
}

std::string file_text(const Climb& climb, const std::map<std::string, std::string>& versions) {
  return file_text(to_json(climb, versions));
}

std::vector<RecordedRegisters> recorded_registers(int rung) {
  std::vector<RecordedRegisters> found;
  for (const int size : {4096, 2048, 1024, 512, 256}) {
    const auto counters = recorded_counters(rung, size);
    const auto registers = counters.find("launch__registers_per_thread");
    if (registers == counters.end()) continue;
    found.push_back({size, static_cast<int>(registers->second)});
  }
  return found;
}

std::string profiled_on(int rung, int size) {
  const auto read = [&](const json& profile) -> std::string {
    for (const json& entry : profile.at("benchmarks")) {
      if (entry.at("rung").get<int>() == rung) return profile.at("context").at("device");
    }
    return "";
  };
  for (const char* const gpu : kProfiledOn) {
    const std::string name = fmt::format(kRecordedProfile, gpu, size);
    std::string device = from_json_file(emulator::source_tree() / name, read).value_or("");
    if (!device.empty()) return device;
  }
  return "";
}

std::map<std::string, double> recorded_counters(int rung, int size) {
  using Counters = std::map<std::string, double>;
  const auto read = [&](const json& profile) -> Counters {
    for (const json& entry : profile.at("benchmarks")) {
      if (entry.at("rung").get<int>() != rung) continue;
      Counters counters;
      for (const auto& [name, value] : entry.at("metrics").items()) {
        if (!value.is_number() || value < 0 || value > kMostCounted) {
          throw std::invalid_argument(
              fmt::format("{} of rung {} is {}, and should be a count", name, rung, value.dump()));
        }
        counters[name] = value;
      }
      return counters;
    }
    return {};
  };
  for (const char* const gpu : kProfiledOn) {
    const std::string name = fmt::format(kRecordedProfile, gpu, size);
    Counters counters = from_json_file(emulator::source_tree() / name, read).value_or(Counters());
    if (!counters.empty()) return counters;
  }
  return {};
}

std::optional<Recording> recorded_climb(const std::filesystem::path& root) {
  constexpr int kSize = 4096;
  return recorded_climb_at(kSize, root);
}

std::optional<Recording> recorded_climb_at(int size, const std::filesystem::path& root) {
  constexpr int kFirstBurst = 2048;
  const char* const protocol = size < kFirstBurst ? "graph" : "burst";
  const auto read = [](const json& results) {
    Recording recording{.device = results.at("context").at("device"),
                        .protocol = results.at("context").at("protocol"),
                        .size = 0,
                        .figures = {}};
    for (const json& entry : results.at("benchmarks")) {
      if (entry.at("rung").is_null() || entry.at("tflops").is_null()) continue;
      const std::string name = entry.at("name");
      recording.size = static_cast<int>(positive_figure(entry.at("m"), "m of " + name));
      recording.figures.push_back(
          {.rung = entry.at("rung").get<int>(),
           .tflops = positive_figure(entry.at("tflops"), "tflops of " + name),
           .ratio_to_best = positive_figure(entry.at("ratio_to_best"), "ratio_to_best of " + name),
           .precision = entry.value("precision", "FP32")});
    }
    if (recording.figures.empty()) throw std::invalid_argument("it has no figure of a rung");
    return recording;
  };
  const auto recorded_on = [&](const char* gpu) {
    return from_json_file(root / fmt::format(kRecordedClimb, gpu, protocol, size), read);
  };
  std::optional<Recording> recording = recorded_on(kTimedOn[0]);
  if (!recording) return recording;
  recording->edited = edited_rungs(root);
  if (const std::optional<Recording> other = recorded_on(kTimedOn[1])) {
    recording->other_device = other->device;
    for (const RecordedFigure& figure : other->figures)
      recording->on_other_device.insert(figure.rung);
  }
  return recording;
}

const RecordedFigure* figure_of(const Recording& recording, const Rung& rung) {
  if (recording.edited.contains(rung.number)) return nullptr;
  const auto found = std::ranges::find_if(recording.figures, [&](const RecordedFigure& figure) {
    return figure.rung == rung.number && figure.precision == rung.precision.name;
  });
  return found == recording.figures.end() ? nullptr : &*found;
}

}  // namespace ladder
