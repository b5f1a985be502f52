// SPDX-License-Identifier: MIT
/// \file  common/terminal/kernel_report.hpp
/// \brief The parts of a trace's text and JSON that any kernel has.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "common/terminal/access_verdict.hpp"
#include "common/terminal/source_text.hpp"
#include "emulator/trace/trace.hpp"

namespace ladder {

/// "1,048,576"
std::string grouped(double value);

/// Of each request, on average; 0 where there is none.
double per(std::uint64_t count, std::uint64_t requests);

/// "32.0 (4.0)": sectors per request, and the fewest possible.
std::string sectors_text(const emulator::AccessCounts& counts);
/// Wavefronts likewise.
std::string wavefronts_text(const emulator::AccessCounts& counts);

/// \brief The source lines that access memory, with their counts.
/// \param verdicts  of trace.lines, see verdict_of()
/// \param sources   whose kernel it is
std::string lines_table(const emulator::KernelTrace& trace,
                        const std::vector<AccessVerdict>& verdicts, Sources sources);

/// \brief The hazards alone, as sentences; empty if there are none.
/// \param shown  what to make of each sentence before its lines are broken; empty: nothing
/// \param most   so many are told; of the rest, how many there are
std::string hazards_text(const emulator::KernelTrace& trace,
                         const std::function<std::string(std::string)>& shown = {},
                         std::size_t most = std::numeric_limits<std::size_t>::max());

/// Counters under their names in a trace's JSON.
nlohmann::json counts_json(const emulator::AccessCounts& counts);
/// The source lines with their counts and verdicts.
nlohmann::json lines_json(const emulator::KernelTrace& trace,
                          const std::vector<AccessVerdict>& verdicts);
/// As findings.schema.json has faults.
nlohmann::json hazards_json(const emulator::KernelTrace& trace);
/// When the first block's first tiles were filled and read.
nlohmann::json order_json(const emulator::OrderOfEvents& order);
/// The recorded requests of one warp, with their addresses.
nlohmann::json warp_json(const emulator::KernelTrace& trace);

}  // namespace ladder
