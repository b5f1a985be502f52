// SPDX-License-Identifier: MIT
/// \file  bench/labs/analysis/paired_slots.hpp
/// \brief What one way of doing something costs more than another, from slots that took turns.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "bench/labs/analysis/samples.hpp"

namespace ladder::labs {

/// A stretch of time in which one thing was done again and again. Slots of a run are listed in the
/// order of time, and it reads the same forwards and backwards, as A B B A does: then a drift that
/// is linear in time changes the mean of no kind against that of another.
struct Slot {
  int kind = 0;
  std::vector<double> samples;  ///< windows of the slot, in the order of time
};

/// How much more or less one kind costs than another.
struct Change {
  Estimate percent;  ///< of the reference; below 0: less. Interval: 99.9 %, by bootstrap
  /// Four times the standard error that slots of the same kind show beside a linear drift: a change
  /// within it may be one of the day and not of the kind.
  double floor_percent = 0;

  double least() const { return std::min(percent.low, percent.value - margin_percent()); }
  double most() const { return std::max(percent.high, percent.value + margin_percent()); }

 private:
  /// Clocks drift, and few slots may hide it.
  double margin_percent() const { return std::max(floor_percent, 0.3); }
};

/// \brief  Change from `reference` to `other`, of the medians of their slots. The bootstrap draws
///         windows of each slot in short runs, because neighbours are alike.
/// \throws std::invalid_argument  a kind without slots, or a slot without samples
Change change_between(std::span<const Slot> slots, int reference, int other, std::uint64_t seed);

enum class Decision : std::uint8_t { confirmed, refuted, undecided };

/// \brief  Whether a claimed change was measured: confirmed if everything from least() to most() is
///         within the tolerance, refuted if nothing is.
/// \param  claimed_percent, tolerance_percent  as Change::percent
Decision decide(const Change& change, double claimed_percent, double tolerance_percent);

}  // namespace ladder::labs
