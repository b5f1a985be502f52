// SPDX-License-Identifier: MIT
#include "common/findings/finding.hpp"

#include <fmt/format.h>

#include "emulator/run/sentence.hpp"

namespace ladder {
namespace {

using emulator::Fault;
using emulator::StrayShuffles;

/// A visitor of all that a finding may be.
template <class... Visitors>
struct Overloaded : Visitors... {
  using Visitors::operator()...;
};
template <class... Visitors>
Overloaded(Visitors...) -> Overloaded<Visitors...>;

/// "1,048,576"
std::string grouped(std::uint64_t value) {
  std::string digits = fmt::format("{}", value);
  for (std::ptrdiff_t at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > 0; at -= 3)
    digits.insert(static_cast<std::size_t>(at), ",");
  return digits;
}

std::string text_of(const StrayShuffles& stray) {
  return emulator::sentence(fmt::format(
      "{} in {}:{} asked lanes outside of its mask {}: what it got is undefined, and may be why "
      "the result is wrong.",
      stray.function, stray.place.file, stray.place.line,
      stray.times == 1 ? "once" : grouped(stray.times) + " times"));
}

}  // namespace

std::string name_of(const ProblemCase& of) {
  const auto& [shape, alpha, beta, seed] = of.problem;
  std::string text = fmt::format("M = {}, N = {}, K = {}, alpha = {}, beta = {}", shape.M, shape.N,
                                 shape.K, alpha, beta);
  if (!of.configuration.empty()) text += fmt::format(", configuration {}", of.configuration);
  if (of.late) text += *of.late ? ", copies that arrive late" : ", copies that arrive at once";
  if (of.last_block_first) text += ", the last block first";
  return text;
}

std::string_view code_of(FindingFamily family) {
  switch (family) {
    case FindingFamily::kFault:
      return "fault";
    case FindingFamily::kWrongResult:
      return "wrong-result";
    case FindingFamily::kRefusal:
      return "refusal";
    case FindingFamily::kCall:
      return "call";
    case FindingFamily::kSource:
      return "source";
  }
  return "";
}

std::string_view code_of(FindingLevel level) {
  switch (level) {
    case FindingLevel::kError:
      return "error";
    case FindingLevel::kWarning:
      return "warning";
    case FindingLevel::kNote:
      return "note";
  }
  return "";
}

FindingFamily family_of(const Finding& finding) {
  return std::visit(Overloaded{[](const Fault&) { return FindingFamily::kFault; },
                               [](const StrayShuffles&) { return FindingFamily::kFault; },
                               [](const Wrong&) { return FindingFamily::kWrongResult; },
                               [](const Refusal&) { return FindingFamily::kRefusal; },
                               [](const CallFinding&) { return FindingFamily::kCall; },
                               [](const SourceError&) { return FindingFamily::kSource; }},
                    finding.what);
}

FindingLevel level_of(const Finding& finding) {
  if (std::holds_alternative<StrayShuffles>(finding.what)) return FindingLevel::kWarning;
  const auto* const source = std::get_if<SourceError>(&finding.what);
  if (source != nullptr && is_note(source->kind)) return FindingLevel::kNote;
  const auto* const call = std::get_if<CallFinding>(&finding.what);
  if (call == nullptr) return FindingLevel::kError;
  switch (group_of(call->reason)) {
    case CallGroup::kLeak:
      return FindingLevel::kWarning;
    case CallGroup::kNote:
      return FindingLevel::kNote;
    default:
      return FindingLevel::kError;
  }
}

std::string code_of(const Finding& finding) {
  return std::visit(
      Overloaded{[](const CallFinding& call) { return code_of(call); },
                 [](const StrayShuffles&) { return std::string(emulator::kStrayShuffleCode); },
                 [](const auto& other) { return std::string(code_of(other.kind)); }},
      finding.what);
}

emulator::Place place_of(const Finding& finding) {
  return std::visit(Overloaded{[](const Wrong&) { return emulator::Place(); },
                               [](const Refusal&) { return emulator::Place(); },
                               [](const auto& other) { return other.place; }},
                    finding.what);
}

std::string text_of(const Finding& finding) {
  return text_of(std::vector{finding});
}

std::string text_of(const std::vector<Finding>& findings) {
  std::string text;
  for (const Finding& finding : findings)
    text += std::visit([](const auto& what) -> std::string { return text_of(what); }, finding.what);
  if (findings.empty() || !findings.front().small_case) return text;
  return emulator::sentence(
             fmt::format("right for this problem, but wrong for a small one of integers ({}): ",
                         name_of(*findings.front().small_case))) +
         text;
}

std::vector<Finding> findings_of(const Verdict& verdict, const std::optional<ProblemCase>& of) {
  std::vector<Finding> findings;
  findings.reserve(verdict.wrong.size());
  for (const Wrong& wrong : verdict.wrong)
    findings.emplace_back(wrong, of);
  return findings;
}

}  // namespace ladder
