// SPDX-License-Identifier: MIT
#include "common/findings/finding.hpp"
#include "common/findings/json_parts.hpp"

namespace ladder {
namespace {

using emulator::Fault;
using nlohmann::json;

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
                     {"got", number_json(wrong.first->got)},
                     {"expected", number_json(wrong.first->expected)}};
  if (wrong.first->block_tile) result["first"]["block_tile"] = *wrong.first->block_tile;
  return result;
}

json what_json(const Refusal& refusal) {
  return {{"fields", to_json(refusal.fields)}};
}

json what_json(const CallFinding& call) {
  return to_json(call);
}

json what_json(const SourceError& error) {
  json result = {{"group", is_lack(error.kind) ? "lacks" : "build"},
                 {"fields", to_json(error.fields)}};
  add_place(result, error.place);
  if (error.column != 0) result["column"] = error.column;
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
