// SPDX-License-Identifier: MIT
/// \file  bench/labs/analysis/groups.hpp
/// \brief Finds which SMs share a resource from how much they disturb each other.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "bench/labs/analysis/samples.hpp"

namespace ladder::labs {

/// SMs that share something.
struct Groups {
  std::vector<int> of_row;  ///< group of each SM, numbered in the order of their first members
  int count = 0;
  double agreement = 0;  ///< share of the pairs that the groups explain
};

/// \brief  Groups from a square matrix: cycles per load of SM i after SM j disturbed it. The
///         diagonal is a measurement, too: an SM disturbs itself.
/// \param  penalty_cycles  what a load costs more when it misses in the resource
/// \param  undisturbed  cycles per load of each SM that nobody disturbed; empty: the fastest tenth
///         of its row, which is right unless nearly all SMs share
/// \return nothing if fewer than 98 % of the pairs agree with any grouping, or if the SMs do not
///         even disturb themselves; one group for each SM if nothing is shared
/// \throws std::invalid_argument  the matrix is not square, the penalty is not above 0, or there
///         are undisturbed cycles of other than all SMs
std::optional<Groups> find_groups(const Matrix& cycles, double penalty_cycles,
                                  std::span<const double> undisturbed = {});

}  // namespace ladder::labs
