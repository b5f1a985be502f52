// SPDX-License-Identifier: MIT
/// \file  bench/labs/analysis/layout.hpp
/// \brief What a full chip would look like, of which some SMs are switched off.
#pragma once

#include <optional>
#include <span>
#include <vector>

namespace ladder::labs {

/// Some SMs that are not there.
struct MissingSms {
  int after_sm = -1;  ///< the last one before them that is there; -1: none
  int group = 0;      ///< of which they would be
  int full_sm = 0;    ///< the first one's number on the full chip
};

/// SMs as a full chip numbers them: unit by unit, to each group in turn.
struct Layout {
  int unit = 1;  ///< neighbours that go to one group together: 1 or 2
  int groups = 0;
  int full_sms = 0;                 ///< if each group were as large as the largest one
  std::vector<MissingSms> missing;  ///< a unit each
  std::vector<int> out_of_turn;     ///< first SMs of units that are not in the order of groups
  std::vector<int> units_off;       ///< (groups)
};

/// \brief  Fits the order in which groups of SMs come round to the simplest: each one in turn.
///
/// A unit of which it is not true is out of turn, and takes the place of a missing one of its
/// group. A group as large as all others may lack some as well, so that these are the fewest that
/// can be missing.
/// \param  group_of_sm  numbered in the order of their first members
/// \return nothing: the groups have one unit each, or more than one in eight is out of turn
std::optional<Layout> layout_of(std::span<const int> group_of_sm);

}  // namespace ladder::labs
