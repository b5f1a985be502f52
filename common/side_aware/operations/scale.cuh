// SPDX-License-Identifier: MIT
/// \file  common/side_aware/operations/scale.cuh
/// \brief Multiplies floats by a factor, which the sideband holds.
#pragma once

#include "common/side_aware/kernels/element.cuh"

namespace ladder::side_aware {

// -- The operation ---------------------------------------------------------------------------
template <bool reverse>
struct Scaling : OperationDefaults {
  using i0 = float;
  using o0 = float;
  static constexpr bool reverse_order = reverse;
  static constexpr bool input_evict[4] = {true, false, false, false};

  __device__ static void apply(Element<Scaling>& element) {
    element.out0 = element.in0 * __int_as_float(element.sideband.value);
  }
};

using Scale = Scaling<false>;
/// The second of two passes over an array that is larger than L2: the end, which the first pass has
/// left there, comes first.
using ScaleBackwards = Scaling<true>;

}  // namespace ladder::side_aware
