// SPDX-License-Identifier: MIT
/// \file  common/findings/finding.hpp
/// \brief One finding of any family, from the place where it is found to its last reader: what a
///        kernel did, what is wrong with its result, or why it was not run.
#pragma once

#include <concepts>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "common/findings/call_finding.hpp"
#include "common/findings/source_error.hpp"
#include "common/refusal.hpp"
#include "common/verify.hpp"
#include "common/wrong_pattern.hpp"
#include "emulator/run/fault.hpp"
#include "emulator/trace/trace.hpp"

namespace ladder {

/// Which problem a finding is of, where it is not the one that was asked for.
struct ProblemCase {
  Problem problem;
  bool integers = true;           ///< whose results must be exact
  std::string configuration;      ///< of a rung that chooses; empty: its own choice
  std::optional<bool> late = {};  ///< asynchronous copies arrive late, or at once; else no matter
  bool last_block_first = false;
};

/// "M = 5, N = 8, K = 1024, alpha = -2, beta = 0.5, copies that arrive late"
std::string name_of(const ProblemCase& of);

/// \brief A finding with the case that it is of.
struct Finding {
  using What = std::variant<emulator::Fault, Wrong, Refusal, emulator::StrayShuffles, CallFinding,
                            SourceError>;

  template <class Found>
  requires std::constructible_from<What, Found> Finding(Found found,
                                                        std::optional<ProblemCase> of = {})
      : what(std::move(found)), small_case(std::move(of)) {}

  What what;
  std::optional<ProblemCase> small_case;
};

enum class FindingFamily { kFault, kWrongResult, kRefusal, kCall, kSource };
enum class FindingLevel { kError, kWarning, kNote };

/// "fault", "wrong-result", "refusal", "call", "source"
std::string_view code_of(FindingFamily family);
/// "error", "warning", "note"
std::string_view code_of(FindingLevel level);

FindingFamily family_of(const Finding& finding);
FindingLevel level_of(const Finding& finding);
/// "race-between-blocks": the finding's name in JSON and the id of its rule.
std::string code_of(const Finding& finding);
/// Where it is in the source; line 0: nowhere.
emulator::Place place_of(const Finding& finding);
/// The finding in English, for people.
std::string text_of(const Finding& finding);
/// All that is wrong with one run, one behind the other; the case once, in front.
std::string text_of(const std::vector<Finding>& findings);

/// All findings of a verdict.
std::vector<Finding> findings_of(const Verdict& verdict,
                                 const std::optional<ProblemCase>& of = std::nullopt);

/// A finding as the published schema has it: see findings.schema.json.
nlohmann::json to_json(const Finding& finding);
/// \brief  The fault or call that to_json() made this of. An empty list is one of words.
/// \throws std::exception  it is no such finding
Finding finding_of(const nlohmann::json& written);
nlohmann::json to_json(const emulator::Fault& fault);
nlohmann::json to_json(const emulator::Fields& fields);

}  // namespace ladder
