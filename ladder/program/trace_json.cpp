// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <stdexcept>

#include "ladder/program/kernel_report.hpp"
#include "ladder/program/results.hpp"
#include "ladder/program/trace_report.hpp"

namespace ladder {
namespace {

using nlohmann::json;

/// Tiles whose times are listed.
constexpr std::size_t kTilesShown = 16;

constexpr const char* kPageTemplate = LADDER_SOURCE_DIR "/ladder/program/trace_page.html";

json number(std::optional<double> value) {
  if (!value) return nullptr;
  const auto whole = static_cast<std::int64_t>(*value);
  return static_cast<double>(whole) == *value ? json(whole) : json(*value);
}

json time_or_null(int time) {
  return time < 0 ? json(nullptr) : json(time);
}

json lines_of_rung(const RungTrace& trace) {
  json lines = lines_json(trace.kernel, trace.verdicts);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    lines[i]["wavefronts_per_multiply_add"] =
        wavefronts_per_multiply_add(trace, trace.kernel.lines[i]);
  }
  return lines;
}

json order_json(const emulator::OrderOfEvents& order) {
  json tiles = json::array();
  for (std::size_t i = 0; i < order.tiles.size() && i < kTilesShown; ++i) {
    const emulator::TileTimes& tile = order.tiles[i];
    tiles.push_back({{"tile", tile.tile},
                     {"array", tile.array},
                     {"loaded", time_or_null(tile.loaded)},
                     {"stored", time_or_null(tile.stored)},
                     {"first_read", time_or_null(tile.first_read)},
                     {"last_read", time_or_null(tile.last_read)}});
  }
  return {{"barriers_per_tile", order.barriers_per_tile},
          {"shared_loads_while_loading", order.shared_loads_in_flight},
          {"shared_loads_per_tile", order.shared_loads_per_tile},
          {"steps_ahead", order.steps_ahead},
          {"tiles", tiles}};
}

json warp_json(const emulator::KernelTrace& trace) {
  json requests = json::array();
  for (const emulator::WarpRequest& request : trace.warp) {
    json entry = {{"file", request.place.file},
                  {"line", request.place.line},
                  {"operation", emulator::name_of(request.operation)},
                  {"access_bytes", request.access_bytes},
                  {"lanes", request.lanes},
                  {"array", request.array},
                  {"bank0", request.bank0},
                  {"addresses", request.addresses}};
    const json counts = counts_json(request.counts);
    for (const char* name : {"sectors", "ideal_sectors", "lines", "wavefronts", "ideal_wavefronts"})
      entry[name] = counts.at(name);
    requests.push_back(entry);
  }
  return requests;
}

std::string text_of_file(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file) {
    throw std::runtime_error(fmt::format("cannot read {}: {}", path, std::strerror(errno)));
  }
  return text.str();
}

/// The files that the lines and hazards are in.
json sources_json(const RungTrace& trace) {
  std::set<std::string> files;
  for (const emulator::LineCounts& line : trace.kernel.lines)
    files.insert(line.file);
  for (const emulator::Hazard& hazard : trace.kernel.hazards)
    files.insert(hazard.place.file);
  json sources = json::array();
  for (const std::string& file : files) {
    if (file.empty()) continue;
    const std::string path = file.starts_with("/") ? file : LADDER_SOURCE_DIR "/" + file;
    sources.push_back({{"file", file}, {"text", text_of_file(path)}});
  }
  return sources;
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
      {"json_schema_version", 1}};
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

std::string trace_page(const RungTrace& trace) {
  constexpr std::string_view kMark = "/*TRACE*/null";
  std::string page = text_of_file(kPageTemplate);
  const std::size_t at = page.find(kMark);
  if (at == std::string::npos) {
    throw std::runtime_error(fmt::format("{} has no line with {}", kPageTemplate, kMark));
  }
  json data = to_json(trace);
  data["source"] = sources_json(trace);
  std::string text;
  for (const char c : data.dump()) {
    if (c == '<') {
      text += "\\u003c";  // "</script>" in a source would end the page's data
    } else {
      text += c;
    }
  }
  return page.replace(at, kMark.size(), text);
}

}  // namespace ladder
