// SPDX-License-Identifier: MIT
/// \file  common/side_aware/operations/absmax.cuh
/// \brief Finds the largest magnitude of floats, as scaling to a narrow format needs it.
#pragma once

#include "common/side_aware/kernels/element.cuh"

namespace ladder::side_aware {

struct AbsMax : OperationDefaults {
  using i0 = float;
  using Sum = float;
  static constexpr bool input_evict[4] = {true, false, false, false};

  __device__ static Sum start() { return 0.0f; }
  __device__ static Sum combine(Sum a, Sum b) { return fmaxf(a, b); }
  __device__ static void apply(Element<AbsMax>& element) {
    element.sum = fmaxf(element.sum, fabsf(element.in0));
  }
};

}  // namespace ladder::side_aware
