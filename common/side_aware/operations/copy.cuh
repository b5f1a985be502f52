// SPDX-License-Identifier: MIT
/// \file  common/side_aware/operations/copy.cuh
/// \brief Copies words of 4 bytes.
#pragma once

#include "common/side_aware/kernels/element.cuh"

namespace ladder::side_aware {

struct Copy : OperationDefaults {
  using i0 = int;
  using o0 = int;
  static constexpr bool input_evict[4] = {true, false, false, false};

  __device__ static void apply(Element<Copy>& element) { element.out0 = element.in0; }
};

}  // namespace ladder::side_aware
