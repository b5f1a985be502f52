// SPDX-License-Identifier: MIT
#include <optional>
#include <stdexcept>
#include <variant>

#include "common/findings/call_finding.hpp"
#include "emulator/run/sentence.hpp"

namespace ladder {
namespace {

using emulator::Fields;

/// A field as a sentence has it: a number or a word.
std::optional<std::string> shown(const Fields& fields, std::string_view name) {
  for (const auto& [own, value] : fields.all()) {
    if (own != name) continue;
    if (const auto* const number = std::get_if<std::int64_t>(&value.any())) {
      return std::to_string(*number);
    }
    if (const auto* const word = std::get_if<std::string>(&value.any())) return *word;
    throw std::logic_error("a sentence has numbers and words, and " + own + " is neither");
  }
  return std::nullopt;
}

/// \brief  A part of a sentence with its fields in their places.
/// \return nothing where one of them is not there
std::optional<std::string> filled(std::string_view part, const Fields& fields) {
  std::string text;
  while (true) {
    const std::size_t open = part.find('{');
    text += part.substr(0, open);
    if (open == std::string_view::npos) return text;
    const std::size_t close = part.find('}', open);
    const std::optional<std::string> field = shown(fields, part.substr(open + 1, close - open - 1));
    if (!field) return std::nullopt;
    text += *field;
    part.remove_prefix(close + 1);
  }
}

/// Likewise of a whole sentence, without the [parts] that lack a field.
std::string sentence_of(std::string_view form, const Fields& fields) {
  std::string text;
  while (true) {
    const std::size_t open = form.find('[');
    const std::optional<std::string> always = filled(form.substr(0, open), fields);
    if (!always) {
      throw std::logic_error("a finding lacks a field of \"" + std::string(form) + "\"");
    }
    text += *always;
    if (open == std::string_view::npos) return text;
    const std::size_t close = form.find(']', open);
    text += filled(form.substr(open + 1, close - open - 1), fields).value_or("");
    form.remove_prefix(close + 1);
  }
}

}  // namespace

std::string_view code_of(CallGroup group) {
  switch (group) {
    case CallGroup::kCall:
      return "call";
    case CallGroup::kLacks:
      return "lacks";
    case CallGroup::kHost:
      return "host";
    case CallGroup::kLeak:
      return "leak";
    case CallGroup::kNote:
      return "note";
  }
  return "";
}

std::string code_of(const CallFinding& finding) {
  return finding.error.empty() ? std::string(code_of(finding.reason)) : finding.error;
}

bool is_same(const CallFinding& a, const CallFinding& b) {
  return a.reason == b.reason && a.error == b.error && a.function == b.function &&
         a.place == b.place;
}

std::string text_of(const CallFinding& finding) {
  const Fields& fields = finding.fields;
  std::string text = finding.function.empty() ? "" : finding.function + ": ";
  text += sentence_of(facts_of(finding.reason).sentence, fields);
  if (const auto name = shown(fields, "given_as")) text += ", given as " + *name;
  if (const auto mode = shown(fields, "pointer_mode")) text += "; the pointer mode is " + *mode;
  return emulator::sentence(text);
}

}  // namespace ladder
