// SPDX-License-Identifier: MIT
/// \file  common/side_aware/operations/absmax.cuh
/// \brief Finds the largest magnitude of floats, as scaling to a narrow format needs it.
#pragma once

#include "common/side_aware/kernels/element.cuh"

namespace ladder::side_aware {

template <bool evict>
struct LargestMagnitude : OperationDefaults {
  using i0 = float;
  using Sum = float;
  static constexpr bool input_evict[4] = {evict, false, false, false};

  __device__ static Sum start() { return 0.0f; }
  __device__ static Sum combine(Sum a, Sum b) { return fmaxf(a, b); }
  __device__ static void apply(Element<LargestMagnitude>& element) {
    element.sum = fmaxf(element.sum, fabsf(element.in0));
  }
};

using AbsMax = LargestMagnitude<true>;
/// The first of two passes: what it reads last stays in L2, where ScaleBackwards finds it.
using FirstAbsMax = LargestMagnitude<false>;

}  // namespace ladder::side_aware
