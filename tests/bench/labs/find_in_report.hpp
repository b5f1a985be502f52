// SPDX-License-Identifier: MIT
/// \file  tests/bench/labs/find_in_report.hpp
/// \brief Entries of a lab's report by their keys.
#pragma once

#include <algorithm>
#include <stdexcept>
#include <string>

#include "bench/labs/lab.hpp"

namespace ladder::labs {

inline const Finding& finding(const LabReport& report, const std::string& key) {
  const auto found = std::ranges::find(report.findings, key, &Finding::key);
  if (found == report.findings.end()) throw std::out_of_range("no finding " + key);
  return *found;
}

inline double value_of(const LabReport& report, const std::string& key) {
  return finding(report, key).value.value().value;
}

inline const ClaimCheck& claim(const LabReport& report, const std::string& row) {
  const auto found = std::ranges::find(report.claims, row, &ClaimCheck::row);
  if (found == report.claims.end()) throw std::out_of_range("no claim " + row);
  return *found;
}

}  // namespace ladder::labs
