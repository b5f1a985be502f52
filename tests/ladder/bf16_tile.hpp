// SPDX-License-Identifier: MIT
/// \file  tests/ladder/bf16_tile.hpp
/// \brief A small BF16 rung that is not in the table, right and with a mistake; it can be traced.
#pragma once

#include "common/gemm.hpp"

namespace ladder {

/// What a version of the kernel does wrong.
enum class Bf16Mistake {
  none,
  cuts_results_off,  ///< in place of rounding them
  sums_in_bf16,
  rounds_twice,  ///< alpha*(A*B), and with beta*C again
  no_guard_in_m,
  reads_c_always,  ///< beta*C also when beta is 0
  writes_a,
  half_of_the_columns,  ///< of each tile
};

/// Takes a multiple of 2 as N and K, so that it can move two numbers at a time.
using Bf16Run = void (*)(const Gemm<bfloat16>&, Stream);
Bf16Run bf16_tile(Bf16Mistake mistake);

}  // namespace ladder
