// SPDX-License-Identifier: MIT
#include "common/results_context.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>

#include "common/version.hpp"

namespace ladder {

using nlohmann::json;

json clock_fields(const std::vector<double>& values) {
  if (values.empty()) return nullptr;
  const auto [smallest, largest] = std::ranges::minmax(values);
  return {{"min", smallest}, {"median", median(values)}, {"max", largest}};
}

json results_context(const std::string& device, std::optional<Protocol> protocol,
                     const ClockLog& clocks, const std::map<std::string, std::string>& versions) {
  const auto now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  json context = {{"date", fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(now))},
                  {"device", device},
                  {"protocol", protocol ? json(name_of(*protocol)) : json(nullptr)},
                  {"sm_clock_mhz", clock_fields(clocks.sm_mhz)},
                  {"power_w", clock_fields(clocks.power_w)},
                  {"version", version()},
                  {"commit", commit()},
                  {"json_schema_version", 1}};
  for (const auto& [what, version] : versions)
    context[what] = version;
  return context;
}

std::string file_text(const json& results) {
  return results.dump(2) + "\n";
}

}  // namespace ladder
