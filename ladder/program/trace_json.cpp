// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>

#include "common/results_context.hpp"
#include "common/terminal/kernel_report.hpp"
#include "common/terminal/trace_page.hpp"
#include "ladder/program/results.hpp"
#include "ladder/program/trace_report.hpp"

namespace ladder {
namespace {

using nlohmann::json;

json number(std::optional<double> value) {
  if (!value) return nullptr;
  const auto whole = static_cast<std::int64_t>(*value);
  return static_cast<double>(whole) == *value ? json(whole) : json(*value);
}

json lines_of_rung(const RungTrace& trace) {
  json lines = lines_json(trace.kernel, trace.verdicts);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    lines[i]["wavefronts_per_multiply_add"] =
        wavefronts_per_multiply_add(trace, trace.kernel.lines[i]);
  }
  return lines;
}

}  // namespace

json to_json(const RungTrace& trace) {
  const auto& [shape, alpha, beta, seed] = trace.problem;
  json metrics = json::object();
  for (const auto& [name, value] : trace.metrics)
    metrics[name] = number(value);
  const DeviceCard& card = trace.card;
  const Limit limit = limit_of(trace);
  json result = {
      {"context", results_context("CPU emulator", std::nullopt, {}, {})},
      {"rung", label(trace.rung)},
      {"folder", folder(trace.rung)},
      {"shape", {{"m", shape.M}, {"n", shape.N}, {"k", shape.K}}},
      {"alpha", alpha},
      {"beta", beta},
      {"seed", seed},
      {"card",
       {{"id", card.id}, {"name", card.name}, {"sms", card.sms}, {"l2_bytes", card.l2_bytes}}},
      {"verified", trace.verified ? json(*trace.verified) : json(nullptr)},
      {"launch",
       {{"blocks", trace.kernel.blocks},
        {"blocks_traced", trace.kernel.blocks_traced},
        {"threads_per_block", trace.kernel.threads_per_block},
        {"shared_bytes_per_block", trace.kernel.shared_bytes},
        {"blocks_per_sm", trace.blocks_per_sm},
        {"occupancy_limit", trace.occupancy_limit},
        {"registers_per_thread",
         trace.registers_per_thread > 0 ? json(trace.registers_per_thread) : json(nullptr)},
        {"waves", trace.waves},
        {"barriers_per_block", trace.kernel.barriers_per_block}}},
      {"metrics", metrics},
      {"limit", {{"quantity", name_of(limit.quantity)}, {"sentence", limit.sentence}}},
      {"lines", lines_of_rung(trace)},
      {"order", order_json(trace.kernel.order)},
      {"hazards", hazards_json(trace.kernel)},
      {"json_schema_version", 2}};
  for (const emulator::Place& place : trace.kernel.polls)
    result["polls"].push_back({{"file", place.file}, {"line", place.line}});
  if (!trace.kernel.warp.empty()) {
    result["warp"] = {{"block", trace.warp_block},
                      {"warp", trace.warp_number},
                      {"requests", warp_json(trace.kernel)}};
  }
  return result;
}

std::string file_text(const RungTrace& trace) {
  return file_text(to_json(trace));
}

std::string trace_page(const RungTrace& trace, const std::vector<MarkedLines>& marked) {
  json data = to_json(trace);
  for (const auto& [file, lines] : marked)
    data["marked"].push_back({{"file", file}, {"lines", lines}});
  return page_of_trace(data);
}

}  // namespace ladder
