// SPDX-License-Identifier: MIT
#include "bench/benchmark/roofs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <stdexcept>

#include "common/json_file.hpp"
#include "common/results_context.hpp"
#include "emulator/run/own_files.hpp"

namespace ladder::bench {

using nlohmann::json;

json to_json(const std::vector<RoofFigure>& figures, const std::string& device, Protocol protocol,
             const std::map<std::string, std::string>& versions) {
  ClockLog clocks;
  json entries = json::array();
  for (const RoofFigure& figure : figures) {
    const ClockLog& log = figure.samples.clocks;
    clocks.sm_mhz.insert(clocks.sm_mhz.end(), log.sm_mhz.begin(), log.sm_mhz.end());
    clocks.power_w.insert(clocks.power_w.end(), log.power_w.begin(), log.power_w.end());
    entries.push_back({{"name", figure.name},
                       {"unit", figure.unit},
                       {"value", figure.value},
                       {"work_per_launch", figure.work_per_launch},
                       {"spread", spread(figure.samples.ms)},
                       {"launches_per_sample", figure.samples.launches_per_sample},
                       {"samples_ms", figure.samples.ms},
                       {"sm_mhz", log.sm_mhz},
                       {"power_w", log.power_w}});
  }
  return {{"context", results_context(device, protocol, clocks, versions)},
          {"benchmarks", entries}};
}

std::string roofs_text(const std::vector<RoofFigure>& figures) {
  std::string text;
  for (const RoofFigure& figure : figures) {
    text += fmt::format("{:<14} {:>9.1f} {:<8} spread {:.2f} %\n", figure.name, figure.value,
                        figure.unit, 100 * spread(figure.samples.ms));
  }
  return text;
}

std::string roofs_path(std::string_view device) {
  std::string folder;
  for (const char c : device)
    folder += std::isalnum(static_cast<unsigned char>(c)) != 0
                  ? static_cast<char>(std::tolower(static_cast<unsigned char>(c)))
                  : '-';
  return (emulator::source_tree() / "bench/results" / folder / "roofs.json").string();
}

std::optional<Roof> measured_roof(const std::string& path) {
  std::ifstream file(path);
  if (!file) return std::nullopt;
  try {
    const json results = json::parse(file);
    const auto value = [&](std::string_view name) {
      for (const json& entry : results.at("benchmarks")) {
        if (entry.at("name") == name) return positive_figure(entry.at("value"), std::string(name));
      }
      throw std::runtime_error(fmt::format("{} is missing", name));
    };
    return Roof{.fp32_tflops = value("ffma"),
                .dram_gbps = std::max(value("dram_copy"), value("dram_memcpy"))};
  } catch (const std::exception& error) {
    throw std::runtime_error(
        fmt::format("{} is no file of measured roofs ({}): remove it, or "
                    "measure again with make roofs",
                    path, error.what()));
  }
}

}  // namespace ladder::bench
