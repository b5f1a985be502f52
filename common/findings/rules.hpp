// SPDX-License-Identifier: MIT
/// \file  common/findings/rules.hpp
/// \brief A rule for each code that a finding can have: what it means and what to do.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ladder {

struct FindingRule {
  std::string_view code;   ///< "race-between-blocks"
  std::string_view title;  ///< one line
  std::string help;        ///< what it means for the result, and what to do
  bool is_refusal = false;
};

/// The rules of all faults, wrong results, refusals and strays. Codes of CUDA's errors have none.
const std::vector<FindingRule>& finding_rules();

}  // namespace ladder
