// SPDX-License-Identifier: MIT
/// \file  ladder/program/rung_counter.hpp
/// \brief What a rung is about, counted: the figures that set each kernel apart from the one below.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "ladder/program/rung_trace.hpp"

namespace ladder {

/// The problem on which all effects show: C of several waves of blocks, matrices beyond a small L2.
Problem gains_problem();

/// \brief  Traces a rung on the classroom's card, for what can be counted: seconds at most.
/// \throws what trace_rung() throws
RungTrace trace_gains(Machine& machine, const Rung& rung, const Problem& problem);

/// \return nothing for kNone, and where DRAM is not modelled
std::optional<double> figure_of(Counter counter, const RungTrace& trace);

/// \return the line that has most of it: most sectors per load, most loads; nothing for DRAM
std::optional<emulator::Place> line_of(Counter counter, const RungTrace& trace);

/// "sectors_per_load"; empty for kNone
std::string_view code_of(Counter counter);

/// "sectors per load from global memory": what stands behind a figure
std::string_view words_of(Counter counter);

/// "2.5", "100 %", "32.7 MB"
std::string figure_text(Counter counter, double value);

}  // namespace ladder
