// SPDX-License-Identifier: MIT
/// \file  common/results_context.hpp
/// \brief What every results file says of its figures, and how such a file is written.
#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "common/timing.hpp"

namespace ladder {

/// \brief Machine, versions, protocol, clocks, version and commit of this program.
/// \param clocks  readings of all samples
nlohmann::json results_context(const std::string& device, std::optional<Protocol> protocol,
                               const ClockLog& clocks,
                               const std::map<std::string, std::string>& versions);

/// Smallest, median and largest of some readings; null where there are none.
nlohmann::json clock_fields(const std::vector<double>& values);

/// The text of a results file.
std::string file_text(const nlohmann::json& results);

}  // namespace ladder
