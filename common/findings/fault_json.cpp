// SPDX-License-Identifier: MIT
// Faults and calls alone: the run time of foreign programs has no other findings.
#include <cmath>
#include <nlohmann/json.hpp>

#include "common/findings/finding.hpp"
#include "common/findings/json_parts.hpp"

namespace ladder {
namespace {

using emulator::Fault;
using nlohmann::json;

json element_json(const emulator::Element& element) {
  json result = {{"name", name_of(element)},
                 {"space", code_of(element.space)},
                 {"array", element.array},
                 {"indices", element.indices},
                 {"extents", element.extents}};
  if (!element.expression.empty()) result["expression"] = element.expression;
  if (element.array.empty()) result["offset_bytes"] = element.offset_bytes;
  if (element.columns) result["columns"] = *element.columns;
  if (element.columns && !element.indices.empty()) {
    const std::int64_t columns = *element.columns;
    const std::int64_t index = element.indices[0];
    const std::int64_t row = index >= 0 ? index / columns : -((-index + columns - 1) / columns);
    result["row"] = row;
    result["column"] = index - row * columns;
  }
  return result;
}

json other_json(const emulator::OtherAccess& other, bool is_thread) {
  json result = json::object();
  if (is_thread) result = {{"thread", other.thread}, {"same_thread", other.same_thread}};
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

}  // namespace

json number_json(double value) {
  if (std::isfinite(value)) return value;
  return std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
}

void add_place(json& to, const emulator::Place& place) {
  if (place.line == 0) return;
  to["file"] = place.file;
  to["line"] = place.line;
}

json to_json(const emulator::Fields& fields) {
  json result = json::object();
  for (const auto& [name, value] : fields.all()) {
    result[name] = std::visit(
        [](const auto& any) -> json {
          if constexpr (std::is_same_v<std::decay_t<decltype(any)>, double>)
            return number_json(any);
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
  if (fault.other) result["other"] = other_json(*fault.other, has_thread(fault));
  if (fault.element && fault.element->is_known()) result["element"] = element_json(*fault.element);
  for (const emulator::ThreadGroup& group : fault.groups)
    result["thread_groups"].push_back(group_json(group));
  return result;
}

json to_json(const CallFinding& call) {
  json result = {{"code", code_of(call)},
                 {"reason", code_of(call.reason)},
                 {"group", code_of(group_of(call.reason))},
                 {"message", text_of(call)},
                 {"times", call.times},
                 {"function", call.function},
                 {"fields", to_json(call.fields)}};
  add_place(result, call.place);
  return result;
}

}  // namespace ladder
