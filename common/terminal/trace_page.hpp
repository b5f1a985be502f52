// SPDX-License-Identifier: MIT
/// \file  common/terminal/trace_page.hpp
/// \brief The page for a browser that shows traces, of a rung or of any program's kernels.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace ladder {

/// \brief  One page that needs no other file. The source files that lines, hazards and launches
///         name are put into it; one that cannot be read is left out, and its lines are listed.
/// \param  data  a rung's trace as JSON, or a program's findings, whose subjects are launches
/// \throws std::runtime_error  the page's template cannot be read
std::string page_of_trace(nlohmann::json data);

}  // namespace ladder
