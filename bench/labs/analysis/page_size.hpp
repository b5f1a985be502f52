// SPDX-License-Identifier: MIT
/// \file  bench/labs/analysis/page_size.hpp
/// \brief Finds the pages and entries of TLBs from walks with several strides.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "bench/labs/analysis/plateaus.hpp"
#include "bench/labs/analysis/samples.hpp"

namespace ladder::labs {

/// Latency over distance, for one stride in ascending order.
struct StrideCurve {
  double stride_bytes = 0;
  std::vector<Point> curve;  ///< x: bytes from the first place to the end of the last one
};

/// One level of TLB, as far as the curves show it.
struct TlbLevel {
  double reach_bytes = 0;     ///< what it holds; no more than this where the page is not known
  double penalty_cycles = 0;  ///< what a load costs more that misses in it
  /// Bytes that one entry translates. Nothing if no stride was small enough, or none large enough,
  /// to tell: then the penalty holds for the strides that were walked.
  std::optional<double> page_bytes = {};
  /// Reach over page. Where the page is not known: places that fit, if they are as many for each
  /// stride that was walked.
  std::optional<double> entries = {};
};

/// \brief  Levels of TLB from curves of several strides in ascending order.
///
/// Strides below the page share a miss between all places of the page, so that the step of the
/// curve grows with the stride; from the page on, every load misses and the step stays the same.
/// The stride at which it stops to grow is the page. Where a curve leaves its plateau does not tell
/// by itself: a TLB whose sets are chosen by bits of the address may hold twice the distance with
/// twice the stride, or the same.
/// \param  curves  strides in ascending order, at least 3, each twice the one before
/// \return ordered by reach; empty if no curve rises
/// \throws std::invalid_argument  fewer than 3 curves, or other strides
std::vector<TlbLevel> find_tlb_levels(std::span<const StrideCurve> curves);

}  // namespace ladder::labs
