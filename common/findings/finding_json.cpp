// SPDX-License-Identifier: MIT
#include <cmath>
#include <nlohmann/json.hpp>

#include "common/findings/finding.hpp"

namespace ladder {
namespace {

using emulator::Fault;
using nlohmann::json;

/// JSON has no NaN and no infinity.
json number(double value) {
  if (std::isfinite(value)) return value;
  return std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
}

/// {"file", "line"}, or nothing where no line is known.
void add_place(json& to, const emulator::Place& place) {
  if (place.line == 0) return;
  to["file"] = place.file;
  to["line"] = place.line;
}

json element_json(const emulator::Element& element) {
  json result = {{"name", name_of(element)},
                 {"space", code_of(element.space)},
                 {"array", element.array},
                 {"indices", element.indices},
                 {"extents", element.extents}};
  if (!element.expression.empty()) result["expression"] = element.expression;
  if (element.columns && !element.indices.empty()) {
    const std::int64_t columns = *element.columns;
    const std::int64_t index = element.indices[0];
    const std::int64_t row = index >= 0 ? index / columns : -((-index + columns - 1) / columns);
    result["row"] = row;
    result["column"] = index - row * columns;
  }
  return result;
}

json other_json(const emulator::OtherAccess& other) {
  json result = {{"thread", other.thread}, {"same_thread", other.same_thread}};
  add_place(result, other.place);
  if (other.verb) result["verb"] = code_of(*other.verb);
  if (other.block) result["block"] = *other.block;
  return result;
}

json group_json(const emulator::ThreadGroup& group) {
  json result = {{"block", group.block},
                 {"threads", emulator::ranges_of(group.threads)},
                 {"first", group.first},
                 {"waits_for", code_of(group.wait)},
                 {"missing", to_json(group.missing)}};
  add_place(result, group.place);
  return result;
}

json range_json(const WrongRange& range) {
  return {{"first", range.first},
          {"last", range.last},
          {"everywhere", range.everywhere},
          {"last_tile", range.last_tile}};
}

json what_json(const Fault& fault) {
  return to_json(fault);
}

json what_json(const emulator::StrayShuffles& stray) {
  json result = {{"times", stray.times}, {"fields", {{"function", stray.function}}}};
  add_place(result, stray.place);
  return result;
}

json what_json(const Wrong& wrong) {
  json result = {{"fields", to_json(wrong.fields)}};
  if (wrong.where) {
    result["where"] = {{"code", code_of(wrong.where->kind)},
                       {"rows", range_json(wrong.where->rows)},
                       {"columns", range_json(wrong.where->columns)}};
  }
  if (!wrong.first) return result;
  result["wrong_elements"] = wrong.wrong_elements;
  result["elements"] = wrong.elements;
  result["first"] = {{"row", wrong.first->row},
                     {"column", wrong.first->column},
                     {"got", number(wrong.first->got)},
                     {"expected", number(wrong.first->expected)}};
  if (wrong.first->block_tile) result["first"]["block_tile"] = *wrong.first->block_tile;
  return result;
}

json what_json(const Refusal& refusal) {
  return {{"fields", to_json(refusal.fields)}};
}

json what_json(const CallFinding& call) {
  json result = {
      {"times", call.times}, {"function", call.function}, {"fields", to_json(call.fields)}};
  add_place(result, call.place);
  return result;
}

json case_json(const ProblemCase& of) {
  const auto& [shape, alpha, beta, seed] = of.problem;
  json result = {{"m", shape.M},
                 {"n", shape.N},
                 {"k", shape.K},
                 {"alpha", alpha},
                 {"beta", beta},
                 {"seed", seed},
                 {"integers", of.integers},
                 {"configuration", of.configuration},
                 {"last_block_first", of.last_block_first}};
  if (of.late) result["copies"] = *of.late ? "late" : "at-once";
  return result;
}

}  // namespace

json to_json(const emulator::Fields& fields) {
  json result = json::object();
  for (const auto& [name, value] : fields.all()) {
    result[name] = std::visit(
        [](const auto& any) -> json {
          if constexpr (std::is_same_v<std::decay_t<decltype(any)>, double>) return number(any);
          return any;
        },
        value.any());
  }
  return result;
}

json to_json(const Fault& fault) {
  json result = {{"code", code_of(fault.kind)},
                 {"group", code_of(group_of(fault.kind))},
                 {"message", text_of(fault)},
                 {"times", fault.times},
                 {"fields", to_json(fault.fields)}};
  add_place(result, fault.place);
  if (has_thread(fault)) {
    result["block"] = fault.block;
    result["thread"] = fault.thread;
  }
  if (fault.access) {
    result["access"] = {{"verb", code_of(fault.access->verb)}, {"bytes", fault.access->bytes}};
  }
  if (fault.other) result["other"] = other_json(*fault.other);
  if (fault.element && fault.element->is_known()) result["element"] = element_json(*fault.element);
  for (const emulator::ThreadGroup& group : fault.groups)
    result["thread_groups"].push_back(group_json(group));
  return result;
}

json to_json(const Finding& finding) {
  json result = std::visit([](const auto& what) { return what_json(what); }, finding.what);
  result["code"] = code_of(finding);
  result["family"] = code_of(family_of(finding));
  result["level"] = code_of(level_of(finding));
  result["message"] = text_of(finding);
  if (finding.small_case) result["case"] = case_json(*finding.small_case);
  return result;
}

}  // namespace ladder
