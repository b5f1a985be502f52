// SPDX-License-Identifier: MIT
/// \file  common/side_aware/operations/which_sm.cuh
/// \brief Writes the number of the SM that works on an element: a map of who worked on what.
#pragma once

#include "common/ptx/sm_id.cuh"
#include "common/side_aware/kernels/element.cuh"

namespace ladder::side_aware {

struct WhichSm : OperationDefaults {
  using o0 = int;

  __device__ static void apply(Element<WhichSm>& element) {
    element.out0 = static_cast<int>(ptx::sm_id());
  }
};

}  // namespace ladder::side_aware
