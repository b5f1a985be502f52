// SPDX-License-Identifier: MIT
#include "common/terminal/kernel_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <span>
#include <sstream>

#include "common/findings/finding.hpp"
#include "common/terminal/text_table.hpp"

namespace ladder {
namespace {

using emulator::AccessCounts;
using emulator::LineCounts;
using nlohmann::json;

/// Tiles whose times are listed.
constexpr std::size_t kTilesShown = 16;

/// All lines of a file of the sources; none where it cannot be read.
std::vector<std::string> source_of(const std::string& file, Sources sources) {
  std::istringstream stream(text_of_source(file, sources).value_or(""));
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);)
    lines.push_back(line);
  return lines;
}

std::string code_of(const std::vector<std::string>& source, unsigned line) {
  if (line == 0 || line > source.size()) return "";
  const std::string& text = source[line - 1];
  const std::size_t start = text.find_first_not_of(' ');
  return start == std::string::npos ? "" : text.substr(start, 72);
}

json time_or_null(int time) {
  return time < 0 ? json(nullptr) : json(time);
}

}  // namespace

std::string grouped(double value) {
  std::string digits = fmt::format("{:.0f}", value);
  for (std::ptrdiff_t at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > 0; at -= 3)
    digits.insert(static_cast<std::size_t>(at), ",");
  return digits;
}

double per(std::uint64_t count, std::uint64_t requests) {
  return requests == 0 ? 0 : static_cast<double>(count) / static_cast<double>(requests);
}

std::string sectors_text(const AccessCounts& counts) {
  return fmt::format("{:.1f} ({:.1f})", per(counts.sectors, counts.requests),
                     per(counts.ideal_sectors, counts.requests));
}

std::string wavefronts_text(const AccessCounts& counts) {
  return fmt::format("{:.1f} ({:.1f})", per(counts.wavefronts, counts.requests),
                     per(counts.ideal_wavefronts, counts.requests));
}

std::string lines_table(const emulator::KernelTrace& trace,
                        const std::vector<AccessVerdict>& verdicts, Sources sources) {
  TextTable table({-28, 5, 13, 15, 15});
  std::string file;
  std::vector<std::string> source;
  unsigned shown = 0;
  for (std::size_t i = 0; i < trace.lines.size(); ++i) {
    const LineCounts& line = trace.lines[i];
    if (line.file != file) {
      file = line.file;
      source = source_of(file, sources);
      shown = 0;
      table.add(fmt::format("\n{}\n", file));
      table.heading({"", "", "", "sectors per", "wavefronts per"});
      table.heading(
          {"     operation, array", "bytes", "requests", "request (ideal)", "request (ideal)"});
    }
    if (line.line != shown) {
      shown = line.line;
      table.add(fmt::format("{:>5}  {}\n", line.line, code_of(source, line.line)));
    }
    const AccessCounts& counts = line.counts;
    table.row({"     " + emulator::name_of(line.operation) + " " + line.array,
               line.access_bytes > 0 ? fmt::format("{}", line.access_bytes)
               : line.operation != emulator::Operation::kProduct ? "box"
                                                                 : "",
               grouped(static_cast<double>(counts.requests)),
               counts.sectors > 0 ? sectors_text(counts) : "",
               counts.wavefronts > 0 ? wavefronts_text(counts) : ""});
    if (!verdicts[i].text.empty()) table.add(wrapped(verdicts[i].text, 7, 7));
  }
  return table.text();
}

std::string hazards_text(const emulator::KernelTrace& trace,
                         const std::function<std::string(std::string)>& shown, std::size_t most) {
  std::string text;
  const std::span<const emulator::Fault> all = trace.hazards;
  for (const emulator::Fault& hazard : all.first(std::min(most, all.size()))) {
    const std::string times =
        hazard.times > 1 ? fmt::format(" ({} times)", grouped(static_cast<double>(hazard.times)))
                         : "";
    const std::string sentence = text_of(hazard);
    text += wrapped("- " + (shown ? shown(sentence) : sentence) + times, 2);
  }
  if (all.size() > most) text += fmt::format("- and {} more\n", all.size() - most);
  return text;
}

json counts_json(const AccessCounts& counts) {
  return {{"requests", counts.requests},
          {"lanes", counts.lanes},
          {"bytes", counts.bytes},
          {"sectors", counts.sectors},
          {"ideal_sectors", counts.ideal_sectors},
          {"lines", counts.lines},
          {"wavefronts", counts.wavefronts},
          {"ideal_wavefronts", counts.ideal_wavefronts}};
}

json lines_json(const emulator::KernelTrace& trace, const std::vector<AccessVerdict>& verdicts) {
  json lines = json::array();
  for (std::size_t i = 0; i < trace.lines.size(); ++i) {
    const emulator::LineCounts& line = trace.lines[i];
    json entry = {
        {"file", line.file},
        {"line", line.line},
        {"operation", emulator::name_of(line.operation)},
        {"array", line.array},
        {"access_bytes", line.access_bytes},
        {"pattern", verdicts[i].pattern ? json(code_of(verdicts[i].pattern->kind)) : json(nullptr)},
        {"verdict", verdicts[i].text}};
    entry.update(counts_json(line.counts));
    lines.push_back(entry);
  }
  return lines;
}

json hazards_json(const emulator::KernelTrace& trace) {
  json hazards = json::array();
  for (const emulator::Fault& hazard : trace.hazards)
    hazards.push_back(to_json(hazard));
  return hazards;
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

}  // namespace ladder
