// SPDX-License-Identifier: MIT
/// \file  common/side_aware/operations/scale.cuh
/// \brief Multiplies floats by a factor, which the sideband holds.
#pragma once

#include "common/side_aware/kernels/element.cuh"

namespace ladder::side_aware {

struct Scale : OperationDefaults {
  using i0 = float;
  using o0 = float;
  static constexpr bool input_evict[4] = {true, false, false, false};

  __device__ static void apply(Element<Scale>& element) {
    element.out0 = element.in0 * __int_as_float(element.sideband.value);
  }
};

}  // namespace ladder::side_aware
