// SPDX-License-Identifier: MIT
/// \file  tests/ladder/pace_probe.hpp
/// \brief Blocks that do nothing but keep in step, as the clusters of rung 20 do.
#pragma once

#include <span>

namespace ladder {

/// \brief  A block for each entry: it begins so many epochs, then counts on to the end with those
///         that have the most.
/// \param  counters  (3)  of ladder::in_step::Pace
/// \return by how many epochs one was ahead of another that had not begun all of its own, at most
unsigned widest_gap(std::span<const unsigned> epochs, unsigned* counters);

}  // namespace ladder
