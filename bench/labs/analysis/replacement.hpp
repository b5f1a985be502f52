// SPDX-License-Identifier: MIT
/// \file  bench/labs/analysis/replacement.hpp
/// \brief Formulas for hit rates and bandwidth beyond a cache's capacity, and which of them fits.
#pragma once

#include <span>
#include <string>

#include "bench/labs/analysis/samples.hpp"

namespace ladder::labs {

/// How a cache that is too small behaves when its working set is read again and again.
enum class Replacement {
  lru,           ///< a cyclic sweep: nothing hits once the working set is larger than the cache
  random,        ///< a cyclic sweep, random victims: h solves h = exp(-x (1 - h)), x = W / C
  proportional,  ///< h = C / W: random order, or the best possible replacement
};

std::string name_of(Replacement replacement);

/// \brief  Hit rate when a working set of x times the capacity is read again and again.
/// \return 1 for x <= 1
/// \throws std::invalid_argument  x is not above 0
double hit_rate(Replacement replacement, double x);

/// \brief  Bandwidth if hits and misses overlap: min(B2, Bh / (1 - h)).
/// \param  h  hit rate;  cache, memory  GB/s of each alone
double overlapped_bandwidth(double h, double cache, double memory);
/// The hit rate that overlapped_bandwidth() turns into this bandwidth; 0 to 1.
double overlapped_hit_rate(double bandwidth, double cache, double memory);

/// Which replacement explains a curve of hit rates best.
struct ReplacementFit {
  Replacement best;
  Replacement second;
  Estimate capacity;      ///< in the unit of x; the interval is that of all that are not ruled out
  double best_error = 0;  ///< root mean square of the hit rates
  double second_error = 0;
  bool decided = false;  ///< the second is clearly worse (Akaike's criterion, corrected: by 10)
  bool explained =
      true;  ///< the best is close to all hit rates, so that its capacity means something
};

/// \brief  Fits all three to h(x).
/// \param  hit_rates  x is the working set, samples are hit rates; some beyond the capacity
/// \throws std::invalid_argument  fewer than 5 points
ReplacementFit fit_replacement(std::span<const Point> hit_rates);

}  // namespace ladder::labs
