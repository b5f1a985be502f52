// SPDX-License-Identifier: MIT
/// \file  bench/labs/questions/l2_bandwidth.hpp
/// \brief What a curve of bandwidth shows at the size of a cache.
#pragma once

#include "bench/labs/lab.hpp"

namespace ladder::labs {

/// Rates on both sides of a size.
struct RatesAround {
  double below = 0;  ///< median of the points somewhat below it; 0: there are none
  double above = 0;

  bool fall_sharply() const { return above > 0 && below >= 2 * above; }
};

/// Rates of a curve a little below a size and a little above it.
RatesAround rates_around(const Series& curve, double size);

}  // namespace ladder::labs
