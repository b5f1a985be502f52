// SPDX-License-Identifier: MIT
/// \file  common/findings/finding_reading.cpp
/// \brief From the JSON of faults and calls back to what it was made of.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "common/findings/finding.hpp"

namespace ladder {
namespace {

using emulator::Fault;
using emulator::Fields;
using emulator::FieldValue;
using nlohmann::json;

/// The value of an enum of `count` that has this code.
template <class Enum>
Enum with_code(const std::string& code, int count) {
  for (int i = 0; i < count; ++i) {
    if (code_of(static_cast<Enum>(i)) == code) return static_cast<Enum>(i);
  }
  throw std::invalid_argument("there is no finding with the code " + code);
}

constexpr int kVerbs = static_cast<int>(emulator::AccessVerb::kCopyTo) + 1;
constexpr int kWaits = static_cast<int>(emulator::WaitKind::kGone) + 1;

FieldValue value_of(const json& written) {
  if (written.is_boolean()) return written.get<bool>();
  if (written.is_number_integer()) return written.get<std::int64_t>();
  if (written.is_number()) return written.get<double>();
  if (written.is_string()) return written.get<std::string>();
  if (!written.empty() && written.front().is_number_integer()) {
    return written.get<FieldValue::Numbers>();
  }
  return written.get<FieldValue::Words>();
}

Fields fields_of(const json& written) {
  Fields fields;
  for (const auto& [name, value] : written.items())
    fields.set(name, value_of(value));
  return fields;
}

emulator::Place place_of(const json& written) {
  return {written.value("file", ""), written.value("line", 0u)};
}

emulator::OtherAccess other_of(const json& written) {
  emulator::OtherAccess other(place_of(written), written.value("thread", emulator::Index()));
  other.same_thread = written.value("same_thread", false);
  if (written.contains("verb")) {
    other.verb = with_code<emulator::AccessVerb>(written.at("verb"), kVerbs);
  }
  if (written.contains("block")) other.block = written.at("block").get<emulator::Index>();
  return other;
}

emulator::Element element_of(const json& written) {
  emulator::Element element;
  if (written.at("space") == code_of(emulator::MemorySpace::kShared)) {
    element.space = emulator::MemorySpace::kShared;
  }
  element.array = written.at("array");
  element.indices = written.at("indices").get<std::vector<std::int64_t>>();
  element.extents = written.at("extents").get<std::vector<std::int64_t>>();
  element.expression = written.value("expression", "");
  element.offset_bytes = written.value("offset_bytes", std::int64_t{0});
  if (written.contains("columns")) element.columns = written.at("columns").get<std::int64_t>();
  return element;
}

emulator::ThreadGroup group_of(const json& written) {
  emulator::ThreadGroup group = {
      .block = written.at("block"), .threads = {}, .first = written.at("first")};
  for (const auto& range : written.at("threads").get<std::vector<std::array<unsigned, 2>>>()) {
    for (unsigned thread = range[0]; thread <= range[1]; ++thread)
      group.threads.push_back(thread);
  }
  group.wait = with_code<emulator::WaitKind>(written.at("waits_for"), kWaits);
  group.missing = fields_of(written.at("missing"));
  group.place = place_of(written);
  return group;
}

Fault fault_of(const json& written) {
  Fault fault(with_code<emulator::FaultKind>(written.at("code"),
                                             static_cast<int>(emulator::kFaultKinds.size())),
              fields_of(written.at("fields")));
  fault.place = place_of(written);
  fault.times = written.at("times");
  fault.block = written.value("block", emulator::Index());
  fault.thread = written.value("thread", emulator::Index());
  if (written.contains("access")) {
    const json& access = written.at("access");
    fault.access =
        emulator::Access{.verb = with_code<emulator::AccessVerb>(access.at("verb"), kVerbs),
                         .bytes = access.at("bytes")};
  }
  if (written.contains("other")) fault.other = other_of(written.at("other"));
  if (written.contains("element")) fault.element = element_of(written.at("element"));
  for (const json& group : written.value("thread_groups", json::array()))
    fault.groups.push_back(group_of(group));
  return fault;
}

CallFinding call_of(const json& written) {
  CallFinding call = {
      .reason = with_code<CallReason>(written.at("reason"), static_cast<int>(kCallReasons.size())),
      .function = written.at("function"),
      .place = place_of(written),
      .fields = fields_of(written.at("fields")),
      .times = written.at("times")};
  const std::string code = written.at("code");
  if (code != code_of(call.reason)) call.error = code;
  return call;
}

}  // namespace

Finding finding_of(const json& written) {
  if (written.contains("reason")) return Finding(call_of(written));
  return Finding(fault_of(written));
}

}  // namespace ladder
