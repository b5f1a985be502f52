// SPDX-License-Identifier: MIT
/// \file  ladder/program/trace_report.hpp
/// \brief A trace as text, as JSON and as a page.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "common/terminal/kernel_report.hpp"
#include "ladder/program/rung_trace.hpp"

namespace ladder {

/// A trace as a person reads it, 80 columns wide.
std::string trace_text(const RungTrace& trace);

/// Beside a wrong result: shuffles that may be the reason. Otherwise empty.
std::string strays_text(const RungTrace& trace);

/// \brief What sets each rung apart from the one below, a line each.
/// \param traces  all of one shape and card
std::string gains_text(const std::vector<RungTrace>& traces);

/// A trace as JSON: rung, shape, card, verified, launch, metrics, lines, order, hazards, warp.
nlohmann::json to_json(const RungTrace& trace);

/// to_json(), as a file holds it.
std::string file_text(const RungTrace& trace);

/// Lines of a source file that a reader has written, and not whoever handed it out.
struct MarkedLines {
  std::string file;  ///< "kernel.cuh"
  std::vector<unsigned> lines = {};
};

/// \brief  One page that needs no other file: the source with its counts, the order of events, and
///         the addresses of the recorded warp.
/// \throws std::runtime_error  the page's template or a source file cannot be read
std::string trace_page(const RungTrace& trace, const std::vector<MarkedLines>& marked = {});

}  // namespace ladder
