// SPDX-License-Identifier: MIT
/// \file  ladder/program/rung_facts.hpp
/// \brief What programs that are not C++ need to know of the rungs, as JSON.
#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

#include "common/device_card.hpp"
#include "ladder/ladder.hpp"

namespace ladder {

/// Shapes whose plans pages quote.
std::vector<Shape> quoted_shapes();

/// {rung: {counter: value}} of the counters that rungs are about: each rung's own and, of the rung
/// below, the same one. Traces all that have one.
using CountedRungs = std::map<int, std::map<Counter, double>>;
CountedRungs counted_rungs(std::span<const Rung> traced);

/// \brief  The table, and of each rung the constants of its sources and what it launches: kernels
///         with their template arguments, what a block takes of an SM and how many fit, grids, and
///         the plans of rungs that choose by shape. Nothing runs.
/// \param  rungs   emulated ones
/// \param  card    how many SMs launches find, and what an SM holds
/// \param  shapes  at least one; rungs that choose tell of all of them, others of the first
/// \param  counts  "about" is null where they are missing
nlohmann::ordered_json rung_facts(std::span<const Rung> rungs, const DeviceCard& card,
                                  const std::vector<Shape>& shapes,
                                  const CountedRungs& counts = {});

/// The facts as text that reads well line by line: one kernel, one launch to a line.
std::string facts_text(const nlohmann::ordered_json& facts);

}  // namespace ladder
