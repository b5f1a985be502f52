// SPDX-License-Identifier: MIT
/// \file  bench/labs/questions/tlb_curves.hpp
/// \brief Walks from page to page, as the labs about TLBs need them.
#pragma once

#include "bench/labs/analysis/tlb_levels.hpp"
#include "bench/labs/lab.hpp"

namespace ladder::labs {

/// \brief  One line for each stride, so that the data stays in L2 and only translations run out of
///         room.
/// \param  share  of the progress that this takes
TlbSearch walk_from_page_to_page(Instruments& instruments, const LabOptions& options, double share);

/// \brief  For each level: pairs of loads of which the first one misses, and how far away the
///         second one may be to find its translation there.
void add_neighbours(LabReport& report, Instruments& instruments, const TlbSearch& search,
                    const LabOptions& options);

}  // namespace ladder::labs
