// SPDX-License-Identifier: MIT
/// \file  common/side_aware/operations/random_bits.cuh
/// \brief Writes random bits, which no memory compresses. The sideband's value is the seed.
#pragma once

#include "common/side_aware/kernels/element.cuh"

namespace ladder::side_aware {

struct RandomBits : OperationDefaults {
  using o0 = unsigned;

  /// \source SplitMix64: Steele, Lea, Flood, OOPSLA 2014
  __device__ static void apply(Element<RandomBits>& element) {
    auto mixed =
        element.index + static_cast<unsigned>(element.sideband.value) * 0x9E3779B97F4A7C15u;
    mixed = (mixed ^ mixed >> 30) * 0xBF58476D1CE4E5B9u;
    mixed = (mixed ^ mixed >> 27) * 0x94D049BB133111EBu;
    element.out0 = static_cast<unsigned>(mixed >> 32);
  }
};

}  // namespace ladder::side_aware
