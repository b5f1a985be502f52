// SPDX-License-Identifier: MIT
/// \file  bench/labs/questions/kernels/bits.cuh
/// \brief The bits of what a load has read, folded into one word.
#pragma once

#include "common/device.cuh"

namespace ladder::labs::kernels {

__device__ inline unsigned bits_of(unsigned value) {
  return value;
}

__device__ inline unsigned bits_of(uint2 value) {
  return value.x ^ value.y;
}

__device__ inline unsigned bits_of(uint4 value) {
  return value.x ^ value.y ^ value.z ^ value.w;
}

}  // namespace ladder::labs::kernels
