// SPDX-License-Identifier: MIT
/// \file  ladder/program/run_command.hpp
/// \brief What `ladder run` and the executables of single rungs do: a climb of chosen rungs, and
///        predictions beside what came out.
#pragma once

#include <optional>

#include "ladder/program/command_line.hpp"
#include "ladder/program/questions.hpp"

namespace ladder {

/// \brief  Climbs options.rungs, then compares what was predicted of them. With options.no_timing
///         only climbs: a profiler is looking.
/// \return exit code
/// \throws std::exception for bad usage, missing machines and broken files of predictions
int run_command(const Options& options);

/// \brief  A ratio of counters of a traced rung, for the GPU that figures are recorded on: an H200.
/// \return nothing where one of the two is not counted
/// \throws std::runtime_error  tracing does not work in this build
std::optional<double> counted(const Rung& rung, const CounterRatio& ratio);

}  // namespace ladder
