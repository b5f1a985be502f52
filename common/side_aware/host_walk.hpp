// SPDX-License-Identifier: MIT
/// \file  common/side_aware/host_walk.hpp
/// \brief The walk of an elementwise kernel on the host: which vectors each slot works on. With the
///        functions that the kernel itself uses.
#pragma once

#include <functional>

#include "common/side_aware/launch_plan.hpp"

namespace ladder::side_aware {

/// \brief  What one slot works on.
/// \param  pairs_in_batch  of the operation: 1, 2, 4 or 8
/// \param  visit  gets the first vector of each granule, from the start of the array: below 0 if
///                the granule begins before it, and beyond the last vector where the array is cut
///                off
void visit_granules(const LaunchPlan& plan, unsigned side, unsigned index, unsigned pairs_in_batch,
                    const std::function<void(std::int64_t vector)>& visit);

}  // namespace ladder::side_aware
