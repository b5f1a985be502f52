// SPDX-License-Identifier: MIT
/// \file  bench/labs/questions/tlb_curves.hpp
/// \brief Walks from page to page, as the labs about TLBs need them.
#pragma once

#include <vector>

#include "bench/labs/analysis/page_size.hpp"
#include "bench/labs/lab.hpp"

namespace ladder::labs {

/// \brief One line for each stride, so that the data stays in L2 and only translations run out of
///        room: latency over the distance that is covered.
struct TlbCurves {
  std::vector<StrideCurve> curves;  ///< ascending order of places, ascending strides
  std::vector<TlbLevel> levels;     ///< what they show
  double farthest_bytes = 0;        ///< that was looked at
};

/// \param  share  of the progress that this takes
TlbCurves walk_from_page_to_page(Instruments& instruments, const LabOptions& options, double share);

}  // namespace ladder::labs
