// SPDX-License-Identifier: MIT
/// \file  common/side_aware/operations/copy.cuh
/// \brief Copies words of 4 bytes, or single bytes.
#pragma once

#include "common/side_aware/kernels/element.cuh"

namespace ladder::side_aware {

template <class T, bool evict>
struct Copying : OperationDefaults {
  using i0 = T;
  using o0 = T;
  static constexpr bool input_evict[4] = {evict, false, false, false};

  __device__ static void apply(Element<Copying>& element) { element.out0 = element.in0; }
};

/// Its input leaves L2 first, and the copy stays for whoever reads it next.
using Copy = Copying<int, true>;
/// For inputs that are read again.
using CopyOfKept = Copying<int, false>;
/// For arrays whose last word is not whole.
using CopyBytes = Copying<unsigned char, true>;

}  // namespace ladder::side_aware
