// SPDX-License-Identifier: MIT
/// \file  bench/labs/report_text.hpp
/// \brief A lab's report as a person reads it in a terminal.
#pragma once

#include <string>

#include "bench/labs/lab.hpp"
#include "bench/labs/report_json.hpp"

namespace ladder::labs {

/// \brief  A value with its unit: "60.0 MiB", "280 cycles", "4.31 TB/s".
/// \param  unit  as in Finding and Series
std::string with_unit(double value, const std::string& unit);

/// The table of labs.
std::string list_text();

/// Question, curves, findings, claims and notes.
std::string report_text(const LabRun& run);

}  // namespace ladder::labs
