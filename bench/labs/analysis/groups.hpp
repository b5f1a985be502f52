// SPDX-License-Identifier: MIT
/// \file  bench/labs/analysis/groups.hpp
/// \brief Finds which SMs share a resource from how much they disturb each other.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace ladder::labs {

/// SMs that share something.
struct Groups {
  std::vector<int> of_row;  ///< group of each SM, numbered in the order of their first members
  int count = 0;
  double shared_cycles = 0;  ///< that a load takes longer after one that shares has pushed it out
  double sigma_cycles = 0;   ///< noise of one measurement of that
};

/// Groups of which each pair is settled, or why there are none.
struct GroupSearch {
  std::optional<Groups> groups;
  std::string why_not;  ///< a sentence without its full stop
};

/// \brief  Measures one SM: how many cycles a load takes when nobody has disturbed the SM, and how
///         many more after each of some partners has. An SM disturbs itself, too.
/// \return first the undisturbed cycles, then what each partner adds, in their order
using Disturbance = std::function<std::vector<double>(int sm, std::span<const int> partners)>;

/// \brief  Asks each SM about each other one, and then again about all pairs that are not settled.
///
/// What an SM does to itself tells how much a sharing pair loses. A measurement then is so many
/// times more likely if the pair shares than if not, outliers considered, and these factors
/// multiply over both directions and all repetitions. A pair is settled when one of the two is
/// millions of times more likely. There are groups only if each pair is settled, and if sharing is
/// transitive throughout.
/// \throws std::invalid_argument  no SMs
GroupSearch find_groups(int sms, const Disturbance& measure);

}  // namespace ladder::labs
