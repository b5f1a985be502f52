// SPDX-License-Identifier: MIT
/// \file  common/side_aware/operations/differences.cuh
/// \brief Counts the words of 4 bytes in which two arrays differ.
#pragma once

#include "common/side_aware/kernels/element.cuh"

namespace ladder::side_aware {

struct Differences : OperationDefaults {
  using i0 = int;
  using i1 = int;
  using Sum = unsigned;
  static constexpr bool input_evict[4] = {true, true, false, false};

  __device__ static Sum start() { return 0; }
  __device__ static Sum combine(Sum a, Sum b) { return a + b; }
  __device__ static void apply(Element<Differences>& element) {
    element.sum += element.in0 != element.in1 ? 1u : 0u;
  }
};

}  // namespace ladder::side_aware
