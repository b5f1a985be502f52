// SPDX-License-Identifier: MIT
#include "bench/benchmark/configuration_times.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <ranges>
#include <set>
#include <stdexcept>

#include "bench/benchmark/shapes.hpp"
#include "ladder/program/results.hpp"

namespace ladder::bench {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

/// Microseconds with four digits: a sample's spread is larger than what that leaves out.
json rounded_us(double ms) {
  const double us = ms * 1e3;
  const double scale = std::pow(10.0, 3 - std::floor(std::log10(us)));
  return std::round(us * scale) / scale;
}

/// "64 x 64", "32 x 64, clusters of 6": what is timed in one column.
std::string column_of(const WorkPlan& plan) {
  std::string column(plan.name);
  if (plan.cluster > 1) column += fmt::format(" of {}", plan.cluster);
  return column;
}

/// A configuration as if it were a rung of its own, so that a climb verifies and times it.
Rung as_rung(const Rung& rung, const WorkPlan& plan, std::string_view column) {
  Rung alone = rung;
  alone.name = column;
  alone.tile = plan.tile;
  alone.run = plan.launch;
  alone.explain = nullptr;
  alone.plans = nullptr;
  return alone;
}

/// \return what the library and each column took, and no other
json row_of(Machine& machine, std::span<const Rung> ladder, const Rung& rung, const Shape& shape,
            Protocol protocol) {
  const std::vector<WorkPlan> plans = worth_timing(rung.plans(shape));
  std::vector<std::string> columns;
  std::ranges::transform(plans, std::back_inserter(columns), column_of);
  std::vector<Rung> chosen = {rival_in(rung.precision, ladder)};
  for (std::size_t i = 0; i < plans.size(); ++i)
    chosen.push_back(as_rung(rung, plans[i], columns[i]));
  const Climb climb = ladder::climb(machine, {.ladder = ladder,
                                              .chosen = chosen,
                                              .problem = {.shape = shape},
                                              .protocol = protocol,
                                              .small_too = false});
  json us = json::object();
  for (const Entry& entry : climb.entries | std::views::drop(1)) {
    if (entry.timing) us[std::string(entry.rung.name)] = rounded_us(entry.timing->time_ms);
  }
  const double library_ms = std::min(climb.entries.at(0).timing.value().time_ms,
                                     climb.best_cublaslt.at(0).timing.time_ms);
  return {{"name", name_of(shape)},
          {"m", shape.M},
          {"n", shape.N},
          {"k", shape.K},
          {"library_us", rounded_us(library_ms)},
          {"us", us}};
}

}  // namespace

std::vector<WorkPlan> worth_timing(const std::vector<WorkPlan>& plans) {
  const double least = std::ranges::min_element(plans, {}, &WorkPlan::expected_us)->expected_us;
  std::vector<WorkPlan> worth;
  std::ranges::copy_if(plans, std::back_inserter(worth), [&](const WorkPlan& plan) {
    return plan.expected_us <= kWorthTiming * least;
  });
  return worth;
}

json configuration_times(Machine& machine, std::span<const Rung> ladder, const Rung& rung,
                         std::span<const Shape> shapes, Protocol protocol,
                         const std::function<void(const json&)>& on_row) {
  if (rung.plans == nullptr) {
    throw std::invalid_argument("rung " + label(rung) + " has one configuration for all shapes");
  }
  json times = {{"context", results_context(machine.name(), protocol, {}, machine.versions())},
                {"benchmarks", json::array()}};
  times["context"]["rung"] = rung.number;
  for (const Shape& shape : shapes) {
    times["benchmarks"].push_back(row_of(machine, ladder, rung, shape, protocol));
    on_row(times);
  }
  return times;
}

std::string configuration_times_text(const json& times) {
  std::set<std::string> columns;
  for (const json& row : times["benchmarks"]) {
    for (const auto& [column, us] : row["us"].items())
      columns.insert(column);
  }
  json context = times["context"];
  context["configurations"] = columns;
  std::string rows;
  for (const json& row : times["benchmarks"]) {
    json us = json::array();
    for (const std::string& column : columns)
      us.push_back(row["us"].value(column, json()));
    const ordered_json line = {{"name", row["name"]},
                               {"m", row["m"]},
                               {"n", row["n"]},
                               {"k", row["k"]},
                               {"library_us", row["library_us"]},
                               {"us", us}};
    rows += (rows.empty() ? "" : ",\n") + line.dump();
  }
  return "{\"context\": " + context.dump(1) + ",\n\"benchmarks\": [\n" + rows + "\n]}\n";
}

}  // namespace ladder::bench
