// SPDX-License-Identifier: MIT
/// \file  common/side_aware/operations/sum.cuh
/// \brief Adds up floats, in FP64.
#pragma once

#include "common/side_aware/kernels/element.cuh"

namespace ladder::side_aware {

struct Total : OperationDefaults {
  using i0 = float;
  using Sum = double;
  static constexpr bool input_evict[4] = {true, false, false, false};

  __device__ static Sum start() { return 0.0; }
  __device__ static Sum combine(Sum a, Sum b) { return a + b; }
  __device__ static void apply(Element<Total>& element) { element.sum += element.in0; }
};

}  // namespace ladder::side_aware
