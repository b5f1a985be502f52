// SPDX-License-Identifier: MIT
/// \file  ladder/program/rung_findings.hpp
/// \brief What `check`, `run` and `climb` found of rungs, as a report for other programs.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "common/findings/report.hpp"
#include "ladder/program/climb.hpp"

namespace ladder {

/// A report without findings.
FindingsReport report_of(const std::string& command);

/// A rung, of which nothing is known yet.
Subject subject_of(const Rung& rung);

/// {"m", "n", "k", "alpha", "beta", "seed"}
nlohmann::json problem_json(const Problem& problem);

/// What a climb found.
FindingsReport report_of(const std::string& command, const Climb& climb, int exit_code);

}  // namespace ladder
