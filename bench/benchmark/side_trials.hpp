// SPDX-License-Identifier: MIT
/// \file  bench/benchmark/side_trials.hpp
/// \brief Rung 21 with SMs that are told the right side of L2, a wrong one, any, or none.
#pragma once

#include <optional>
#include <vector>

#include "common/side_aware/multiprocessor_sides.hpp"

namespace ladder::bench {

/// What the clusters of rung 21 are told.
struct SideTrial {
  const char* name;                           ///< "sides_right"
  const char* what;                           ///< a sentence's part, for tables
  std::optional<side_aware::SideBits> sides;  ///< nothing: no cluster minds where it runs
};

/// \brief  Four trials of one kernel. Where sides are wrong, SMs of both work on each half. They
///         are always dealt out in pairs, as the two blocks of a cluster share one.
/// \param  found  the true sides of a GPU
std::vector<SideTrial> side_trials(const side_aware::MultiprocessorSides& found);

/// The sides of the current GPU's SMs; nothing if it has no two.
std::optional<side_aware::MultiprocessorSides> found_sides();

}  // namespace ladder::bench
