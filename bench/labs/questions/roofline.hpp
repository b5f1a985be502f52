// SPDX-License-Identifier: MIT
/// \file  bench/labs/questions/roofline.hpp
/// \brief The roofs of a GPU, and which of them a traced rung is under.
#pragma once

#include <string>

#include "bench/labs/lab.hpp"
#include "ladder/program/rung_trace.hpp"

namespace ladder::labs {

/// What a GPU does in a second, at most.
struct Roofs {
  double multiply_adds = 0;  ///< of FP32
  double wavefronts = 0;     ///< of the pipes for L1 and shared memory of all SMs: one per cycle
  double l2_bytes = 0;
  double dram_bytes = 0;
};

/// A rung's lowest roof.
struct RungBound {
  Finding finding;           ///< in TFLOP/s; not found where the traffic was not counted
  bool under_lanes = false;  ///< the FP32 units are that roof
};

/// Which roof a rung is under, by what was counted of it.
RungBound bound_of(const RungTrace& trace, const Roofs& roofs);

}  // namespace ladder::labs
